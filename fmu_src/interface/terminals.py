"""terminalsAndIcons.xml of FMI 3.0 (section 2.4.9): groups of variables that a host connects together, and their places around the model's icon.

Pieces and blocks declare the kind of terminal of their inputs and outputs (`terminal`, dynamics/system/pieces.py). A member is named by
the last part of its variable's name: `speed` for wheel.x.speed, `torque` for the controller's torque, so two terminals of one kind match by
members.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from PIL import Image, ImageDraw

from spacefmu.dynamics.system.signals import Terminal

from .arrays import Array
from .icon import png_bytes

DOMAIN = "org.spacefmu"
# kind → its meaning and colour
KINDS = {
    "frame": ("a body or a place on it: its motion, force and torque on it", "#2f6da8"),
    "joint": ("a joint: its coordinates and speeds, what drives it", "#8c99a6"),
    "gyro": ("a control-moment gyro: drives, angle and rates of gimbal and rotor", "#7a5195"),
    "wheel": ("a reaction wheel: motor torque and speed", "#b5651d"),
    "thruster": ("a thruster: commanded and given force", "#c0392b"),
    "coupling": ("a coupling or a spring: whether it is closed, its force", "#6c3483"),
    "cable": ("a cable: length, tension, reel", "#117a65"),
    "thermal_sections": ("sections of a flexible body: the light on them and their temperatures", "#d68910"),
    "sensor": ("a sensor: what it measures", "#1e8449"),
}
OTHER = ("", "#39434d")  # kinds of a user's own pieces
_ICON, _FINE = 32, 4  # pixels of a terminal's picture, and dots along each side of one
_EDGE, _HALF = 100.0, 8.0  # of the coordinate system: the edge of the model's icon; half the size of a terminal


@dataclass(frozen=True)
class Shown:
    """A terminal of an FMU with its variables, in the order of the XML."""

    terminal: Terminal
    variables: tuple[Array, ...]

    @property
    def takes(self) -> bool:
        return any(variable.first.causality == "input" for variable in self.variables)


def terminals_of(arrays: Iterable[Array]) -> list[Shown]:
    """The terminals of a System's inputs and outputs; if two kinds have the same name, the first one counts."""
    found: dict[str, tuple[Terminal, dict[str, Array]]] = {}
    for array in arrays:
        terminal = array.signal.terminal
        if terminal is None or array.first.causality not in ("input", "output"):
            continue
        found.setdefault(terminal.name, (terminal, {}))[1].setdefault(member_name(array), array)
    return [Shown(terminal, tuple(members.values())) for terminal, members in found.values()]


def member_name(array: Array) -> str:
    return array.name.rpartition(".")[2]


def kind_name(kind: str) -> str:
    """The kind in reverse domain notation: spacefmu's, unless the kind names another domain."""
    return kind if "." in kind else f"{DOMAIN}.{kind}"


def terminals_and_icons(terminals: Sequence[Shown]) -> str:
    """The text of terminalsAndIcons.xml: terminals with inputs on the left side of the icon, the others on its right side."""
    root = Element("fmiTerminalsAndIcons", fmiVersion="3.0")
    graphics = SubElement(root, "GraphicalRepresentation")
    corners = {"x1": f"{-_EDGE}", "y1": f"{-_EDGE}", "x2": f"{_EDGE}", "y2": f"{_EDGE}"}
    SubElement(graphics, "CoordinateSystem", corners | {"suggestedScalingFactorTo_mm": "0.1"})
    SubElement(graphics, "Icon", corners)
    if terminals:
        parent = SubElement(root, "Terminals")
        sides = {side: [each for each in terminals if each.takes == side] for side in (True, False)}
        for shown in terminals:
            along = sides[shown.takes]
            y = _EDGE - 2.0 * _EDGE * (along.index(shown) + 0.5) / len(along)
            parent.append(_terminal(shown, -_EDGE if shown.takes else _EDGE, y))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _terminal(shown: Shown, x: float, y: float) -> Element:
    own = shown.terminal
    element = Element("Terminal", name=own.name, matchingRule=own.rule, terminalKind=kind_name(own.kind))
    text, color = KINDS.get(own.kind, OTHER)
    if text:
        element.set("description", text)
    for variable in shown.variables:
        SubElement(
            element,
            "TerminalMemberVariable",
            variableName=variable.name,
            memberName=member_name(variable),
            variableKind="signal",
        )
    place = {"x1": x - _HALF, "y1": y - _HALF, "x2": x + _HALF, "y2": y + _HALF}
    rgb = " ".join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))
    SubElement(
        element,
        "TerminalGraphicalRepresentation",
        {name: f"{value:.6g}" for name, value in place.items()}
        | {"defaultConnectionColor": rgb, "iconBaseName": icon_name(own.kind)},
    )
    return element


def icon_name(kind: str) -> str:
    return kind if kind in KINDS else "other"


def terminal_icons(terminals: Iterable[Shown]) -> dict[str, bytes]:
    """File name → PNG, one per kind in use: a disc of its colour."""
    colors = {
        icon_name(kind): KINDS.get(kind, OTHER)[1] for kind in dict.fromkeys(each.terminal.kind for each in terminals)
    }
    return {f"{name}.png": _disc(color) for name, color in colors.items()}


def _disc(color: str) -> bytes:
    size = _ICON * _FINE
    image = Image.new("RGBA", (size, size), (255, 255, 255, 0))
    ImageDraw.Draw(image).ellipse((_FINE, _FINE, size - _FINE, size - _FINE), color, "white", 3 * _FINE)
    return png_bytes(image.reduce(_FINE))
