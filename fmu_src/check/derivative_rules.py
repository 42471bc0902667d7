"""Derivatives and dependencies compared with finite differences: each known is perturbed, and all unknowns are read again."""

from __future__ import annotations

import math
import random
from ctypes import c_double

import numpy as np

from .cpu_timeout import CpuTimeout
from .host import WARNING
from .rules import VIOLATION, NotPossible, rule
from .running import begin, continuous, grid, initialized, instance, runnable

_MOST_KNOWNS, _BUDGET = 60, 5.0
_DEPENDS = "Otherwise the Unknown depends on the Knowns defined by the given ScalarVariable indices."


def _sample(knowns: list) -> list:
    return knowns if len(knowns) <= _MOST_KNOWNS else sorted(random.Random(1).sample(knowns, _MOST_KNOWNS), key=lambda v: (v.index, v.offset or 0))  # fmt: skip


def _place(v) -> tuple:
    """Identifies a scalar: its variable, and its place in the array."""
    return v.key, v.offset


class MovedInstance:
    """A model-exchange instance in continuous-time mode whose inputs and states are perturbed one at a time."""

    def __init__(self, fmu, it):
        self.fmu, self.it = fmu, it
        self.states = {_place(v): i for i, v in enumerate(fmu.states)}
        self.x = it.vector("GetContinuousStates", len(fmu.states))
        # away from the start, where zero velocities hide many dependencies; the mode is still the same
        rng = random.Random(2)
        self.x = [value + 1e-4 * rng.uniform(-1, 1) * max(1.0, abs(value)) for value in self.x]
        it.set_states(begin(fmu), self.x)
        self.knowns = _sample([*fmu.some("input", True, "continuous"), *fmu.states])
        self.unknowns = list({_place(v): v for v in (*fmu.derivatives, *continuous(fmu))}.values())

    def value(self, v) -> float:
        return self.x[self.states[_place(v)]] if _place(v) in self.states else float(self.it.get([v])[0])

    def read(self, v, value) -> np.ndarray | None:
        """The unknowns with one known at another value."""
        if _place(v) in self.states:
            x = list(self.x)
            x[self.states[_place(v)]] = value
            self.it.do("SetContinuousStates", (c_double * len(x))(*x), len(x))
        elif self.it.set(v, value, do=False) > WARNING:
            return None
        found = np.array([float(u) for u in self.it.get(self.unknowns)])
        return found


def _columns(fmu, it):
    """(instance, known, its size, unknowns at −h, at +h, at −h/8, at +h/8, here) for each known that can be perturbed."""
    mover, cpu_timeout = MovedInstance(fmu, it), CpuTimeout.own(_BUDGET)
    for v in mover.knowns:
        here = mover.value(v)
        size = 1e-5 * max(abs(here), v.number("nominal") or 1.0, 1e-3)
        rows = [mover.read(v, here + part * size) for part in (-1.0, 1.0, -0.125, 0.125, 0.0)]
        if all(row is not None for row in rows):
            yield mover, v, size, *rows
        if cpu_timeout.ended():
            return


@rule(
    "directional-derivatives",
    VIOLATION,
    "directional derivatives agree with differences of values",
    "2.1.9",
    "fmi2GetDirectionalDerivative computes a linear combination of the partial derivatives of h with respect to the selected input variables",
    fmi3=(
        "2.2.12",
        "fmi3GetDirectionalDerivative to compute the directional derivatives \\mathbf{v}_{\\mathit{sensitivity}} = \\mathbf{J} \\cdot \\mathbf{v}_{\\mathit{seed}}",
    ),
)
def directional(fmu):
    if "ModelExchange" not in runnable(fmu) or not fmu.can("ModelExchange", "providesDirectionalDerivative"):
        raise NotPossible("the FMU promises no directional derivatives in ModelExchange")
    with initialized(fmu, "ModelExchange") as it:
        for mover, v, size, low, high, nearer_low, nearer_high, here in _columns(fmu, it):
            out = along(it, mover.unknowns, [v], [1.0])
            numeric = (high - low) / (2 * size)
            noise = 1e-12 * np.maximum(np.abs(high), np.abs(low)) / size
            noise += np.abs(numeric - (nearer_high - nearer_low) / (size / 4))  # curvature, and kinks
            scale = 1e-4 * (np.abs(numeric) + np.abs(list(out))) + 1e-6 * np.abs(numeric).max(initial=0.0) + 10 * noise
            # at a kink, such as max(u, 0) at 0, any value between the slopes of both sides is accepted
            sides = numeric, (here - nearer_low) / (size / 8), (nearer_high - here) / (size / 8)
            least, most = np.min(sides, axis=0) - scale - 1e-9, np.max(sides, axis=0) + scale + 1e-9
            for u, a, b, lowest, highest in zip(mover.unknowns, out, numeric, least, most, strict=True):
                if _place(u) != _place(v) and not lowest <= a <= highest:  # a state that is an output is itself
                    yield f"∂({u.name})/∂({v.name}) is {a:.8g}, differences say {b:.8g}"


