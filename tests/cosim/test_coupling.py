"""Bad coupling is named before the run, and a unit that fails on the way leaves the results until then."""

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError
from spacefmu.fmu_src import cosim
from spacefmu.fmu_src.archive.description import read_description
from spacefmu.fmu_src.cosim.coupling import connected
from spacefmu.fmu_src.cosim.fmu import SimulationError
from spacefmu.fmu_src.cosim.real_time import RealTimeClock
from tests.catalogue_fmus import fmu_file

GOOD = {
    "controller.quaternion": "plant.hub.quaternion",
    "controller.angular_velocity": "plant.hub.angular_velocity",
    "plant.hub.torque": "controller.torque",
}
MODELS = {"plant": "HingedPanel", "controller": "AttitudeController", "second": "AttitudeController"}


def coupled(connections, units=("plant", "controller"), **more):
    data = {"name": "Slew", "step": 0.1, "stop": 1.0} | more
    return cosim.CoupledSystem(units={unit: {"model": MODELS[unit]} for unit in units}, connections=connections, **data)


def fmus(system):
    return {unit: fmu_file(MODELS[unit]) for unit in system.units}


def links(system):
    return connected(system, {unit: read_description(path) for unit, path in fmus(system).items()})


def test_good_connections_are_scalars():
    wired = links(coupled(GOOD))
    assert len(wired) == 4 + 3 + 3
    assert str(wired[0]) == "plant.hub.quaternion[1] → controller.quaternion[1]"
    # ±1 keeps the unit, any other factor may have one of its own
    assert links(coupled({"plant.hub.force[1]": {"from": "controller.torque[1]", "factor": 2.0}}))


LOOP = {
    "second.angular_velocity": {"from": "controller.torque", "factor": 0.5},
    "controller.angular_velocity": {"from": "second.torque", "factor": 0.5},
}
BAD = {
    "unknown unit": (GOOD | {"plnt.hub.torque": "controller.torque"}, "'plnt.hub.torque': [units] has no 'plnt'; did you mean 'plant'"),
    "unknown variable": (GOOD | {"plant.hub.torqe": "controller.torque"}, "'hub.torqe' is not a variable of plant; did you mean 'hub.torque'"),
    "sizes": (GOOD | {"plant.hub.torque": "plant.hub.quaternion"}, "plant.hub.quaternion has 4 elements, but plant.hub.torque has 3"),
    "dimension": ({"plant.hub.force": "controller.torque"}, "controller.torque[1] → plant.hub.force[1]: the units are N.m and N, which are incompatible"),
    "driven twice": (GOOD | {"plant.hub.torque[2]": "controller.torque[1]"}, "plant.hub.torque[2] is driven twice, by controller.torque[2] and controller.torque[1]"),
    "a parameter": (GOOD | {"plant.hub.mass": {"from": "controller.torque[1]", "factor": 2.0}}, "plant.hub.mass is a parameter, which an output can't drive"),
    "an output": (GOOD | {"plant.hub.velocity": {"from": "controller.torque", "factor": 2.0}}, "plant.hub.velocity[1] is an output: it is not an input"),
    "from an input": (GOOD | {"plant.hub.torque": "plant.hub.torque"}, "plant.hub.torque[1] is an input; connect an output"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_connections(case):
    connections, sentence = BAD[case]
    with pytest.raises(DescriptionError) as caught:
        links(coupled(connections))
    assert any(sentence in problem for problem in caught.value.problems)
    with pytest.raises(DescriptionError):  # and so before a run
        cosim.cosimulate(coupled(connections), fmus(coupled(connections)))


def test_an_algebraic_loop_is_shown_all_the_way_round():
    units = ("controller", "second")
    with pytest.raises(DescriptionError) as caught:
        links(coupled(LOOP, units))
    (problem,) = caught.value.problems
    way = problem.removeprefix("algebraic loop: ").split(";")[0].split(" → ")
    assert way[0] == way[-1]
    assert len(way) == 5  # output → input → output → input → output
    assert links(coupled(LOOP, units, algorithm="jacobi"))
    assert links(coupled({"second.angular_velocity": LOOP["second.angular_velocity"]}, units))


def test_a_unit_that_fails_leaves_the_results_until_then(monkeypatch):
    """The controller refuses its sixth step: six points are there, the same as in a run that goes on."""
    system = coupled(GOOD)
    whole = cosim.cosimulate(system, fmus(system), starts={"plant": {"hub.angular_velocity": 0.01}})
    calls = []
    call = cosim.fmu.Slave.call

    def refuse(self, function, *arguments, **named):
        if function == "doStep" and self.name == "controller":
            calls.append(named)
            if len(calls) == 6:
                raise SimulationError("controller refused doStep: as the test wants")
        return call(self, function, *arguments, **named)

    monkeypatch.setattr(cosim.fmu.Slave, "call", refuse)
    with pytest.raises(SimulationError, match="as the test wants") as caught:
        cosim.cosimulate(system, fmus(system), starts={"plant": {"hub.angular_velocity": 0.01}})
    part = caught.value.so_far
    assert np.allclose(part.time, 0.1 * np.arange(6))
    assert np.array_equal(part.values, whole.values[:6])


def test_paced_runs_take_their_time_and_count_what_was_late():
    system = coupled(GOOD)
    patient, hasty = RealTimeClock(speed=5.0), RealTimeClock(speed=1e12)
    results = [cosim.cosimulate(system, fmus(system), clock=clock) for clock in (patient, hasty)]
    assert np.array_equal(results[0].values, results[1].values)
    assert patient.numbers()["steps"] == hasty.numbers()["steps"] == 10
    assert hasty.numbers()["overruns"] == 10
    assert np.all(patient.jitter >= 0.0)  # no step begins before it is due
    assert np.all(hasty.jitter >= -hasty.slack)  # what comes late begins at least as late


@pytest.mark.parametrize("speed", [0.0, -1.0, np.inf])
def test_no_such_speed(speed):
    with pytest.raises(ValueError, match="must be positive"):
        RealTimeClock(speed)
