"""Adjoint derivatives compared with directional ones, and dependencies queried at run time (FMI 3.0)."""

from __future__ import annotations

import random
from ctypes import byref, c_int, c_size_t, c_uint32

import numpy as np

from .derivative_rules import MovedInstance, along
from .rules import VIOLATION, NotPossible, rule
from .running import begin, continuous, grid, initialized, runnable

_ADJOINT = ("2.2.12", "fmi3GetAdjointDerivative to calculate the adjoint derivatives")


def _against(it, unknowns, knowns, rng):
    """(adjoint, directional): vᵀ(J u) of random seeds by both, and the allowed difference."""
    jacobian = np.column_stack([along(it, unknowns, [v], [1.0]) for v in knowns])
    for _ in range(2):
        seeds = np.array([rng.uniform(-2.0, 2.0) for _ in unknowns])
        before = len(it.said)
        status, found = it.adjoint(unknowns, knowns, seeds)
        it.accept("GetAdjointDerivative", status, before)
        largest = np.abs(jacobian).max(initial=0.0) * np.abs(seeds).sum()
        allowed = 1e-8 * (np.abs(seeds) @ np.abs(jacobian)) + 1e-12 * largest + 1e-300
        for j in np.flatnonzero(~(np.abs(np.array(found) - seeds @ jacobian) <= allowed))[:3]:
            yield f"by {knowns[j].name} it is {found[j]:.8g}, directional derivatives say {(seeds @ jacobian)[j]:.8g}"


@rule("adjoint-derivatives", VIOLATION, "adjoint derivatives are the transpose of the directional ones", fmi3=_ADJOINT)
def adjoint(fmu):
    if "ModelExchange" not in runnable(fmu) or not fmu.can("ModelExchange", "providesAdjointDerivatives") or not fmu.can("ModelExchange", "providesDirectionalDerivative"):  # fmt: skip
        raise NotPossible("the FMU promises no adjoint and directional derivatives in ModelExchange")
    with initialized(fmu, "ModelExchange") as it:
        mover, rng = MovedInstance(fmu, it), random.Random(5)
        if mover.knowns and mover.unknowns:
            yield from _against(it, mover.unknowns, mover.knowns, rng)


@rule(
    "adjoint-steps",
    VIOLATION,
    "adjoint derivatives are available at communication points, if declared",
    fmi3=(
        "2.4.2",
        "If true, the adjoint derivatives of the equations may be retrieved using fmi3GetAdjointDerivative.",
    ),
)
def adjoint_steps(fmu):
    if "CoSimulation" not in runnable(fmu) or not fmu.can("CoSimulation", "providesAdjointDerivatives"):
        raise NotPossible("the FMU promises no adjoint derivatives in CoSimulation")
    knowns, unknowns = fmu.some("input", True, "continuous")[:10], continuous(fmu)
    if not knowns or not unknowns or not fmu.can("CoSimulation", "providesDirectionalDerivative"):
        raise NotPossible("there is nothing to compare")
    with initialized(fmu, "CoSimulation") as it:
        it.step(begin(fmu), grid(fmu)[0])
        yield from _against(it, unknowns, knowns, random.Random(6))


@rule(
    "element-dependencies",
    VIOLATION,
    "dependencies at run time are among those of the XML",
    fmi3=("2.4.2", "If true, the FMU is able to provide detailed dependency information at runtime using fmi3GetNumberOfVariableDependencies and fmi3GetVariableDependencies."),
)  # fmt: skip
def element_dependencies(fmu):
    kind = runnable(fmu)[0]
    if not fmu.can(kind, "providesPerElementDependencies"):
        raise NotPossible("the FMU does not have providesPerElementDependencies")
    with initialized(fmu, kind) as it:
        for unknown in (*fmu.unknowns("Outputs"), *fmu.unknowns("Derivatives")):
            count = c_size_t()
            it.do("GetNumberOfVariableDependencies", unknown.key, byref(count))
            n = max(1, count.value)
            own, of, at = (c_size_t * n)(), (c_uint32 * n)(), (c_size_t * n)()
            it.do("GetVariableDependencies", unknown.key, own, of, at, (c_int * n)(), count.value)
            for i in range(count.value):
                if unknown.dependencies is not None and of[i] not in unknown.dependencies:
                    yield f"{fmu.where(unknown.key).name} depends on {of[i]}, which the XML does not have"
                    break