@rule(
    "directional-seeds",
    VIOLATION,
    "a directional derivative is the sum of the partial ones times the seeds, whatever the order of the variables",
    "2.1.9",
    "fmi2GetDirectionalDerivative computes a linear combination of the partial derivatives of h with respect to the selected input variables",
    fmi3=(
        "2.2.12",
        "fmi3GetDirectionalDerivative to compute the directional derivatives \\mathbf{v}_{\\mathit{sensitivity}} = \\mathbf{J} \\cdot \\mathbf{v}_{\\mathit{seed}}",
    ),
)
def directional_seeds(fmu):
    if "ModelExchange" not in runnable(fmu) or not fmu.can("ModelExchange", "providesDirectionalDerivative"):
        raise NotPossible("the FMU promises no directional derivatives in ModelExchange")
    with initialized(fmu, "ModelExchange") as it:
        mover, rng = MovedInstance(fmu, it), random.Random(3)
        knowns, unknowns = mover.knowns, mover.unknowns
        partial = np.column_stack([along(it, unknowns, [v], [1.0]) for v in knowns]) if knowns else np.zeros((0, 0))
        for turn in range(3 if knowns else 0):
            order = rng.sample(range(len(knowns)), len(knowns))
            seeds = np.array([rng.uniform(-2.0, 2.0) for _ in knowns])
            asked = unknowns[::-1] if turn == 1 else unknowns
            found = along(it, asked, [knowns[i] for i in order], seeds[order])
            found = found[::-1] if turn == 1 else found
            largest = (
                np.abs(partial).max(initial=0.0) * np.abs(seeds).sum()
            )  # of which a row of zeros has the round-off
            allowed = 1e-9 * (np.abs(partial) @ np.abs(seeds)) + 1e-14 * largest + 1e-300
            for i in np.flatnonzero(~(np.abs(found - partial @ seeds) <= allowed))[:3]:
                yield f"{unknowns[i].name} along {len(knowns)} random seeds is {found[i]:.8g}, its partial derivatives say {(partial @ seeds)[i]:.8g}"


def along(it, unknowns, knowns, seeds) -> np.ndarray:
    """The directional derivative (unknowns,)."""
    before = len(it.said)
    status, found = it.directional(unknowns, knowns, seeds)
    it.accept("GetDirectionalDerivative", status, before)
    return np.array(found)


@rule(
    "directional-steps",
    VIOLATION,
    "directional derivatives are available at communication points, if declared",
    "4.3.1",
    "If true, the directional derivative of the equations at communication points can be computed with fmi2GetDirectionalDerivative.",
    fmi3=(
        "2.4.2",
        "If true, the directional derivative of the equations may be retrieved using fmi3GetDirectionalDerivative.",
    ),
)
def directional_steps(fmu):
    if "CoSimulation" not in runnable(fmu) or not fmu.can("CoSimulation", "providesDirectionalDerivative"):
        raise NotPossible("the FMU promises no directional derivatives in CoSimulation")
    unknowns = continuous(fmu)
    knowns = fmu.some("input", True, "continuous")[:5]
    with initialized(fmu, "CoSimulation") as it:
        it.step(begin(fmu), grid(fmu)[0])
        for v in knowns:
            status, out = it.directional(unknowns, [v], [1.0])
            if status > WARNING:
                yield f"{fmu.fmi}GetDirectionalDerivative by {v.name} is refused"
            elif not all(map(math.isfinite, out)):
                yield f"{fmu.fmi}GetDirectionalDerivative by {v.name} is not a finite number"


@rule(
    "dependencies",
    VIOLATION,
    "outputs and derivatives depend only on declared dependencies",
    "2.2.8",
    _DEPENDS,
    fmi3=("2.4.8", "Otherwise the unknown depends on the knowns defined by the given value references."),
)
def dependencies(fmu):
    if "ModelExchange" not in runnable(fmu):
        raise NotPossible("the FMU has no ModelExchange")
    said: dict[int, set | None] = {}
    for unknown in (*fmu.unknowns("Derivatives"), *fmu.unknowns("Outputs")):
        # a variable in both lists: dependencies of either list
        known = set() if unknown.dependencies is not None else None
        before = said.get(unknown.key, set())
        said[unknown.key] = None if known is None or before is None else before | set(unknown.dependencies)
    with initialized(fmu, "ModelExchange") as it:
        for mover, v, _, low, high, *_ in _columns(fmu, it):
            for u, a, b in zip(mover.unknowns, low, high, strict=True):
                listed = said.get(u.key)
                if (
                    listed is not None
                    and v.key not in {u.key, *listed}
                    and abs(a - b) > 1e-11 * max(1.0, abs(a), abs(b))
                ):
                    yield f"{u.name} changes with {v.name}, which is not among its dependencies"


