"""Derivatives of inputs and outputs in co-simulation: declared, available and correct."""

from __future__ import annotations

from collections import Counter
from ctypes import c_double, c_int, c_uint

import numpy as np

from .cpu_timeout import CpuTimeout
from .host import WARNING, CheckedInstance
from .rules import VIOLATION, NotPossible, rule
from .running import BUDGET, begin, continuous, grid, initialized, instance
from .subject import CheckedFmu
from .variables import XmlVariable

_TOLERANCE = 1e-9  # of runs that are compared
_STEPS, _MOST_INPUTS = 5, 3


def _set_slope(it: CheckedInstance, v: XmlVariable, slope: float) -> int:
    return it.call("SetRealInputDerivatives", (c_uint * 1)(v.reference), 1, (c_int * 1)(1), (c_double * 1)(slope))


@rule(
    "input-derivatives",
    VIOLATION,
    "derivatives of inputs are accepted, if declared, and have the effect of an input that follows them",
    "4.3.1",
    "Calling of fmi2SetRealInputDerivatives(..) has an effect for the slave.",
)
def input_derivatives(fmu):
    fmu.need("CoSimulation")
    reals = fmu.some("input", True, "continuous")
    if not fmu.can("CoSimulation", "canInterpolateInputs") or not reals:
        raise NotPossible("the FMU does not interpolate inputs")
    cpu_timeout = CpuTimeout.own(BUDGET)
    for v in reals[:_MOST_INPUTS]:
        with initialized(fmu, "CoSimulation") as it:
            if _set_slope(it, v, 1.0) > WARNING:
                yield f"the first derivative of {v.name} is refused"
                return
        if not fmu.can("CoSimulation", "canHandleVariableCommunicationStepSize"):
            return  # nothing to compare it with
        held, sloped, coarse, truth = (_ramp(fmu, v, parts) for parts in (1, None, 10, 20))
        effect, noise = np.abs(held - truth), 3.0 * np.abs(coarse - truth) + 1e-9 * (1.0 + np.abs(truth))
        off, visible = np.abs(sloped - truth), effect > 10.0 * noise
        wrong = np.flatnonzero(visible & (off > 0.2 * effect + noise))
        if (
            2 * len(wrong) > visible.sum()
        ):  # a fault shows in the outputs that the input changes; friction and contact add noise to single outputs
            j = wrong[np.argmax(effect[wrong])]
            yield (
                f"the slope of {v.name} moves {continuous(fmu)[j].name} by {(sloped - held)[j]:.4g}, "
                f"an input that follows it in small steps by {(truth - held)[j]:.4g}"
            )
        if cpu_timeout.ended():
            return


def _ramp(fmu: CheckedFmu, v: XmlVariable, parts: int | None) -> np.ndarray:
    """Continuous outputs (ny,) after _STEPS steps in which an input rises by its nominal value.

    parts: substeps of a step, in each of which the input is held in the middle of its rise; None: whole steps with a derivative.
    """
    step = grid(fmu)[0]
    slope = (v.number("nominal") or 1.0) / (_STEPS * step)
    first, t0 = v.start or 0.0, begin(fmu)
    with instance(fmu, "CoSimulation") as it:
        it.initialize(t0, None, _TOLERANCE)
        size = step / (parts or 1)
        for n in range(_STEPS * (parts or 1)):
            it.set(v, first + slope * size * (n + (0.5 if parts and parts > 1 else 0.0)))
            if parts is None:
                _set_slope(it, v, slope)
            it.step(t0 + n * size, size)
        it.set(v, first + slope * _STEPS * step)  # outputs with direct feedthrough of the input are equal in all runs
        return np.array([float(value) for value in it.get(continuous(fmu))])


@rule(
    "output-derivatives",
    VIOLATION,
    "derivatives of outputs are available up to the declared order, and agree with differences of the outputs",
    "4.2.1, 4.3.1",
    "Retrieves the n-th derivative of output values. […] Calling of fmi2GetRealOutputDerivatives(..) is allowed up to the order defined by maxOutputDerivativeOrder.",
    fmi3=(
        "4.1.2, 4.4",
        "In FMI for Co-Simulation, the n-th derivatives with respect to time of continuous outputs may be retrieved with fmi3GetOutputDerivatives […] The FMU is able to provide derivatives of outputs up to the order of maxOutputDerivativeOrder.",
    ),
)
def output_derivatives(fmu):
    fmu.need("CoSimulation")
    most = int(fmu.kind("CoSimulation").get("maxOutputDerivativeOrder", 0))
    reals = fmu.some("output", True, "continuous")
    if not most or not reals:
        raise NotPossible("the FMU promises no derivatives of outputs")
    step, looks, wrong, example = grid(fmu)[0], 3, Counter(), {}
    short = 1e-2 * step if fmu.can("CoSimulation", "canHandleVariableCommunicationStepSize") else step
    with instance(fmu, "CoSimulation") as it:
        it.initialize(begin(fmu), None, _TOLERANCE)
        t = begin(fmu)
        for look in range(looks):
            it.step(t, step)
            t += step
            for order in range(1, most + 1) if look == 0 else ():
                if (found := _slopes(it, reals, order)) is None:
                    yield f"order {order} of {most} is refused"
                    return
                if not np.isfinite(found).all():
                    yield f"order {order} has values that are not finite numbers"
                    return
            d0, y0 = _slopes(it, reals), np.array(it.get(reals))
            it.step(t, short)
            d1, y1 = _slopes(it, reals), np.array(it.get(reals))
            it.step(t + short, short)
            y2 = np.array(it.get(reals))
            t += 2.0 * short
            quotient, after = (y1 - y0) / short, (y2 - y1) / short
            scale = np.maximum(np.abs(y0), [v.number("nominal") or 1.0 for v in reals])
            # between two points the quotient is one of the derivatives; noise, as of the perigee of a circle, differs from quotient to quotient
            slack = 0.05 * (np.abs(d0) + np.abs(d1)) + 1e-6 * scale / step + 1e-11 * scale / short
            slack += 3.0 * np.abs(after - quotient)
            low, high = np.minimum(d0, d1) - slack, np.maximum(d0, d1) + slack
            for j in np.flatnonzero((quotient < low) | (quotient > high)):
                wrong[j] += 1
                example[j] = (
                    f"the derivative of {reals[j].name} is {d0[j]:.6g} at t = {t - 2.0 * short:g} s, differences say {quotient[j]:.6g}"
                )
    yield from (example[j] for j, count in wrong.items() if count >= 2)


def _slopes(it: CheckedInstance, reals: list[XmlVariable], order: int = 1) -> np.ndarray | None:
    """Derivatives of outputs; None where they are refused."""
    status, found = it.output_derivatives(reals, order)
    return np.array(found) if status <= WARNING else None
