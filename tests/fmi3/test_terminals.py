"""terminalsAndIcons.xml: valid by the standard's schema, true to the model description, and terminals of partners match each other."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import fromstring

import fmpy
import lxml.etree
import pytest
from PIL import Image

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.fuse import Fused, Part, fuse
from spacefmu.fmu_src.interface.arrays import arrays_of, scalars_of
from spacefmu.fmu_src.interface.terminals import KINDS, Shown, terminals_and_icons, terminals_of
from tests.catalogue_fmus import ENTRIES, system_of
from tests.cli.command import ROOT
from tests.fmi3.units import fmu3_file

SCHEMA = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"
ACTUATED = """
name = "Actuated"
[bodies.hub]
mass = 10.0
inertia = [1.0, 2.0, 3.0]
[wheels.wheel]
body = "hub"
axis = [0, 0, 1]
spin_inertia = 0.01
torque_limit = 0.1
[thrusters.jet]
body = "hub"
place = [1, 0, 0]
direction = [0, 1, 0]
maximum = 2.0
[sensors.imu]
kind = "gyro"
at = "hub"
"""


@cache
def terminals(name: str) -> dict[str, Shown]:
    system = load_text(ACTUATED, "actuated.toml", Path()) if name == "Actuated" else system_of(name)
    return {each.terminal.name: each for each in terminals_of(arrays_of(system, scalars_of(system)))}


def members(shown: Shown) -> dict[str, tuple[str, tuple[int, ...], str]]:
    return {v.name.rpartition(".")[2]: (v.first.causality, v.shape, v.signal.unit) for v in shown.variables}


@pytest.mark.parametrize("name", [*ENTRIES, "Actuated"])
def test_valid_and_true(name):
    """By the schema that FMPy ships; names, kinds and members are unique, and every member is an input or output of the FMU."""
    found = terminals(name)
    text = terminals_and_icons(list(found.values())).encode()
    schema = lxml.etree.XMLSchema(lxml.etree.parse(str(SCHEMA)))
    assert schema.validate(lxml.etree.fromstring(text)), schema.error_log
    root = fromstring(text)
    named = [each.get("name") for each in root.iter("Terminal")]
    assert len(named) == len(set(named)) == len(found) > 0
    for terminal in root.iter("Terminal"):
        kind = terminal.get("terminalKind") or ""
        assert kind.startswith("org.spacefmu.")
        assert kind.removeprefix("org.spacefmu.") in KINDS
        assert terminal.get("matchingRule") in ("plug", "bus")
        inside = [each.get("memberName") for each in terminal.iter("TerminalMemberVariable")]
        assert len(inside) == len(set(inside)) > 0


def test_members_of_actuators_and_sensors():
    found = {name: sorted(members(shown)) for name, shown in terminals("Actuated").items()}
    assert found["wheel.wheel"] == ["applied_torque", "speed", "torque"]
    assert found["thruster.jet"] == ["applied_force", "force"]
    assert found["sensor.imu"] == ["angular_velocity"]
    assert {"position", "quaternion", "velocity", "angular_velocity"} <= set(found["hub"])
    kinds = {name: shown.terminal.kind for name, shown in terminals("Actuated").items()}
    assert kinds == {"hub": "frame", "wheel.wheel": "wheel", "thruster.jet": "thruster", "sensor.imu": "sensor"}


@pytest.mark.parametrize(
    "partner, terminal, plant, other, whole",
    [
        ("AttitudeController", "body", "FlexibleSatellite", "hub", True),
        ("SlewController", "body", "HingedPanel", "hub", True),
        ("WingHeat", "sections", "SnapSatellite", "wing.section", False),
        ("BoomHeat", "sections", "ThermalBoom", "boom.section", False),
    ],
)
def test_partners_match(partner, terminal, plant, other, whole):
    """Members of one name are an input here and an output there, of one shape and unit; a plug finds all of its members."""
    ours, theirs = terminals(partner)[terminal], terminals(plant)[other]
    assert ours.terminal.kind == theirs.terminal.kind
    assert (ours.terminal.rule, theirs.terminal.rule) == ("plug" if whole else "bus", "bus")
    mine, other_side = members(ours), members(theirs)
    shared = set(mine) & set(other_side)
    assert shared == set(mine) if whole else len(shared) > 1
    for name in shared:
        assert {mine[name][0], other_side[name][0]} == {"input", "output"}
        assert mine[name][1:] == other_side[name][1:]


def test_terminals_of_a_fused_system_carry_the_unit():
    units = {"plant": system_of("HingedPanel"), "control": system_of("SlewController")}
    parts = tuple(Part(name, system.made_by) for name, system in units.items())
    system = fuse(Fused("Both", parts, (), {"stop": 1.0, "step": 0.1, "tolerance": 1e-8}), units)
    found = {each.terminal.name for each in terminals_of(arrays_of(system, scalars_of(system)))}
    assert {"plant.hub", "plant.sadm", "control.body"} <= found


def test_in_the_archive_with_its_pictures():
    """Each picture that the XML names is a PNG in the folder; variables are those of modelDescription.xml."""
    with zipfile.ZipFile(fmu3_file("FourBar")) as archive:
        root = fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml"))
        description = fromstring(archive.read("modelDescription.xml"))
        for picture in {each.get("iconBaseName") for each in root.iter("TerminalGraphicalRepresentation")} | {"icon"}:
            assert Image.open(io.BytesIO(archive.read(f"terminalsAndIcons/{picture}.png"))).format == "PNG"
    causality = {v.get("name"): v.get("causality") for v in description.find("ModelVariables") or ()}
    shown = [each.get("variableName") for each in root.iter("TerminalMemberVariable")]
    assert "hinge1.torque" in shown
    assert {causality[name] for name in shown} == {"input", "output"}


def test_every_kind_is_in_the_docs():
    """`gyro` was missing there."""
    page = (ROOT / "docs" / "fmi3.md").read_text("utf-8")
    assert [kind for kind in KINDS if f"\n| `{kind}` |" not in page] == []
