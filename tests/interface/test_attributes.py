"""Attributes of the model description that hosts use: origin and date, bounds, kinds of dependencies, what is a state."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.signals import SMALLEST
from spacefmu.fmu_src.interface.capabilities import NATIVE
from spacefmu.fmu_src.interface.description import model_description
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
    """One for each dependency; constant where a state is shown as it is."""
    root = xml_of(system_of(name))
    names = [variable.get("name") for variable in root.find("ModelVariables")]
    for unknown in root.findall("./ModelStructure/Outputs/Unknown") + root.findall(
        "./ModelStructure/Derivatives/Unknown"
    ):
        on, kinds = unknown.get("dependencies").split(), unknown.get("dependenciesKind", "").split()
        assert len(on) == len(kinds)
        constant = {names[int(i) - 1] for i, kind in zip(on, kinds, strict=True) if kind == "constant"}
        assert constant <= {names[int(unknown.get("index")) - 1]}


def test_an_fmu_without_states_says_nothing_of_them():
    """The Python flavour is co-simulation alone: no `reinit`, and its outputs depend on inputs."""
    system = system_of("HingedPanel")
    root = xml_of(system, CAPABILITIES)
    assert not root.findall(".//Real[@reinit]")
    inputs = {i for i, v in enumerate(root.find("ModelVariables"), 1) if v.get("causality") in ("input", "independent")}
    for unknown in root.findall("./ModelStructure/Outputs/Unknown"):
        assert set(map(int, unknown.get("dependencies").split())) <= inputs
    assert xml_of(system).findall(".//Real[@reinit]")
