"""The master: exchange at one instant, connections as data, and wrong systems."""

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError
from spacefmu.fmu_src import cosim
from tests.catalogue_fmus import fmu_file

SYSTEM = """
kind = "system"
name = "Slew"
step = 0.1
stop = 3.0
{more}

[units.{first}]
model = "{first_model}"

[units.{second}]
model = "{second_model}"

[connections]
"controller.quaternion" = "plant.hub.quaternion"
"controller.angular_velocity" = "plant.hub.angular_velocity"
"plant.hub.torque" = "controller.torque"
"""
UNITS = {"plant": "HingedPanel", "controller": "AttitudeController"}


@pytest.fixture(scope="module")
def fmus():
    return {unit: fmu_file(model) for unit, model in UNITS.items()}


def system(tmp_path, more="", order=("plant", "controller"), text=SYSTEM):
    path = tmp_path / "system.toml"
    first, second = order
    path.write_text(
        text.format(more=more, first=first, second=second, first_model=UNITS[first], second_model=UNITS[second])
    )
    return cosim.read_system(path)


START = {"plant": {"hub.angular_velocity": 0.01}}


def spinning(coupled):
    units = {name: unit.model_copy(update={"start": START.get(name, {})}) for name, unit in coupled.units.items()}
    return coupled.model_copy(update={"units": units})


def test_sampled_torque_is_fresh(fmus, tmp_path):
    """The torque of every instant is the control law on the attitude of the same instant: T = −K e − D ω before the slew."""
    result = cosim.cosimulate(spinning(system(tmp_path)), fmus)
    law = -result["controller.error"] * [19.0, 6.0, 20.0] - result["plant.hub.angular_velocity"] * [
        140.0,
        45.0,
        150.0,
    ]  # AttitudeController.toml
    assert np.abs(law).max() > 1.0
    assert np.abs(result["controller.torque"] - law).max() < 1e-12  # measured 0 to 2e-16


def test_order_of_units_does_not_matter(fmus, tmp_path):
    """Without an algebraic loop the exchange settles on the same values, whoever is asked first."""
    one = cosim.cosimulate(spinning(system(tmp_path)), fmus)
    other = cosim.cosimulate(spinning(system(tmp_path, order=("controller", "plant"))), fmus)
    for name in one.names:
        assert np.array_equal(one[name], other[name]), name


def test_jacobi_is_a_step_late(fmus, tmp_path):
    """All outputs first, then all inputs: what the plant gets at tₙ was computed from the attitude at tₙ₋₁."""
    fresh = cosim.cosimulate(spinning(system(tmp_path)), fmus)
    late = cosim.cosimulate(spinning(system(tmp_path, 'algorithm = "jacobi"')), fmus)
    difference = np.abs(fresh["plant.hub.angular_velocity"] - late["plant.hub.angular_velocity"]).max()
    assert 1e-6 < difference < 1e-3  # a delay of h = 0.1 s in a loop of 0.03 Hz


def test_angular_momentum_is_the_integral_of_the_torque(fmus, tmp_path):
    """Ḣ_N = R T_B: the torque is held in body axes, so Simpson's rule over a step is not exact, but nearly."""
    result = cosim.cosimulate(spinning(system(tmp_path)), fmus)
    momentum = result["plant.system.angular_momentum"]
    impulse = np.cumsum(result["controller.torque"][:-1] * 0.1, axis=0)
    change = momentum[1:] - momentum[0]
    assert np.abs(change - impulse).max() < 0.01 * np.abs(change).max()  # the satellite turns by less than 1 degree


WRONG = {
    "no unit of that name": (('"plant.hub.torque"', '"plnt.hub.torque"'), "'plnt.hub.torque': [units] has no 'plnt'"),
    "no such variable": (("plant.hub.quaternion", "plant.hub.quaternon"), "did you mean 'hub.quaternion"),
    "not an input": (('"plant.hub.torque"', '"plant.hub.velocity"'), "not an input"),
    "different sizes": (
        ('"controller.torque"', '"controller.reference.quaternion"'),
        "has 4 elements, but plant.hub.torque has 3",
    ),
    "no step": (("step = 0.1", ""), "step is missing"),
    "negative step": (("step = 0.1", "step = -0.1"), "step is -0.1, expected a number greater than 0"),
    "unknown key": (("step = 0.1", "setp = 0.1"), "has the unknown key 'setp'; did you mean 'st"),
    "unknown algorithm": (("stop = 3.0", 'stop = 3.0\nalgorithm = "jacoby"'), "did you mean 'jacobi'?"),
    "no model": (('model = "{first_model}"', "model = 3"), "units.plant.model is 3, expected a text"),
    "not an output": (('"controller.torque"', "3"), "connections.plant.hub.torque is 3, expected an output such as"),
    "unknown key of a link": (
        ('"controller.torque"', '{{ from = "controller.torque", factr = 2 }}'),
        "unknown key 'factr'; did you mean 'factor'?",
    ),
    "not TOML": (("stop = 3.0", "stop = "), "line 5"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_systems(case, fmus, tmp_path):
    (old, new), sentence = WRONG[case]
    with pytest.raises((DescriptionError, ValueError)) as caught:
        cosim.cosimulate(system(tmp_path, text=SYSTEM.replace(old, new)), fmus)
    assert sentence in str(caught.value)


def test_what_an_fmu_refuses_is_said(fmus, tmp_path):
    coupled = system(tmp_path)
    units = dict(coupled.units) | {"plant": coupled.units["plant"].model_copy(update={"start": {"hub.mass": -1.0}})}
    with pytest.raises(RuntimeError, match=r"plant \(HingedPanel.fmu\).*hub.mass"):
        cosim.cosimulate(coupled.model_copy(update={"units": units}), fmus)