_FACTORS = ("constant", "fixed", "tunable", "discrete")


@rule(
    "dependency-factors",
    VIOLATION,
    "dependencies declared as constant factors are constant at other states and inputs",
    "2.2.8",
    'Only for Real unknowns […] = "fixed": fixed factor, p·v_known,i where p is an expression that is evaluated before fmi2ExitInitializationMode is called.',
    fmi3=("2.4.8", "is an expression that is evaluated before fmi3ExitInitializationMode is called."),
)
def dependency_factors(fmu):
    if "ModelExchange" not in runnable(fmu):
        raise NotPossible("the FMU has no ModelExchange")
    kinds = {
        (entry.key, known): kind
        for group in ("Derivatives", "Outputs")
        for entry in fmu.unknowns(group)
        for known, kind in zip(entry.dependencies or (), entry.kinds or (), strict=False)
        if kind in _FACTORS
    }
    if not kinds:
        raise NotPossible("no dependency is said to be a factor")
    with initialized(fmu, "ModelExchange") as it:
        mover, cpu_timeout = MovedInstance(fmu, it), CpuTimeout.own(_BUDGET)
        inputs = [v for v in mover.knowns if _place(v) not in mover.states]
        for v in [known for known in mover.knowns if known.key in {known for _, known in kinds}]:
            slopes, x = [], list(mover.x)
            for shift in (0.0, 0.05, -0.03):  # it depends on all knowns, including this one
                mover.x = [value + shift * max(1.0, abs(value)) for value in x]
                it.set_states(begin(fmu), mover.x)
                given = {_place(u): (u.start or 0.0) + shift * (u.number("nominal") or 1.0) for u in inputs}
                if any(it.set(u, given[_place(u)], do=False) > WARNING for u in inputs):
                    continue
                here = given.get(_place(v), mover.value(v))
                size = 1e-4 * max(abs(here), v.number("nominal") or 1.0, 1e-3)
                low, high = mover.read(v, here - size), mover.read(v, here + size)
                if low is not None and high is not None:
                    slopes.append(((high - low) / (2 * size), 1e-11 * np.maximum(np.abs(high), np.abs(low)) / size))
                mover.read(v, here)
            mover.x = x
            for i, u in enumerate(mover.unknowns):
                if (kind := kinds.get((u.key, v.key))) is None or not slopes:
                    continue
                found = [float(slope[i]) for slope, _ in slopes]
                noise = max(float(noise[i]) for _, noise in slopes)
                if max(found) - min(found) > 1e-3 * max(map(abs, found)) + 10.0 * noise:
                    yield f"{u.name} depends on {v.name} by a {kind} factor, but that goes from {min(found):.6g} to {max(found):.6g}"
            if cpu_timeout.ended():
                return


@rule(
    "initial-dependencies",
    VIOLATION,
    "initial unknowns depend only on declared dependencies",
    "2.2.8",
    _DEPENDS,
    fmi3=("2.4.8", "Otherwise the unknown depends on the knowns defined by the given value references."),
)
def initial_dependencies(fmu):
    entries = [u for u in fmu.unknowns("InitialUnknowns") if u.dependencies is not None and fmu.where(u.key).real]  # fmt: skip
    said = {u.key: u.dependencies for u in entries}
    unknowns = [entry for u in entries for entry in fmu.where(u.key).entries()]
    knowns = _sample([v for v in fmu.some(real=True) if (v.initial == "exact" and v.variability != "constant") or v.causality == "input"])  # fmt: skip
    if not entries or not knowns:
        raise NotPossible("there is nothing to move, or nothing that says what it depends on")
    kind, cpu_timeout = runnable(fmu)[0], CpuTimeout.own(_BUDGET)
    for v in knowns:
        with instance(fmu, kind) as it:
            it.enter_initialization(begin(fmu))
            before = it.get(unknowns, do=False)
            start = v.start or 0.0
            size = 1e-4 * max(abs(start), v.number("nominal") or 1.0)
            if None in before or it.set(v, start + size, do=False) > WARNING:
                continue
            after = it.get(unknowns, do=False)
            for u, a, b in zip(unknowns, before, after, strict=True):
                if b is not None and v.key not in {u.key, *said[u.key]} and abs(a - b) > 1e-10 * max(1.0, abs(a)):
                    yield f"{u.name} changes with {v.name} in Initialization Mode, which is not among its dependencies"
        if cpu_timeout.ended():
            return
