"""Reference integration with SciPy: independent of both FMU solvers, event by event.

It is not optimised for speed: it is the reference for the FMUs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # imported only when used: most commands do not need it

from .contract import System
from .evaluate import motion, motion_part, project, settle, start


@dataclass(frozen=True)
class Trajectory:
    """time (n,), x (n, nx), d (n, nd), y (n, ny), and the instants of all events."""

    time: np.ndarray
    x: np.ndarray
    d: np.ndarray
    y: np.ndarray
    events: list[float]


def integrate(system: System, times, u=None, x=None, p=None, d=None, rtol=1e-12, atol=1e-12) -> Trajectory:
    """Integrate over the given output times. `u`: array held constant, or a function of time (continuous pieces)."""
    times = np.asarray(times, float)
    held = None if callable(u) else np.array(system.signals.starts("inputs") if u is None else u, float)
    inputs = u if callable(u) else (lambda t: held)
    t = times[0]
    u_now = _inputs(system, inputs, t)
    x, _, k, d = start(system, t, x, u_now, p, d)
    rows_x, rows_d, rows_y, events = [x], [d], [motion(system, t, x, u_now, k, d)[1]], []
    for t_next in times[1:]:
        while t < t_next:
            x, d = settle(system, t, x, _inputs(system, inputs, t), k, d)
            t, x, event = _advance(system, t, t_next, x, inputs, k, d, rtol, atol)
            if event:
                events.append(t)
                x, d = settle(system, t, x, _inputs(system, inputs, t), k, d)
        rows_x.append(x)
        rows_d.append(d)
        rows_y.append(motion(system, t, x, _inputs(system, inputs, t), k, d)[1])
    return Trajectory(times, np.array(rows_x), np.array(rows_d), np.array(rows_y), events)


def _inputs(system, inputs, t):
    value = inputs(t)
    return np.array(system.signals.starts("inputs")) if value is None else np.asarray(value, float)


def _advance(system, t, t_end, x, inputs, k, d, rtol, atol):
    """To t_end or the next event, whichever is first: (t, x, whether it is an event)."""
    u = _inputs(system, inputs, t)
    due = t_end
    if system.next_time is not None:
        due = min(t_end, float(system.next_time(t, x, u, k, d)))
        if due <= t:
            due = t_end

    def rates(time, state):
        return motion_part(0, system, time, state, _inputs(system, inputs, time), k, d)

    def indicators(time, state):
        return motion_part(2, system, time, state, _inputs(system, inputs, time), k, d)

    signs = np.where(indicators(t, x) > 0.0, 1.0, -1.0) if system.ng else np.zeros(0)

    def margin(time, state):
        """Positive as long as no indicator has changed its sign."""
        return float(np.min(signs * indicators(time, state)))

    solver = None
    while t < due:
        if solver is None:
            solver = scipy.integrate.DOP853(rates, t, x, due, rtol=rtol, atol=atol)
        message = solver.step()
        if solver.status == "failed":
            raise RuntimeError(f"{system.name}: reference integration stopped at t = {solver.t}: {message}")
        if system.ng:
            crossed = _crossing(margin, solver)
            if crossed is not None:
                return (*_past(rates, margin, *crossed), True)
        t, x = solver.t, solver.y
        moved = project(system, t, x, _inputs(system, inputs, t), k, d)
        if not np.array_equal(moved, x):
            x, solver = moved, None  # SciPy's solver keeps its own state: start it anew from the projected one
    return due, x, due < t_end


def _crossing(margin, solver, looks: int = 8):
    """(t, x) at the first root of `margin` within the last step, or None."""
    dense = solver.dense_output()
    left = solver.t_old
    for right in np.linspace(solver.t_old, solver.t, looks + 1)[1:]:
        if margin(right, dense(right)) < 0.0:
            root = scipy.optimize.brentq(lambda time: margin(time, dense(time)), left, right, xtol=1e-14, rtol=8.9e-16)
            return root, dense(root)
        left = right
    return None


def _past(rates, margin, t, x):
    """Move a located root to its far side by Euler steps: far below any tolerance, and beyond the indicators' round-off.

    Right after the root, round-off would still decide the sign, and the event would be reverted and repeated.
    """
    h = 64.0 * np.spacing(max(abs(t), 1.0))
    for _ in range(60):
        x = x + h * rates(t, x)
        t, h = t + h, 2.0 * h
        if margin(t, x) < 0.0:
            return t, x
    raise RuntimeError(f"event at t = {t} could not be passed")
