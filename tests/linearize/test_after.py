"""Linear models about the end of a run: those of the states that the run ended with, set by hand."""

from __future__ import annotations

import json
import re
import zipfile

import numpy as np
import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.linearize.files import read
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from spacefmu.fmu_src.results import Result
from tests.catalogue_fmus import fmu_file, system_of
from tests.cli.command import in_this_process

MATRICES = ("A", "B", "C", "D", "x", "u", "y", "x_dot")


def same(model, expected, bound: float, keys=MATRICES) -> None:
    assert model.states == expected.states
    assert model.time == expected.time
    for key in keys:
        found, wanted = getattr(model, key), getattr(expected, key)
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=bound * np.max(np.abs(wanted), initial=1.0))


def ended(fmu, system, stop: float, *run) -> dict[str, float]:
    """States and discrete states at the end of a plain simulation."""
    names = [signal.name for group in ("states", "discretes") for signal in getattr(system.signals, group)]
    result = api.simulate(fmu, stop, *run, record=names)
    return dict(zip(result.names, result.values[-1], strict=True))


def test_a_latch_that_has_closed():
    """A loop whose latch closes on the way: two states less, and where it holds is in discrete states. Found: 9e-16; FMU 6e-16."""
    system, fmu = system_of("DeployableFourBar"), fmu_file("DeployableFourBar")
    exact = {"derivatives": ExactDerivatives(system)}
    model = api.linearize(system, after=20.0, **exact)
    by_hand = api.linearize(system, time=20.0, values=ended(fmu, system, 20.0), **exact)
    assert model.point["latch.close"] == 1.0
    assert (len(model.states), len(api.linearize(system, **exact).states)) == (12, 14)
    same(model, by_hand, 1e-13)
    by_fmu, full = api.linearize(fmu, after=20.0), api.linearize(system, after=20.0, full_form=True, **exact)
    same(by_fmu, full, 1e-12, ("A", "x", "x_dot"))


@pytest.fixture(scope="module")
def torque():
    """Of the hub, straight between instants, until after the end of the run; at 2.03 s 0.297 Nm."""
    return Result(
        np.array([0.0, 1.0, 3.0]), ("hub.torque[1]",), np.array([[0.0], [0.4], [0.2]]), {"hub.torque[1]": "N.m"}
    )


def test_a_run_driven_by_a_table(torque):
    """Inputs are the table's at the very end, parameters those that were set, also of the solver. Found: no difference."""
    system, fmu = system_of("HingedPanel"), fmu_file("HingedPanel")
    values = {"hub.mass": 300.0, "panel.mode[1].amplitude": 0.01, "solver.tolerance": 1e-6}
    model = api.linearize(system, after=2.03, driven_by=torque, values=values)
    at = ended(fmu, system, 2.03, None, values, torque)
    by_hand = api.linearize(system, time=2.03, values={"hub.mass": 300.0, "hub.torque[1]": 0.297, **at})
    same(model, by_hand, 1e-13)
    assert model.u[[i.name for i in model.inputs].index("hub.torque[1]")] == pytest.approx(0.297)
    assert np.max(np.abs(model.x_dot)) > 1e-3
    by_fmu = api.linearize(fmu, after=2.03, driven_by=torque, values=values)
    full = api.linearize(system, after=2.03, driven_by=torque, values=values, full_form=True)
    same(by_fmu, full, 1e-12, ("A", "B", "x", "u", "x_dot"))


def test_an_fmu_for_model_exchange_alone(torque, tmp_path):
    """The host integrates it: FMPy's CVode, at a tolerance of 1e-5; at 1e-9 it ends with an error (docs/help.md)."""
    cut = tmp_path / "cut.fmu"
    with zipfile.ZipFile(fmu_file("HingedPanel")) as whole, zipfile.ZipFile(cut, "w") as part:
        for name in whole.namelist():
            data = whole.read(name)
            if name == "modelDescription.xml":
                data = re.sub(rb"<CoSimulation.*?</CoSimulation>", b"", data, count=1, flags=re.DOTALL)
                data = re.sub(rb'tolerance="1e-09"', b'tolerance="1e-5"', data, count=1)
            part.writestr(name, data)
    values = {"panel.mode[1].amplitude": 0.01}
    found, expected = (api.linearize(f, after=2.03, driven_by=torque, values=values) for f in (cut, fmu_file("HingedPanel")))  # fmt: skip
    same(found, expected, 1e-3, ("A", "B", "x", "u"))


def test_refused():
    system = system_of("HingedPanel")
    with pytest.raises(ValueError, match=r"give its end with `after`"):
        api.linearize(system, driven_by=Result(np.zeros(1), (), np.zeros((1, 0)), {}))
    for more in ({"grid": {"hub.mass": [1.0, 2.0]}}, {"time": 1.0}):
        with pytest.raises(ValueError, match=r"leave out grid and time"):
            api.linearize(system, after=1.0, **more)
    with pytest.raises(ValueError, match=r"stop is -1 s; must be positive"):
        api.linearize(system, after=-1.0)
    with pytest.raises(ValueError, match=r"'hub.weight' is not a variable of HingedPanel.fmu"):
        api.linearize(system, after=1.0, values={"hub.weight": 1.0})
    with pytest.raises(ValueError, match=r"trim is not supported for an FMU"):
        api.linearize(fmu_file("HingedPanel"), after=1.0, trim=["panel.*"])


def test_command(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "torque.csv").write_text("time,hub.torque[1]\n0,0.1\n3,0.1\n")
    in_this_process("spacefmu linearize HingedPanel --after 2 --driven-by torque.csv -o p.json --json")
    assert not json.loads(capfd.readouterr().out)["equilibrium"]
    assert read(tmp_path / "p.json").time == 2.0
    in_this_process("spacefmu linearize HingedPanel --driven-by torque.csv", 2)
    assert "give its end with --after [s]" in capfd.readouterr().err
    in_this_process("spacefmu linearize HingedPanel --after 2 --time 1", 2)
    assert "--after runs one model from 0 s" in capfd.readouterr().err
