"""The works as descriptions: texts in TOML, as a person would write them."""

from __future__ import annotations

from pathlib import Path

CATALOGUE = Path(__file__).parent.parent / "fmu_src" / "catalogue"
EXAMPLES = Path(__file__).parent.parent / "examples"

HUB_MASS, HUB_INERTIA = 800.0, (900.0, 800.0, 600.0)
LINK_MASS, LINK_LENGTH, LINK_INERTIA = 10.0, 1.0, (0.1, 0.9, 1.0)  # inertia about the mass centre, half way
FIRST_HINGE = 0.5  # [m] from the hub's mass centre
STIFFNESS = 20.0  # [N m/rad] of panels' hinges
FIRST_ANGLE, RATE = 0.1, (0.01, 0.02, -0.01)  # [rad] of the first panel, [rad/s] of the hub

_HUB = f"[bodies.hub]\nmass = {HUB_MASS}\ninertia = {list(HUB_INERTIA)}\n"
_LINK = f"mass = {LINK_MASS}\nmass_center = [{LINK_LENGTH / 2}, 0.0, 0.0]\ninertia = {list(LINK_INERTIA)}\n"


def chain(links: int) -> str:
    """A free hub and a chain of hinged links, all hinges along y; no gravity."""
    parts = [f'name = "Chain{links}"', _HUB]
    for i in range(links):
        parent, place = ("hub", FIRST_HINGE) if i == 0 else (f"link{i - 1}", LINK_LENGTH)
        parts += [f"[bodies.link{i}]", _LINK, f"[joints.hinge{i}]", f'parent = "{parent}"', f'child = "link{i}"']
        parts += [f"place = [{place}, 0.0, 0.0]", 'kind = "revolute"', 'axis = "y"']
    return "\n".join(parts)


# where panels are: direction from the hub, hinge axis
SIDES = (("x", "y"), ("-x", "y"), ("y", "x"), ("-y", "x"))
_VECTORS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "-x": (-1.0, 0.0, 0.0), "-y": (0.0, -1.0, 0.0)}


def side(i: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """(direction outward, hinge axis) of panel i, in the hub's axes."""
    outward, axis = SIDES[i]
    return _VECTORS[outward], _VECTORS[axis]


def panel_inertia(i: int) -> tuple[float, float, float]:
    """Of panel i about its mass centre, in the hub's axes: the link's numbers, along its own direction."""
    along, across, normal = LINK_INERTIA
    return (along, across, normal) if "x" in SIDES[i][0] else (across, along, normal)


def panels(count: int, tolerance: float = 1e-6) -> str:
    """A free hub with `count` panels on sprung hinges, the first one bent, the hub turning."""
    parts = [f'name = "Panels{count}"', f"[experiment]\nstop = 1000.0\nstep = 0.1\ntolerance = {tolerance}", _HUB]
    parts += [f"[bodies.hub.initial]\nangular_velocity = {list(RATE)}"]
    for i in range(count):
        outward, axis = side(i)
        place, centre = ([c * d for d in outward] for c in (FIRST_HINGE, LINK_LENGTH / 2))
        parts += [f"[bodies.panel{i}]\nmass = {LINK_MASS}\nmass_center = {centre}\ninertia = {list(panel_inertia(i))}"]
        parts += [f'[joints.hinge{i}]\nparent = "hub"\nchild = "panel{i}"\nplace = {place}\nkind = "revolute"']
        parts += [f"axis = {list(axis)}\nstiffness = {STIFFNESS}"]
        if i == 0:
            parts += [f"initial = {{ position = {FIRST_ANGLE} }}"]
    return "\n".join(parts)


def modes(count: int) -> str:
    """HingedPanel's hub with a beam of so many modes, half of them in each direction of bending."""
    text = f'name = "Modes{count}"\n[bodies.hub]\nmass = 400.0\ninertia = [200.0, 180.0, 160.0]\n'
    text += "[bodies.panel]\ndamping = 0.005\nnodes = { tip = 1.0 }\n[bodies.panel.beam]\nlength = 8.0\nmass = 40.0\n"
    text += f"bending_y = 5000.0\nbending_z = 50000.0\nmodes = {{ bending_y = {count - count // 2}, bending_z = {count // 2} }}\n"
    text += '[joints.hinge]\nparent = "hub"\nchild = "panel"\nplace = [0.5, 0.0, 0.0]\nkind = "revolute"\naxis = "y"\nstiffness = 50.0\n'
    return text


def beads(count: int) -> str:
    """Two bodies on a damped cable of so many beads."""
    text = (EXAMPLES / "couplings_beaded.toml").read_text("utf-8")
    assert "beads = 20" in text
    return text.replace("beads = 20", f"beads = {count}")


def loops(count: int) -> str:
    """FourBar's loop so many times on one hub, on planes one above the other."""
    bars = entry("FourBar").partition("[bodies.bar2]")
    nodes = "\n".join(f"start{i} = [0.0, 0.0, {0.1 * i}]" for i in range(count))
    parts = [f'name = "Loops{count}"', _HUB, f"[bodies.hub.nodes]\n{nodes}"]
    for i in range(count):
        text = bars[1] + bars[2]
        for name in ("bar2", "bar3", "bar4", "hinge1", "hinge2", "hinge3", "closing"):
            text = text.replace(name, f"{name}_{i}")
        text = text.replace('"bar1"', '"hub"').replace("bar1.start", f"hub.start{i}")
        parts.append(text.replace("place = [1.0, 0.0, 0.0]", f"place = [1.0, 0.0, {0.1 * i}]"))
    return "\n".join(parts)


def entry(name: str) -> str:
    """A description of the catalogue."""
    return (CATALOGUE / f"{name}.toml").read_text("utf-8")


def mission() -> str:
    """FlexibleSatellite on a low orbit with gravity and its gradient, J2, Sun, air and magnetic field."""
    return (
        entry("FlexibleSatellite").replace('name = "FlexibleSatellite"', 'name = "Mission"')
        + """
[environment]
frame = "orbit"
gravity = "central"
j2 = true
orbit = { semi_major_axis = 6.878e6, inclination = "97.4 deg" }
[environment.sun]
date = 2026-06-21T08:25:00Z
[environment.air]
density = 3.7e-12
height = 4.0e5
scale_height = 5.8e4
[environment.magnetic]
[surfaces.wing]
body = "panel"
place = [0.0, 2.25, 0.0]
normal = "z"
area = 7.2
specular = 0.1
both_sides = true
drag = 2.2
[surfaces.bus]
body = "hub"
place = [0.0, 0.0, 0.9]
normal = "z"
area = 2.4
specular = 0.3
drag = 2.2
[dipoles.coils]
body = "hub"
residual = [0.5, 0.0, 0.3]
"""
    )
