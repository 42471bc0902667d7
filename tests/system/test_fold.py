"""Parameters that stay numbers: the same motion as with all of them live, shown as constants, refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.fold import NotLive, fold
from spacefmu.fmu_src import api
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.trace.traces import Traces
from spacefmu.fmu_src.python.instance import Instance, Refusal
from tests.catalogue_fmus import ENTRIES, system_of
from tests.fmi.units import ERROR, Built, Unit, status_of

CRAFT = """
name = "Folded"
[experiment]
stop = 4.0
step = 0.1
tolerance = 1e-10
[bodies.hub]
mass = 12.0
inertia = [2.0, 3.0, 4.0]
initial = { angular_velocity = [0.1, -0.2, 0.3] }
[bodies.arm]
mass = 1.5
mass_center = [0.3, 0.0, 0.0]
inertia = [0.1, 0.2, 0.3]
[joints.hinge]
parent = "hub"
child = "arm"
place = [0.5, 0.0, 0.2]
kind = "revolute"
axis = "y"
stiffness = 7.0
initial = { position = 0.3 }
"""
LIVE = '\n[parameters]\nlive = ["arm.mass", "arm.mass_center"]\n'


@pytest.mark.parametrize("name", ENTRIES)
def test_one_evaluation_is_the_same(name):
    """ẋ, y, g at the start with everything folded, on floats, of every catalogue entry."""
    system = system_of(name)
    folded = fold(system)
    assert folded.nk == 0
    for wanted, found in zip(motion(system, 0.0, *start(system)), motion(folded, 0.0, *start(folded)), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_names_of_what_stays_live():
    system = load_text(CRAFT)
    live = [
        p.name
        for p in fold(system, ["arm.mass_center", "*.inertia.xy", "hub.mass"]).signals.parameters
        if not p.constant
    ]
    assert live == ["hub.mass", "hub.inertia.xy", *(f"arm.mass_center[{i}]" for i in (1, 2, 3)), "arm.inertia.xy"]
    with pytest.raises(NotLive, match=r"'arm.mas' is not a parameter"):
        fold(system, ["arm.mas"])
    with pytest.raises(
        DescriptionError,
        match=r"parameters\.live is 'arm.mas', expected a parameter of Folded; did you mean 'arm.mass'",
    ):
        load_text(CRAFT + LIVE.replace('"arm.mass"', '"arm.mas"'))


def test_equations_become_shorter():
    system = load_text(CRAFT)
    whole, folded = (operations(each) for each in (system, fold(system)))
    assert folded < 0.75 * whole


def operations(system) -> int:
    return Traces(system).motion.results["rates"].n_instructions()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fold")
    system = load_text(CRAFT + LIVE)
    return {
        "live": api.build(load_text(CRAFT), folder / "live.fmu"),
        "native": api.build(system, folder / "native.fmu"),
        "python": api.build(system, folder / "python.fmu", flavour="python"),
        "all": api.build(load_text(CRAFT), folder / "all.fmu", fold=True),
    }


def run(path, **values):
    names = [s.name for s in load_text(CRAFT).signals.states]
    result = simulate_fmu(str(path), start_values={"arm.mass": 2.5} | values, output=names, fmi_type="CoSimulation")
    return np.array([result[name] for name in names])


@pytest.mark.parametrize("flavour", ["native", "python"])
def test_the_same_motion_with_a_live_parameter_changed(files, flavour):
    np.testing.assert_allclose(run(files[flavour]), run(files["live"]), atol=1e-11)


@pytest.mark.parametrize("flavour", ["native", "python", "all"])
def test_constants_are_shown_and_can_not_be_set(files, flavour):
    assert validate_fmu(str(files[flavour])) == []
    variables = {v.name: v for v in fmpy.read_model_description(str(files[flavour])).modelVariables}
    mass = variables["hub.mass"]
    assert (mass.causality, mass.variability, mass.initial, mass.start) == ("local", "constant", "exact", "12.0")
    assert (variables["arm.mass"].causality == "parameter") == (flavour != "all")
    result = simulate_fmu(str(files[flavour]), stop_time=0.1, output=["hub.mass"], fmi_type="CoSimulation")
    assert result["hub.mass"][-1] == 12.0
    with pytest.raises(
        ValueError, match=r"hub\.mass can.t be set: it is a constant of .*fmu; name it in \[parameters\] live"
    ):
        api.simulate(files[flavour], start_values={"hub.mass": 13.0})


def test_an_fmu_refuses_to_set_a_constant(files, tmp_path):
    """Both flavours with the same words, whatever a host thinks of constants."""
    folder = Path(fmpy.extract(str(files["native"]), str(tmp_path)))
    built = Built(load_text(CRAFT + LIVE), folder, fmpy.read_model_description(str(folder)).guid, "Folded", variables())
    unit = Unit(built)
    assert status_of(unit.set, {"hub.mass": 13.0}) == ERROR
    assert (
        unit.log[-1][2]
        == "fmi2SetReal: hub.mass is a constant of this FMU; name it in [parameters] live and build again"
    )
    unit.free()
    instance = Instance(load_text(CRAFT + LIVE), "")
    with pytest.raises(Refusal, match=r"fmi2SetReal: hub\.mass is a constant of this FMU"):
        instance.set([variables()["hub.mass"].reference], [13.0], ("real",))


def variables():
    return {v.name: v for v in variables_of(load_text(CRAFT + LIVE))}


def test_parameters_of_variables_without_a_table_are_live():
    assert all(v.causality == "parameter" for v in variables_of(load_text(CRAFT)) if v.name in ("hub.mass", "arm.mass"))
