"""FMUs that are loaded once and run often: a run gives the same bits, whatever ran before it."""

import fmpy
import numpy as np
import pytest

from spacefmu.fmu_src import cosim
from spacefmu.fmu_src.cosim.fmu import SimulationError
from spacefmu.fmu_src.results.solver import work_of
from tests.catalogue_fmus import fmu_file

HEAVY = {"hub.mass": 700.0, "panel.mode[1].amplitude": 0.01}


@pytest.mark.parametrize("flavour", ["native", "python"])
def test_one_fmu_again_and_again(flavour):
    path = fmu_file("HingedPanel", flavour)
    alone = cosim.simulate(path, stop=1.0, start_values=HEAVY)
    with cosim.Simulator(path) as simulator:
        plain = simulator.run(stop=2.0)
        if flavour == "native":  # FMPy gets no status from a Python FMU (fmu_src/python/limits.py)
            with pytest.raises(SimulationError, match=r"hub"):
                simulator.run(stop=1.0, start_values={"hub.inertia.xx": -1e4})
        for _ in range(2):
            again = simulator.run(stop=1.0, start_values=HEAVY)
            assert np.array_equal(again.values, alone.values)
            assert again.origin == alone.origin
        assert np.array_equal(simulator.run(stop=2.0).values, plain.values)
    assert not np.array_equal(plain.values[: len(alone.time)], alone.values)
    work = work_of(alone.origin["solver"][""])
    assert work.to_points + work.to_events + work.by_limit + work.by_tolerance == work.steps
    assert work.to_points == len(alone.time) - 1  # a step ends at every communication point
    assert work.to_events == work.by_limit == 0


def test_each_fmu_is_heard_by_its_own():
    """FMPy has one listener a process: the last one. What an FMU says belongs to its own run, and after that to nobody."""
    wrong = {"hub.inertia.xx": -1e4}
    with cosim.Simulator(fmu_file("HingedPanel")) as first:
        plain = first.run(stop=1.0)
        with cosim.Simulator(fmu_file("FourBar")) as second:
            other = second.run(stop=0.1)
            assert first.run(stop=1.0).origin == plain.origin
            with pytest.raises(SimulationError, match=r"hub"):
                first.run(stop=1.0, start_values=wrong)
            assert second.run(stop=0.1).origin == other.origin
            heard = list(first._said)
    fmpy.simulate_fmu(str(fmu_file("HingedPanel")), stop_time=1.0, debug_logging=True)
    assert heard == first._said


def test_a_system_again_and_again():
    system = cosim.CoupledSystem(
        name="Slew",
        step=0.1,
        stop=2.0,
        units={"plant": {"model": "HingedPanel"}, "controller": {"model": "AttitudeController"}},
        connections={
            "controller.quaternion": "plant.hub.quaternion",
            "controller.angular_velocity": "plant.hub.angular_velocity",
            "plant.hub.torque": "controller.torque",
        },
    )
    fmus = {"plant": fmu_file("HingedPanel"), "controller": fmu_file("AttitudeController")}
    starts = {"plant": {"hub.angular_velocity": 0.01}}
    alone = cosim.cosimulate(system, fmus, starts=starts)
    with cosim.Master(system, fmus) as master:
        still = master.run()
        again = master.run(starts)
        assert np.array_equal(again.values, alone.values)
        assert again.origin == alone.origin
        part = master.run(starts, record=["controller.torque", "plant.hub.mass"])
        assert part.names == ("plant.hub.mass", *(f"controller.torque[{i}]" for i in (1, 2, 3)))
        assert np.array_equal(part["controller.torque"], alone["controller.torque"])
        assert np.array_equal(master.run().values, still.values)
    assert np.abs(alone["controller.torque"]).max() > 1.0
    assert set(alone.origin["solver"]) == {"plant", "controller"}
    assert all(work_of(words) for words in alone.origin["solver"].values())
    assert np.abs(still["controller.torque"]).max() < 1e-12
