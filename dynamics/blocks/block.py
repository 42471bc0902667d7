"""The base class of user-written controllers, sensors and filters: name the signals, write three short methods, get a System.

    class Gyro(Block):
        inputs = (Signal("rate", "true rate", "rad/s"),)
        parameters = (Signal("bandwidth", "of the filter", "Hz", 5.0, min=0.0), Signal("period", "of sampling", "s", 0.1))
        states = (Signal("filtered", "filtered rate", "rad/s", derivative_unit="rad/s2"),)
        sampled = (Signal("held", "last sample", "rad/s"),)
        outputs = (Signal("measured", "measured rate", "rad/s"),)
        sample_time = "period"

        def rates(self, now):       # time derivatives of the continuous states
            return {"filtered": 2 * np.pi * now.bandwidth * (now.rate - now.filtered)}

        def sample(self, now):      # new sampled states, at every multiple of the sample time
            return {"held": now.filtered}

        def results(self, now):     # outputs
            return {"measured": now.held}

`now` has every input, state, sampled state and parameter by name, and the time as `now.t`; arrays by the name without
indices; names with dots as now["hub.rate"]. Nothing else may vary between calls: keep it in states; then saving, restoring and resetting
the FMU work without further code. For a Python FMU the methods may branch freely; for a native one they must be equations
(spacefmu.dynamics.algebra.scalar).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..algebra.scalar import absolute, maximum, where
from ..system.contract import About, Staged, System
from ..system.layout import Layout
from ..system.signals import Bag, Signal, SignalTable

SLACK = 1e-9  # of a sample time: the master's clock may be so far off the grid,
ULPS = 4.0  # and, late in a long run, this many times the resolution of time
TICK = Signal(
    "tick", "number of the next sample", output=False, calculated=True
)  # a real number: 2³¹ samples are 24 days at 1 kHz


class Now:
    """All values of one instant by name."""

    def __init__(self, table: SignalTable, t, x, u, k, d):
        groups = {"states": x, "inputs": u, "parameters": k, "discretes": d}
        self.t, self._bags = t, [Bag(table, group, values) for group, values in groups.items()]

    def __getitem__(self, name: str):
        for bag in self._bags:
            try:
                return bag[name]
            except KeyError:
                continue
        raise KeyError(
            f"{getattr(name, 'name', name)!r} is not an input, state, sampled state or parameter of this block"
        )

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None


class Block:
    """See the top of this file. The class name becomes the FMU's name, its docstring the description."""

    inputs: tuple[Signal, ...] = ()
    parameters: tuple[Any, ...] = ()  # Signals
    states: tuple[Signal, ...] = ()
    sampled: tuple[Signal, ...] = ()
    outputs: tuple[Signal, ...] = ()
    sample_time: str | float = 0.0  # [s], or the name of the parameter that holds it; 0: nothing is sampled
    experiment = {"stop": 10.0, "step": 0.1, "tolerance": 1e-8}

    def rates(self, now: Now) -> dict:
        return {}

    def sample(self, now: Now) -> dict:
        return {}

    def results(self, now: Now) -> dict:
        return {}

    def system(self) -> System:
        """The System of this block."""
        summary, _, page = (type(self).__doc__ or type(self).__name__).strip().partition("\n")
        about = About(summary, page.strip(), dict(self.experiment))
        return block_system(self, self._table(), name=type(self).__name__, about=about)

    def _table(self) -> SignalTable:
        discretes = (TICK, *self.sampled) if self.sample_time else ()
        if self.sampled and not self.sample_time:
            raise ValueError(f"{type(self).__name__}: it has sampled states but no sample_time")
        return SignalTable(self.states, self.inputs, self.parameters, discretes, self.outputs)


def block_system(block, table: SignalTable, laws: tuple[str, ...] = (), check=None, **more) -> System:
    """The System of whatever has `rates`, `sample`, `results` and a `sample_time`, a number or the name of a parameter.

    At the instant of a sample, outputs declared as `sampled` show the new sample, which depends directly on the inputs, so a master that
    sets inputs and reads outputs passes on current values. All other outputs, and rates, see it after the event.
    """
    name, sample_time = type(block).__name__, block.sample_time
    periodic = bool(sample_time)
    fresh = np.array([entry.sampled for entry in table.outputs])
    # A sample that is due at the start changes the sampled states: their start values are those before this sample.
    table = table.with_group("discretes", [replace(each, approximate=True) for each in table.quantities("discretes")])
    D = Layout({"tick": 1, "sampled": len(table.discretes) - 1}) if periodic else Layout({})

    def period(k):
        return Bag(table, "parameters", k)[sample_time] if isinstance(sample_time, str) else sample_time

    def ticks(t, k):
        """The time in sample times, and its tolerance about whole numbers."""
        count = t / period(k)
        return count, SLACK + ULPS * np.finfo(float).eps * absolute(count)

    def due(t, k, d):
        count, slack = ticks(t, k)
        return count >= d[D["tick"]][0] - slack

    def sampled(t, x, u, k, d):
        new = _array(block.sample(Now(table, t, x, u, k, d)), table.discretes[D["sampled"]], f"{name}.sample")
        return D.replaced(d, sampled=where(due(t, k, d), new, d[D["sampled"]]))

    def results(t, x, u, k, d):
        return _array(block.results(Now(table, t, x, u, k, d)), table.outputs, f"{name}.results")

    def finish(t, x, u, k, d, z, multipliers, carry):
        x_dot = _array(block.rates(Now(table, t, x, u, k, d)), table.states, f"{name}.rates")
        y = results(t, x, u, k, d)
        return x_dot, where(fresh, results(t, x, u, k, sampled(t, x, u, k, d)), y) if fresh.any() else y, np.zeros(0)

    def initialize(t, x, u, k, d):
        if not periodic:
            return x, d
        count, slack = ticks(t, k)
        return x, D.replaced(d, tick=[np.ceil(count - slack)])

    def update(t, x, u, k, d, g, z, multipliers, carry):
        count, slack = ticks(t, k)
        (before,) = d[D["tick"]]
        tick = where(due(t, k, d), maximum(np.floor(count + slack), before) + 1.0, before)
        return x, D.replaced(sampled(t, x, u, k, d), tick=[tick])

    if check is None and isinstance(sample_time, str):
        laws, check = (f"{sample_time} must be positive",), lambda p: np.array([period(p)])
    return System(
        signals=table,
        motion=Staged(finish),
        laws=laws,
        check=check or (lambda p: np.zeros(0)),
        initialize=initialize,
        next_time=(lambda t, x, u, k, d: d[D["tick"]][0] * period(k)) if periodic else None,
        samples=periodic and bool(table.inputs),
        update=Staged(update) if periodic else None,
        **more,
    )


def _array(values: dict, signals, method: str):
    """Values by name → an array in the order of the signals; every signal needs a value, and every value a signal."""
    found, used = [], set()
    for signal in signals:
        base, _, index = signal.name.rstrip("]").rpartition("[")
        name = signal.name if signal.name in values or not base else base
        if name not in values:
            raise ValueError(f"{method} returns no value for {signal.name}")
        place = tuple(int(i) - 1 for i in index.split(",")) if name != signal.name else ()
        found.append(np.asarray(values[name])[place] if place else values[name])
        used.add(name)
    if unknown := {name for name in set(values) - used if np.size(values[name])}:
        raise ValueError(f"{method} returns {', '.join(sorted(unknown))}, which is not declared there as a signal")
    return np.array(found) if found else np.zeros(0)
