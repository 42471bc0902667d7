"""Attributes of the model description that hosts use: origin and date, bounds, kinds of dependencies, what is a state."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from xml.etree.ElementTree import fromstring

import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.overview.overview import Branch
from spacefmu.dynamics.system.signals import SMALLEST
from spacefmu.fmu_src.interface import fmi3
from spacefmu.fmu_src.interface.arrays import arrays_of, scalars_of
from spacefmu.fmu_src.interface.capabilities import NATIVE
from spacefmu.fmu_src.interface.description import model_description
from spacefmu.fmu_src.interface.overview import _drawn
from spacefmu.fmu_src.interface.structure import LONG, NEVER, left_out
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.trace.sparsity import dependencies
from spacefmu.fmu_src.python.contents import CAPABILITIES
from tests.catalogue_fmus import ENTRIES, system_of

TEXT = """
name = "Signed"
author = "A. Person"
version = "1.2"
copyright = "2026 A. Person"
license = "CC BY 4.0"
[bodies.hub]
mass = 10.0
inertia = [1.0, 2.0, 3.0]
"""


def xml_of(system, capabilities=NATIVE):
    return fromstring(model_description(system, variables_of(system), "{x}", dependencies(system), capabilities))


def test_a_description_says_who_made_it():
    root = xml_of(load_text(TEXT))
    found = {name: root.get(name) for name in ("author", "version", "copyright", "license")}
    assert found == {"author": "A. Person", "version": "1.2", "copyright": "2026 A. Person", "license": "CC BY 4.0"}
    plain = xml_of(load_text("\n".join(line for line in TEXT.splitlines() if line.split(" ")[0] not in found)))
    assert plain.get("author") is None
    assert plain.get("license").startswith("sources and runtime: MIT")


def test_the_date_is_reproducible(monkeypatch):
    """The same for the same version of spacefmu; SOURCE_DATE_EPOCH, the custom of reproducible builds, sets another."""
    system = load_text(TEXT)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert xml_of(system).get("generationDateAndTime") == xml_of(system).get("generationDateAndTime")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert xml_of(system).get("generationDateAndTime") == "1970-01-02T00:00:00Z"


@pytest.mark.parametrize("name", ENTRIES)
def test_what_a_law_wants_positive_has_a_positive_minimum(name):
    system = system_of(name)
    parameters = {signal.name: signal for signal in system.signals.parameters}
    wanted = [m[1] for law in system.laws if (m := re.fullmatch(r"(\S+) must be positive", law))]
    assert wanted
    assert {parameters[each].min for each in wanted} == {SMALLEST}


@pytest.mark.parametrize("name", ["HingedPanel", "AttitudeController"])
def test_dependencies_have_kinds(name):
    """Constant where a state is shown as it is; else all are the default, and not written."""
    root = xml_of(system_of(name))
    listed = [root.findall(f"./ModelStructure/{group}/Unknown") for group in ("Outputs", "Derivatives")]
    told = [unknown for unknown in sum(listed, []) if unknown.get("dependenciesKind")]
    assert bool(told) == (name == "HingedPanel")
    for unknown in told:
        assert unknown.get("dependencies") == unknown.get("index")
        assert unknown.get("dependenciesKind") == "constant"


def test_an_fmu_without_states_says_nothing_of_them():
    """The Python flavour is co-simulation alone: no `reinit`, and its outputs depend on inputs."""
    system = system_of("HingedPanel")
    root = xml_of(system, CAPABILITIES)
    assert not root.findall(".//Real[@reinit]")
    inputs = {i for i, v in enumerate(root.find("ModelVariables"), 1) if v.get("causality") in ("input", "independent")}
    for unknown in root.findall("./ModelStructure/Outputs/Unknown"):
        assert set(map(int, unknown.get("dependencies").split())) <= inputs
    assert xml_of(system).findall(".//Real[@reinit]")


def test_long_lists_that_have_all_inputs_are_left_out():
    """An initial unknown goes without; an output only where there are no inputs; a derivative that lacks an input has its list."""
    names = [f"p{i}" for i in range(LONG + 1)]
    assert left_out([names], [])
    assert left_out([names, ["force"]], ["force"])
    assert not left_out([names], ["force"])
    assert not left_out([[*names, "force"]], ["force", *NEVER])
    assert not left_out([names[:LONG]], [])


def test_fmi_3_without_arrays_has_every_list():
    """CasADi refuses an unknown without one."""
    system = system_of("FlexibleSatellite")
    depends, scalars = dependencies(system), scalars_of(system)
    for whole in (True, False):
        text = fmi3.model_description(system, arrays_of(system, scalars, whole), "{x}", depends)
        unknowns = [each for each in fromstring(text).find("ModelStructure") if each.tag != "EventIndicator"]
        assert any(each.get("dependencies") is None for each in unknowns) == whole


def test_a_chain_of_many_links_is_drawn():
    """Deeper than Python recurs."""
    count = 3 * sys.getrecursionlimit()
    tree = [Branch(body=f"b{i}", joint=f"j{i}", kind="revolute", parent=i - 1, modes=0) for i in range(count)]
    tree.append(Branch(body="side", joint="side", kind="free", parent=0, modes=2))
    lines = _drawn(SimpleNamespace(tree=tree))
    assert len(lines) == count + 2
    assert lines[1] == "  └─ b0 (j0: revolute)"
    assert lines[2] == "     ├─ b1 (j1: revolute)"
    assert lines[-1] == "     └─ side (free, 2 modes)"
