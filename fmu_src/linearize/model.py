"""The linear model of a System, or of any FMU that gives directional derivatives."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spacefmu.dynamics.linearize.linear import Linear
from spacefmu.dynamics.linearize.reduce import Chart, NotLinearizable, full, linearized
from spacefmu.dynamics.linearize.trim import trimmed
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.contract import System

from ..native.trace.jacobian import ExactDerivatives
from ..results.names import UnknownName, resolve, suggestion
from .fmu import linearized_fmu, of_instance


def linearize(
    source: System | Path,
    time: float = 0.0,
    values: Mapping[str, object] | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    full_form: bool = False,
    trim: Sequence[str] | None = None,
    drifting: Sequence[str] = (),
    derivatives: ExactDerivatives | None = None,
    at: Mapping[str, float] | None = None,
    instance: tuple[Any, Any] | None = None,
) -> Linear:
    """A, B, C, D of a System (or an .fmu file) about its start, with `values` (parameters, start values, inputs by name) in place of its own.

    inputs, outputs: what to keep, with wildcards (hub.torque, *.displacement*, panel.mode[?].amplitude); default all inputs and all
    outputs. States become outputs if they are named. full_form: keep all states, including quaternions and dependent ones.
    trim: unknowns (states, hub.rotation for small angles, inputs; wildcards) to vary for an equilibrium; `drifting`: states that may keep
    moving. An .fmu file is linearized by its own directional derivatives, in full form.
    derivatives: those of the System, to save work when many models are made of one System.
    at: all states, inputs and discrete states at `time`, by name, from a run of the System: used unchanged.
    instance: FMPy's instance of the .fmu file at `time`, and its description: linearized at its state.
    """
    if not isinstance(source, System):
        if trim is not None:
            raise ValueError(f"{source}: trim is not supported for an FMU; trim its description")
        found = of_instance(*instance, time) if instance else linearized_fmu(source, time, values or {})
        return select(*found, inputs, outputs)
    derivatives = derivatives or ExactDerivatives(source)
    x, u, k, d = start_of(source, time, values or {}) if at is None else _reached(source, at, values or {})
    if trim is not None:
        x, u = _trimmed(source, derivatives, time, x, u, k, d, trim, drifting)
    model = (full if full_form else linearized)(source, derivatives, time, x, u, k, d)
    parameters = zip(source.signals.parameters, _given(source, values or {})["parameters"], strict=True)
    model = replace(model, point=model.point | {entry.name: value for entry, value in parameters})
    return select(model, source.ny, inputs, outputs)


def start_of(system: System, time: float, values: Mapping[str, object]):
    """(x, u, k, d) of the System's start at `time` with values by name; arrays by the name of the whole."""
    return evaluate.start(system, time, *_given(system, values).values())


def _reached(system: System, at: Mapping[str, float], values: Mapping[str, object]):
    """(x, u, k, d) at the state of a run with parameters of `values`: nothing is projected or settled, the run has done that."""
    x, u, d = (np.array([at[s.name] for s in getattr(system.signals, g)]) for g in ("states", "inputs", "discretes"))
    return x, u, evaluate.constants(system, _given(system, values)["parameters"]), d


def _given(system: System, values: Mapping[str, object]) -> dict[str, np.ndarray]:
    """The start values of a System, by group."""
    groups = ("states", "inputs", "parameters", "discretes")
    arrays = {group: np.array(system.signals.starts(group), float) for group in groups}
    for name, value in values.items():
        owner = next((group for group in groups if _has(system, group, name)), None)
        if owner is None:
            known = [entry.name for group in groups for entry in getattr(system.signals, group)]
            raise UnknownName(f"{name!r} is not a parameter, start value or input{suggestion(name, known)}", name)
        try:
            arrays[owner][system.signals.where(owner, name)] = np.array(value, float)
        except (TypeError, ValueError):
            raise ValueError(f"{name} is {value!r}; must be a number, or one number per element") from None
    return arrays


def _has(system: System, group: str, name: str) -> bool:
    try:
        system.signals.where(group, name)
    except KeyError:
        return False
    return True


def _trimmed(system, derivatives, time, x, u, k, d, free, drifting):
    states = [entry.name for entry in Chart.at(system, x, 0.0 * x).entries]
    known = [*states, *(signal.name for signal in system.signals.inputs)]
    found = trimmed(system, derivatives, time, x, u, k, d, matching(free, known), matching(drifting, states))
    return found.x, found.u


def matching(patterns: Sequence[str], known: Collection[str], what: str = "variable") -> list[str]:
    """The names that match patterns, in the order of the patterns: * any text, ? any character; a name; a whole array."""
    found: dict[str, None] = {}
    for pattern in patterns:
        if not set(pattern) & set("*?"):
            found |= dict.fromkeys(resolve(pattern, known, what))
            continue
        expression = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."))
        hits = [name for name in known if expression.fullmatch(name)]
        if not hits:
            raise UnknownName(f"{pattern!r} matches no {what}{suggestion(pattern.strip('*?'), known)}", pattern)
        found |= dict.fromkeys(hits)
    return list(found)


def select(model: Linear, own_outputs: int, inputs=None, outputs=None) -> Linear:
    """The model with the named inputs and outputs; default: all inputs, and the outputs that are not states."""

    def numbers(patterns, named, default, what):
        names = [each.name for each in named]
        return default if patterns is None else [names.index(name) for name in matching(patterns, names, what)]

    everything = list(range(len(model.inputs)))
    return model.chosen(
        numbers(inputs, model.inputs, everything, "input"),
        numbers(outputs, model.outputs, list(range(own_outputs)), "output or state"),
    )


def to_control(model: Linear):
    """The same as python-control's StateSpace; its names have _ for dots, which it does not allow."""
    try:
        import control
    except ImportError:
        raise ImportError("python-control is not installed: pip install 'spacefmu[control]'") from None
    names = {
        key: [each.name.replace(".", "_") for each in getattr(model, key)] for key in ("states", "inputs", "outputs")
    }
    return control.ss(model.A, model.B, model.C, model.D, name=re.sub(r"\W", "_", model.name), **names)


__all__ = ["Linear", "NotLinearizable", "linearize", "matching", "select", "to_control"]
