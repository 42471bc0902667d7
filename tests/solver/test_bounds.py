"""Bounds that matter to hosts: work of a step, floating-point traps, memory of a method, messages about stiffness."""

from __future__ import annotations

import re

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import fmi2CallbackAllocateMemoryTYPE, fmi2CallbackFreeMemoryTYPE

from spacefmu.dynamics import bounds
from spacefmu.dynamics.algebra.scalar import where
from spacefmu.dynamics.solver.loop import Solver, StepFailed
from spacefmu.dynamics.solver.methods import DENSE_ROWS, METHODS, N_ORDERS
from spacefmu.dynamics.solver.tableau import DOP853
from spacefmu.dynamics.system.contract import About, Staged, System
from spacefmu.dynamics.system.evaluate import start
from spacefmu.dynamics.system.signals import Signal, SignalTable
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.cosim.single import Simulator
from spacefmu.fmu_src.interface import variables
from spacefmu.fmu_src.native.c.bounds_header import bounds_header
from spacefmu.fmu_src.native.c.tableau_header import tableau_header
from spacefmu.fmu_src.native.platforms.compile import CORE
from tests.fmi.test_host import host  # noqa: F401  a fixture
from tests.fmi.units import DISCARD, OK, Unit, status_of
from tests.systems_small import OSCILLATOR, RELAXATION

STIFF = {"rate": 1e6}  # an explicit method needs steps of some 6e-6 s


def python_solver(system, parameters=(), inputs=(), tolerance=1e-8) -> Solver:
    p = np.array(system.signals.starts("parameters"))
    for name, value in dict(parameters).items():
        p[system.signals.where("parameters", name)] = value
    x, u, k, d = start(system, p=p)
    for name, value in dict(inputs).items():
        u[system.signals.where("inputs", name)] = value
    solver = Solver(system, tolerance=tolerance)
    solver.place(0.0, x, u, k, d)
    return solver


def test_both_flavours_have_the_same_bounds():
    """The header has every number of the module and the sizes of the methods, and no C file a second copy."""
    found = dict(re.findall(r"^#define (\w+) (\S+)$", bounds_header(), re.MULTILINE))
    sizes = {"N_ORDERS": N_ORDERS, "MOST_DENSE_ROWS": DENSE_ROWS, "MOST_STAGES": len(DOP853.a)}
    expected = {name: value for name, value in vars(bounds).items() if name.isupper()} | sizes
    assert {name: float(value) for name, value in found.items()} == expected
    for path in CORE.iterdir():
        assert not set(re.findall(r"^#define (\w+)", path.read_text(), re.MULTILINE)) & set(found), path.name


def test_both_flavours_have_the_same_methods():
    """In the order of solver.method, with the orders of their estimates and the coefficients of their pairs."""
    text = tableau_header()
    rows = re.findall(r"\{(\w+)_pairs, (\d), (\d), (-?\d)\}", text)
    stiff = [str(METHODS.index(m.stiff)) if m.stiff else "-1" for m in METHODS]
    assert rows == [(m.name, str(len(m.pairs)), str(int(m.bounded)), s) for m, s in zip(METHODS, stiff, strict=True)]
    orders = re.findall(r"_step, ([\d.]+), ([\d.]+), ", text)
    assert [tuple(map(float, pair)) for pair in orders] == [(p.order, p.first_order) for m in METHODS for p in m.pairs]
    assert tuple(method.name for method in METHODS) == variables.METHODS


def test_a_step_of_all_time_is_given_up_soon(unit):
    """1e308 s of an oscillator of 2 rad/s: after FIRST_LOOK internal steps it is clear that TRY_LIMIT would be exceeded."""
    instance = unit(OSCILLATOR).initialize()
    assert status_of(instance.fmu.doStep, 0.0, 1e308) == DISCARD
    taken = int(re.search(r"has taken (\d+) internal steps and needs too many more", instance.log[-1][2])[1])
    assert taken == bounds.FIRST_LOOK
    reached = instance.fmu.getRealStatus(2)  # fmi2LastSuccessfulTime
    assert 100.0 < reached < 1e6
    assert instance["position"] == pytest.approx(np.cos(2.0 * reached), abs=1e-3)


def test_steps_at_a_steady_pace_go_on(unit):
    """More than FIRST_LOOK internal steps are allowed if the end of the communication step is within reach."""
    instance = unit(RELAXATION).initialize(**STIFF)
    assert status_of(instance.fmu.doStep, 0.0, 0.2) == OK
    assert instance["value"] == pytest.approx(np.cos(0.2), abs=1e-6)


