"""The loop of runs in C makes the calls that FMPy's loop makes: the same tables bit for bit, the same end of a run that fails or is stopped."""

import numpy as np
import pytest
from pythonfmu import FmuBuilder

from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.cosim import loop, single
from spacefmu.fmu_src.cosim.fmu import SimulationError
from spacefmu.fmu_src.native.platforms import beside
from spacefmu.fmu_src.results import Result
from tests.catalogue_fmus import fmu_file, system_of
from tests.session import once, session_folder

# An input with a jump between two communication points, and one that comes after its first row and ends before the stop
PUSH = Result(
    np.array([0.13, 0.5, 0.5, 1.31]),
    ("hub.torque[1]", "hub.force[2]"),
    np.array([[0.0, 1.0], [2.0, 1.5], [-1.0, 0.5], [3.0, 0.0]]),
)


def by_fmpy(monkeypatch, *run, **more):
    """A run by FMPy's own loop in Python."""
    with monkeypatch.context() as patch:
        patch.setattr(single, "serves", lambda description: False)
        return cosim.simulate(*run, **more)


def no_step_in_python(*arguments):
    raise AssertionError("a step was taken in Python")


def of_version(fmi: int):
    file = session_folder() / f"fmi{fmi}" / "HingedPanel.fmu"
    return fmu_file("HingedPanel") if fmi == 2 else once(file, lambda path: api.build(system_of("HingedPanel"), path, fmi=3))  # fmt: skip


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("step", [0.1, 0.17])
def test_same_bits_as_fmpys_loop(fmi, step, monkeypatch):
    inputs = PUSH if fmi == 2 else None  # arrays of FMI 3.0 follow no table
    run = of_version(fmi), 1.5, step, {"hub.mass": 700.0}, inputs
    theirs = by_fmpy(monkeypatch, *run)
    monkeypatch.setattr("fmpy.simulation.simulateCS", no_step_in_python)
    ours = cosim.simulate(*run)
    assert ours.names == theirs.names
    assert np.array_equal(ours.time, theirs.time)
    assert np.array_equal(ours.values, theirs.values)
    assert (ours.units, ours.remarks, ours.origin) == (theirs.units, theirs.remarks, theirs.origin)
    if fmi == 2:
        assert 0.5 in ours.time  # a communication point at the jump
    assert ours.time[-1] == 1.5


@pytest.mark.parametrize("name", ["SlewController", "SpaceManipulator", "TetheredMasses"])
def test_same_bits_with_samples_events_and_other_types(name, monkeypatch):
    """Integers, Booleans and discrete inputs among the variables."""
    path = fmu_file(name)
    theirs = by_fmpy(monkeypatch, path, stop=0.3)
    ours = cosim.simulate(path, stop=0.3)
    assert np.array_equal(ours.values, theirs.values)
    assert ours.origin == theirs.origin


def test_a_run_is_followed_and_stopped(monkeypatch):
    """The loop returns now and then: an answer of False ends the run with what there is."""
    monkeypatch.setattr(loop, "_PAUSE", 0.0)  # after every step
    seen = []
    result = cosim.simulate(
        fmu_file("HingedPanel"), 1.0, 0.1, on_progress=lambda share: seen.append(share) or share < 0.45
    )
    assert seen == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert result.time == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert np.array_equal(result.values, cosim.simulate(fmu_file("HingedPanel"), 0.5, 0.1).values)


def test_a_run_that_fails_has_its_results_until_then():
    """A parameter that takes the solver beyond its work: the last good point is the last row."""
    with pytest.raises(SimulationError, match="internal steps") as failed:
        cosim.simulate(fmu_file("TetheredMasses"), 2000.0, 1000.0, {"solver.method": "rk4", "solver.max_step": 1e-3})
    assert list(failed.value.so_far.time) == [0.0]


ENDING = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Real

class Ending(Fmi2Slave):
    def __init__(self, **keys):
        super().__init__(**keys)
        self.y = 0.0
        self.register_variable(Real("y", causality=Fmi2Causality.output))

    def do_step(self, time, step):
        self.y += step
        return time < 0.35
"""


def test_a_foreign_fmu_that_ends_its_run(tmp_path, monkeypatch):
    """Another tool's FMU: the same as by FMPy, which ends at the discarded step."""
    (tmp_path / "ending.py").write_text(ENDING)
    path = FmuBuilder.build_FMU(str(tmp_path / "ending.py"), dest=str(tmp_path))
    answers = []
    for run in (lambda: by_fmpy(monkeypatch, path, 1.0, 0.1), lambda: cosim.simulate(path, 1.0, 0.1)):
        try:
            answers.append(run().time.tolist())
        except SimulationError as error:
            answers.append(error.so_far.time.tolist())
    theirs, ours = answers
    assert ours == theirs[: len(ours)]
    assert ours[-1] == theirs[-1]


def test_without_a_compiler_python_steps(monkeypatch):
    monkeypatch.setenv("SPACEFMU_CC", "no-such-compiler")
    beside.loop_library.cache_clear()
    try:
        assert not loop.serves(cosim.Simulator(fmu_file("HingedPanel")).description)
        result = cosim.simulate(fmu_file("HingedPanel"), 0.2, 0.1)
    finally:
        monkeypatch.undo()
        beside.loop_library.cache_clear()
    assert np.array_equal(result.values, cosim.simulate(fmu_file("HingedPanel"), 0.2, 0.1).values)


def test_a_run_without_the_log_has_the_same_bits():
    path = fmu_file("TetheredMasses")
    told = cosim.simulate(path, stop=0.3)
    with cosim.Simulator(path, logged=False) as simulator:
        silent = simulator.run(stop=0.3)
    assert np.array_equal(silent.values, told.values)
    assert "solver" in told.origin
    assert not silent.origin
