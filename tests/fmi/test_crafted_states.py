"""Forged saved states with a correct checksum: every number in them is checked, in both flavours."""

from __future__ import annotations

import math
import random
import struct

import pytest

from spacefmu.fmu_src.python import saved
from spacefmu.fmu_src.python.instance import Instance, Refusal
from tests.fmi.units import ERROR, OK, Unit, bring_to, status_of
from tests.systems_small import ALL, BALL, OSCILLATOR

HEADER = struct.Struct("<5Q")  # magic, version, bytes, guid, checksum: runtime/core/states.c
ILL = (math.nan, math.inf, -math.inf, 1e308, -1e308, -1.0, 0.0, 0.5, 2.0, 3.0, 7.0, 64.0, 1e9, 5e-324)


def checksum(data: bytes) -> int:
    """FNV-1a, as in the runtime."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def crafted(data: bytes, place: int, value: float) -> bytes:
    """The state with one number of its block replaced, and the checksum that goes with it."""
    head, block = HEADER.unpack_from(data), bytearray(data[HEADER.size :])
    struct.pack_into("<d", block, 8 * place, value)
    return HEADER.pack(*head[:4], checksum(block)) + bytes(block)


def bytes_of(instance: Unit) -> bytes:
    state = instance.fmu.getFMUstate()
    data = instance.fmu.serializeFMUstate(state)
    instance.fmu.freeFMUstate(state)
    return data


def running(instance: Unit, kind: str) -> Unit:
    """In the middle of a step ahead where there can be one, in continuous-time mode for model exchange."""
    if kind == "me":
        bring_to(instance, "continuous")
        return instance
    return instance.initialize(stop=100.0).run(0.05, 0.01)


@pytest.mark.parametrize("kind", ["cs", "me"])
@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_every_number_has_a_range(unit, system, kind):
    """NaN is in no range. A field that is added to the block without a row in runtime/core/saved.c would be accepted, and fails the test.

    Without a step ahead the seven rows and two ends of one, which lie together, are free. Oscillator has one.
    """
    instance = running(unit(system, kind), kind)
    data = bytes_of(instance)
    count = (len(data) - HEADER.size) // 8
    taken = [i for i in range(count) if status_of(instance.fmu.deSerializeFMUstate, crafted(data, i, math.nan)) == OK]
    free = 0 if (system, kind) == (OSCILLATOR, "cs") else 9 * system.nx
    first = taken[0] if taken else 0
    assert taken in ([], list(range(first, first + free)))


def test_what_is_wrong_is_said_by_name(unit):
    osc = running(unit(OSCILLATOR), "cs")
    data = bytes_of(osc)
    assert status_of(osc.fmu.deSerializeFMUstate, crafted(data, 0, 3.0)) == ERROR
    assert "mode is 3 in the saved state, which this instance does not have" in osc.log[-1][2]
    for place in range((len(data) - HEADER.size) // 8):
        status_of(osc.fmu.deSerializeFMUstate, crafted(data, place, 7.0))
    words = " | ".join(word for _, _, word in osc.log)
    assert "solver.method is 7 in the saved state, expected a whole number from 1 to 6" in words
    assert "locked is 7 in the saved state, expected a whole number from 0 to 1" in words
    assert "initialized is 7 in the saved state" in words


@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_what_is_taken_can_be_run(unit, system):
    """Any number in any place: rejected, or the instance continues without a crash (this file also runs under sanitizers)."""
    random.seed(30)
    for kind in ("cs", "me"):
        data = bytes_of(running(unit(system, kind), kind))
        count = (len(data) - HEADER.size) // 8
        for _ in range(60):
            instance = unit(system, kind)
            state = crafted(data, random.randrange(count), random.choice(ILL))
            for _ in range(random.randrange(2)):
                state = crafted(state, random.randrange(count), random.choice(ILL))
            if status_of(instance.fmu.deSerializeFMUstate, state) != OK:
                continue
            instance.fmu.setFMUstate(instance.fmu.deSerializeFMUstate(state))
            after = (instance.fmu.doStep, 0.05, 0.01) if kind == "cs" else (instance.fmu.newDiscreteStates,)
            for call in ((instance.everything,), after, (instance.everything,)):
                assert status_of(*call) in range(4)


def python_state(system) -> tuple[Instance, bytes]:
    instance = Instance(system, "test")
    instance.setup_experiment(0.0, 100.0, None)
    instance.enter_initialization()
    instance.exit_initialization()
    for i in range(5):
        instance.step(i * 0.01, 0.01)
    return instance, instance.save()


def python_crafted(instance, data: bytes, place: int, value: float) -> bytes:
    block = bytearray(data[4:])
    struct.pack_into("<d", block, 8 * place, value)
    return saved.checksum(instance, bytes(block)) + bytes(block)


@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_every_number_has_a_range_in_the_python_flavour(system):
    instance, data = python_state(system)
    before, count = instance.save(), (len(data) - 4) // 8
    taken = []
    for place in range(count):
        try:
            instance.restore(python_crafted(instance, data, place, math.nan))
            taken.append(place)
            instance.restore(data)
        except Refusal:
            assert instance.save() == before  # all or nothing
    ahead = instance.solver.ahead.ends > instance.solver.ahead.begins
    assert taken == ([] if ahead else list(range(count - 9 * system.nx, count)))


def test_the_python_flavour_says_what_is_wrong():
    instance, data = python_state(BALL)
    for place, sentence in (
        (0, "mode is 7 in the saved state"),
        (1, "initialized is 7 in the saved state, expected a whole"),
    ):
        with pytest.raises(Refusal, match=sentence):
            instance.restore(python_crafted(instance, data, place, 7.0))
    method = 4 + instance.p.size  # behind mode, initialized, stop_time, tolerance and the parameters
    with pytest.raises(Refusal, match=r"solver\.method is 7 in the saved state, expected a whole number from 1 to 6"):
        instance.restore(python_crafted(instance, data, method, 7.0))