def test_huge_inputs_are_taken_or_get_a_reason(unit):
    """1e150: a first step of length zero once failed without a message; now it succeeds. 1e300: the message gives the reason."""
    for size, answer in ((1e150, OK), (1e300, DISCARD)):
        instance = unit(OSCILLATOR).initialize()
        instance.set({"force": size})
        assert status_of(instance.fmu.doStep, 0.0, 0.1) == answer
    assert re.search(r"fmi2DoStep: at time \S+ \w.*; last successful time", instance.log[-1][2])
    python_solver(OSCILLATOR, inputs={"force": 1e150}).advance(0.1)
    with pytest.raises(StepFailed, match=r"^at time \S+ \w"):
        python_solver(OSCILLATOR, inputs={"force": 1e300}).advance(0.1)


# 1/x where it is finite, else 0: C also divides in the branch that is not taken.
DIVIDER = System(
    name="Divider",
    about=About("one over its state, and nothing at zero"),
    signals=SignalTable(
        states=(Signal("value", "rests", "1", 0.0, derivative="der(value)"),),
        outputs=(Signal("inverse", "one over it", "1"), Signal("logarithm", "of it", "1")),
    ),
    motion=Staged(
        lambda t, x, *_: (
            np.array([where(x[0] > 0.0, 1.0 / x[0], 0.0)]),
            np.array([where(x[0] > 0.0, 1.0 / x[0], 0.0), where(x[0] > 0.0, np.log(x[0]), 0.0)]),
            np.zeros(0),
        )
    ),
)


def test_a_host_that_traps_sees_no_exception(host, built):  # noqa: F811
    """The C host enables traps, so divisions by zero, invalid operations and overflows would end it."""
    made = built(DIVIDER)
    references = [made.variables[name].reference for name in ("value", "inverse", "logarithm")]
    assert [float.fromhex(value) for value in host(made, "trap", 0.2, 0.1, *references)] == [0.0, 0.0, 0.0]


def test_stiffness_is_said_once(unit):
    instance = unit(RELAXATION).initialize(**STIFF)
    for i in range(3):
        instance.fmu.doStep(0.02 * i, 0.02)
    said = [text for status, _, text in instance.log if status == 1]
    assert len(said) == 1
    assert re.fullmatch(
        r"internal steps of \de-06 s at time 0.02: the model may be stiff; try solver.method = automatic", said[0]
    )
    implicit = unit(RELAXATION).initialize(solver__method=3, **STIFF)
    implicit.fmu.doStep(0.0, 0.02)
    assert not implicit.log


def test_the_python_flavour_says_it_too():
    solver = python_solver(RELAXATION, STIFF)
    solver.advance(0.01)
    assert re.fullmatch(
        r"internal steps of \de-06 s at time 0.01: the model may be stiff; try solver.method = automatic",
        solver.stiffness(),
    )
    easy = python_solver(RELAXATION)
    easy.advance(0.01)
    assert easy.stiffness() == ""


def test_a_run_carries_what_the_fmu_warned_of(tmp_path):
    with Simulator(build_native(RELAXATION, tmp_path / "r.fmu", ["host"])) as simulator:
        result = simulator.run(stop=0.04, step=0.02, start_values=STIFF)
        assert len(result.remarks) == 1
        assert "try solver.method = automatic" in result.remarks[0]
        assert simulator.run(stop=0.04, step=0.02).remarks == ()


class Counted(Unit):
    """An instance that counts the blocks of memory it takes and gives back."""

    def __init__(self, built):
        self.taken, self.given = 0, 0
        super().__init__(built)

    def memory(self, callbacks):
        def take(count, size):
            self.taken += 1
            return fmpy.calloc(count, size)

        def give(block):
            self.given += 1
            fmpy.free(block)

        callbacks.allocateMemory, callbacks.freeMemory = (
            fmi2CallbackAllocateMemoryTYPE(take),
            fmi2CallbackFreeMemoryTYPE(give),
        )


@pytest.mark.parametrize(("method", "blocks"), [(1, 1), (2, 1), (3, 2)])
def test_matrices_only_for_the_method_that_needs_them(built, method, blocks):
    instance = Counted(built(RELAXATION)).initialize(solver__method=method)
    instance.fmu.doStep(0.0, 0.1)
    instance.fmu.doStep(0.1, 0.1)
    instance.free()
    assert (instance.taken, instance.given) == (blocks, blocks)
