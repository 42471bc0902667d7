"""Numbers of a run: balances of conserved quantities, differences of two runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..results.table import Result, changes
from .groups import arrays

SAME = 1e-9  # instants that differ by less, relative to the last, count as equal
ENOUGH = 10  # common instants: with so many, runs are compared only at these
JACOBI = "Jacobi's integral"
ENERGY = ("kinetic_energy", "potential_energy", "dissipated_energy", "work")
AROUND = "environment_work"
EXHAUST, SUPPLIED = "propulsion.exhaust_energy", "propulsion.supplied_energy"
# The verdict on an energy balance, by its largest change relative to the energy exchanged.
VERDICTS = (
    (1e-6, "closes to {share:.1e} of the energy exchanged. The solver conserved energy: the run can be trusted as far as the model is right"),
    (1e-3, "closes to {share:.1e} of the energy exchanged: enough for plots. For more accurate numbers use a tighter solver.tolerance"),
    (np.inf, "does not close: {share:.1e} of the energy exchanged is missing. Do not trust this run: repeat it with a tighter solver.tolerance; "
             "if that does not help, look for work that is not counted"),
)  # fmt: skip


def largest(values: np.ndarray) -> float:
    """The largest magnitude among values, ignoring gaps (NaN)."""
    return float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))


@dataclass(frozen=True)
class Balance:
    """A conserved quantity: its change since the start, values (n,) in `unit`; `scale`: the largest value, or the energy exchanged."""

    name: str
    change: np.ndarray
    scale: float
    unit: str
    momentum: bool = False  # changes where something acts from outside
    holds: bool = True  # whatever acts; False: only in special cases

    @property
    def largest(self) -> float:
        return largest(self.change)


def verdict(balance: Balance) -> str:
    """A sentence on whether a run with this energy balance can be trusted."""
    if not balance.holds:
        return (
            f"{balance.name} is constant only on circular orbits without J2, air, light and thrust, so its change says nothing about this run; "
            f"record system.{AROUND} for a balance on other orbits"
        )
    if balance.scale == 0.0:
        return f"{balance.name}: nothing moved, which says nothing of the run"
    share = balance.largest / balance.scale
    words = next((words for limit, words in VERDICTS if share <= limit), VERDICTS[-1][1])
    return f"{balance.name} {words.format(share=share)}"


def balances(result: Result) -> list[Balance]:
    """E + losses − work of inputs and surroundings of every spacecraft, with exhaust and less what propulsion supplies where it burns, and its momenta. Results on an orbit from before the work of the
    surroundings was counted have Jacobi's integral instead."""
    found = []
    for prefix in _prefixes(result):
        parts = [f"{prefix}system.{part}" for part in ENERGY]
        if all(name in result.names for name in parts):
            kinetic, potential, lost, work = (result[name] for name in parts)
            counted = f"{prefix}system.{AROUND}" in result.names
            turning = f"{prefix}system.jacobi_integral" in result.names and not counted
            around = result[f"{prefix}system.{AROUND}"] if counted else np.zeros_like(work)
            burns = all(f"{prefix}{name}" in result.names for name in (EXHAUST, SUPPLIED))
            exhaust, supplied = (
                result[f"{prefix}{name}"] if burns else np.zeros_like(work) for name in (EXHAUST, SUPPLIED)
            )
            stored = result[f"{prefix}system.jacobi_integral"] if turning else kinetic + potential
            energy = stored + lost + exhaust - work - around - supplied
            each = (kinetic, potential, lost, work, around, exhaust, supplied)
            scale = max(*(largest(part - np.fmin.reduce(part)) for part in each), largest(kinetic))
            words = f"{prefix}{JACOBI if turning else 'T + V'} + losses{' + exhaust' * burns} − work{' − work of the surroundings' * counted}"
            words += " − energy of propulsion" * burns
            found.append(Balance(words, energy - _first(energy), scale, "J", holds=not turning))
        for what, unit in (("momentum", "N s"), ("angular_momentum", "N m s")):
            if f"{prefix}system.{what}[1]" in result.names:
                vector = result[f"{prefix}system.{what}"]
                change = np.linalg.norm(vector - _first(vector), axis=1)
                size = largest(np.linalg.norm(vector, axis=1))
                found.append(Balance(f"{prefix}{what.replace('_', ' ')}", change, size, unit, momentum=True))
            if f"{prefix}propulsion.{what}[1]" in result.names:
                found.append(_with_exhaust(result, prefix, what, unit))
    return found


def _with_exhaust(result: Result, prefix: str, what: str, unit: str) -> Balance:
    """Momentum of craft and exhaust; beside the largest that either has."""
    vector = result[f"{prefix}propulsion.{what}"]
    taken = f"{prefix}propulsion.exhaust_{what}"
    sizes = [vector, *([result[taken]] if f"{taken}[1]" in result.names else [])]
    scale = max(largest(np.linalg.norm(each, axis=1)) for each in sizes)
    change = np.linalg.norm(vector - _first(vector), axis=1)
    return Balance(f"{prefix}{what.replace('_', ' ')} of craft and exhaust", change, scale, unit, momentum=True)


def _first(values: np.ndarray) -> np.ndarray:
    """Values at the first instant where they are finite."""
    whole = np.isfinite(values.reshape(len(values), -1)).all(axis=1)
    return values[int(np.argmax(whole))]


def _prefixes(result: Result) -> list[str]:
    ending = "system.kinetic_energy"
    return [name.removesuffix(ending) for name in result.names if name == ending or name.endswith(f".{ending}")]


@dataclass(frozen=True)
class Compared:
    """Two runs at `count` instants: at those that both have, or, `between`, at those of the first, linear between those of the second.

    rows: variable, largest difference, its size in the first run; the largest ratio first.
    """

    count: int
    between: bool
    rows: list[tuple[str, float, float]]


def compared(first: Result, second: Result) -> Compared:
    """Of what two runs have both. Between instants nothing is known: where something switches there, lines would differ and the runs do not."""
    place = np.searchsorted(second.time, first.time - SAME * np.abs(second.time).max(initial=0.0))
    place = np.minimum(place, len(second.time) - 1)
    here = np.abs(second.time[place] - first.time) <= SAME * np.abs(second.time).max(initial=0.0)
    inside = (first.time >= second.time[0]) & (first.time <= second.time[-1])
    between = bool(here.sum() < min(ENOUGH, inside.sum()))
    if between:
        here = inside
    time, rows = first.time[here], []
    known = arrays(second)
    for name, columns in arrays(first).items() if here.any() else ():
        if known.get(name) != columns:
            continue
        own, other = first.chosen(columns).values[here], second.chosen(columns).values
        moved = np.column_stack([np.interp(time, second.time, c) for c in other.T]) if between else other[place[here]]
        if changes(own) or changes(moved) or largest(own - moved) > 0.0:
            rows.append((name, largest(own - moved), largest(own)))
    return Compared(len(time), between, sorted(rows, key=lambda row: -row[1] / max(row[2], 1e-300)))
