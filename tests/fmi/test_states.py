"""Saved states: rollback bit for bit in every solver and across events, other processes, damage, reset."""

from __future__ import annotations

import subprocess
import sys

import pytest

from spacefmu.fmu_src.interface.variables import METHODS
from tests.fmi.units import ERROR, OK, status_of
from tests.systems_small import ALL, BALL, LATCH, OSCILLATOR, PENDULUM, SAMPLER


@pytest.mark.parametrize("method", range(1, len(METHODS) + 1))
@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_rollback_is_exact(unit, system, method):
    """Save in the middle, step on over events, restore, step again: every variable equal bit for bit."""
    fmu = unit(system).initialize(solver__method=method)
    fmu.run(0.3, 0.1)
    saved = fmu.fmu.getFMUstate()
    first = fmu.run(1.5, 0.1, start=0.3).everything()
    fmu.fmu.setFMUstate(saved)
    assert fmu.run(1.5, 0.1, start=0.3).everything() == first
    fmu.fmu.freeFMUstate(saved)


def test_rollback_includes_inputs_and_their_derivatives(unit):
    osc = unit(OSCILLATOR).initialize(force=0.2)
    osc.fmu.setRealInputDerivatives(osc.references("force"), [2], [0.7])
    saved = osc.fmu.getFMUstate()
    osc.fmu.doStep(0.0, 0.5)
    first = osc.everything()
    osc.set({"force": -3.0})
    osc.fmu.setFMUstate(saved)
    osc.fmu.doStep(0.0, 0.5)
    assert osc.everything() == first
    osc.fmu.freeFMUstate(saved)


def test_rollback_brings_parameters_and_mode_back(unit):
    osc = unit(OSCILLATOR)
    fresh = osc.fmu.getFMUstate()
    osc.initialize(frequency=5.0).run(1.0, 0.5)
    osc.fmu.terminate()
    osc.fmu.setFMUstate(fresh)
    osc.initialize()
    assert osc["frequency"] == 2.0
    assert osc["position"] == 1.0
    osc.fmu.freeFMUstate(fresh)


@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_reset_gives_the_fresh_instance(unit, system):
    """Values set, steps and events leave no trace."""
    fresh = unit(system)
    used = unit(system)
    used.set({s.name: s.start + 0.25 for s in system.signals.parameters if s.kind == "real" and s.max is None})
    used.initialize(tolerance=1e-4, solver__method=2).run(1.0, 0.25)
    used.fmu.reset()
    for each in (fresh, used):
        each.initialize().run(1.0, 0.25)
    assert used.everything() == fresh.everything()


def test_a_serialized_state_continues_in_another_process(unit, built, tmp_path):
    """Bit for bit: a new process, a new instance, the bytes of the state, and on over the next bounce."""
    ball = unit(BALL).initialize().run(0.4, 0.1)
    saved = ball.fmu.getFMUstate()
    (tmp_path / "state").write_bytes(ball.fmu.serializeFMUstate(saved))
    ball.fmu.freeFMUstate(saved)
    expected = ball.run(1.0, 0.1, start=0.4).everything()
    program = f"""
import fmpy.fmi2, pathlib, sys
fmu = fmpy.fmi2.FMU2Slave(guid={built(BALL).guid!r}, unzipDirectory={str(built(BALL).folder)!r}, modelIdentifier="Ball", instanceName="other")
fmu.instantiate()
state = fmu.deSerializeFMUstate(pathlib.Path({str(tmp_path / "state")!r}).read_bytes())
fmu.setFMUstate(state)
for i in range(6):
    t = 0.4 + i * 0.1
    fmu.doStep(t, (0.4 + (i + 1) * 0.1) - t)
print([value.hex() for value in fmu.getReal([1, 2])])
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == str([value.hex() for value in ball.fmu.getReal([1, 2])])
    assert ball.everything() == expected


def damaged(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda data: damaged(data, 0), "not a saved state"),
        (lambda data: damaged(data, 8), "another version"),
        (lambda data: damaged(data, 16), "another size"),
        (lambda data: damaged(data, 24), "another GUID"),
        (lambda data: damaged(data, len(data) - 1), "checksum"),
        (lambda data: data[:-8], "bytes, expected"),
        (lambda data: b"", "bytes, expected"),
    ],
    ids=["magic", "version", "size", "guid", "content", "short", "empty"],
)
def test_damaged_bytes_are_refused(unit, spoil, reason):
    latch = unit(LATCH).initialize().run(1.0, 0.5)
    saved = latch.fmu.getFMUstate()
    data = latch.fmu.serializeFMUstate(saved)
    latch.fmu.freeFMUstate(saved)
    assert status_of(latch.fmu.deSerializeFMUstate, spoil(data)) == ERROR
    assert reason in latch.log[-1][2]


def test_states_of_other_fmus_and_types_are_refused(unit):
    exchange = unit(PENDULUM, "me").initialize()
    foreign = unit(SAMPLER).initialize()
    for other, reason in ((exchange, "other FMI type"), (foreign, "another GUID")):
        pendulum = unit(PENDULUM).initialize()
        state = other.fmu.getFMUstate()
        data = other.fmu.serializeFMUstate(state)
        assert status_of(pendulum.fmu.deSerializeFMUstate, data.ljust(4096, b"\0")) == ERROR
        assert reason in pendulum.log[-1][2]
        other.fmu.freeFMUstate(state)


def test_after_an_error_a_saved_state_brings_the_instance_back(unit):
    osc = unit(OSCILLATOR).initialize()
    saved = osc.fmu.getFMUstate()
    assert status_of(osc.fmu.doStep, 0.0, -1.0) == ERROR
    assert status_of(osc.fmu.doStep, 0.0, 0.1) == ERROR
    osc.fmu.setFMUstate(saved)
    assert status_of(osc.fmu.doStep, 0.0, 0.1) == OK
    osc.fmu.freeFMUstate(saved)


def test_two_instances_do_not_touch_each_other(unit):
    a, alone = unit(BALL).initialize(), unit(BALL).initialize()
    b = unit(BALL).initialize(restitution=0.7, solver__method=2)
    alone.run(1.5, 0.1)
    for i in range(15):
        for each in (a, b):
            each.fmu.doStep(i * 0.1, (i + 1) * 0.1 - i * 0.1)
    assert a.everything() == alone.everything()
    assert b["height"] != a["height"]
