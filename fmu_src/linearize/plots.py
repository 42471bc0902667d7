"""Plots of linear models: Bode, poles and zeros, mode shapes, energy shares of the bodies per mode, frequencies of a family."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacefmu.dynamics.linearize.linear import Linear

from ..results.plot import STYLE, empty_figure
from .drawn import shapes
from .family import Family

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = 12  # in a Bode plot: more can't be distinguished
POINTS = 1500
SHOWN = 24  # modes in a picture


def bode(model: Linear, title: str = "") -> Figure:
    """Amplitude [dB] and phase of every output for every input, over frequency [Hz]; lines at the modes."""
    import matplotlib as mpl

    pairs = [(o, i) for i in range(len(model.inputs)) for o in range(len(model.outputs)) if _couples(model, o, i)]
    if not pairs:
        raise ValueError(f"{model.name}: no output responds to an input; choose inputs and outputs that are coupled")
    if len(pairs) > CURVES:
        raise ValueError(
            f"{model.name}: {len(pairs)} pairs of input and output, at most {CURVES} fit in one plot; choose fewer"
        )
    oscillating = [mode.frequency for mode in model.modes if mode.frequency > 0.0] or [1.0]
    frequency = np.geomspace(0.05 * min(oscillating), 5.0 * max(oscillating), POINTS)
    # an even number of points: none of them is the natural frequency, where the response of an undamped mode is infinite
    frequency = np.unique(np.concatenate([frequency, *(f * np.linspace(0.97, 1.03, 60) for f in oscillating)]))
    response = model.response(2.0 * np.pi * frequency)
    bounded = np.isfinite(response).all(axis=(1, 2))
    frequency, response = frequency[bounded], response[bounded]
    with mpl.rc_context(STYLE):
        figure = empty_figure(10.0, 5.6)
        size, phase = figure.subplots(2, 1, sharex=True)
        for o, i in pairs:
            curve = response[:, o, i]
            size.semilogx(
                frequency,
                20.0 * np.log10(np.maximum(np.abs(curve), 1e-300)),
                label=f"{model.outputs[o].name} / {model.inputs[i].name}",
            )
            phase.semilogx(frequency, np.degrees(np.unwrap(np.angle(curve))))
        for axes in (size, phase):
            for f in oscillating:
                axes.axvline(f, color="0.8", linewidth=0.8, zorder=0)
        size.set_title("amplitude [dB, SI units]")
        phase.set_title("phase [deg]")
        size.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        phase.set_xlabel("frequency [Hz]")
        figure.suptitle(title or model.name, x=0.01, ha="left")
    return figure


def _couples(model: Linear, output: int, input: int) -> bool:
    """Whether the input affects the output: D, C B, C A B, …"""
    if model.D[output, input]:
        return True
    vector = model.B[:, input]
    for _ in range(len(model.A)):
        size = np.max(np.abs(vector), initial=0.0)
        if size == 0.0:
            return False
        if np.abs(model.C[output] @ vector) > 1e-12 * size * np.max(np.abs(model.C[output]), initial=0.0):
            return True
        vector = model.A @ (vector / size)
    return False


def zeros(model: Linear):
    """Transmission zeros of a model with as many inputs as outputs: finite generalized eigenvalues of [[A, B], [C, D]]."""
    from scipy.linalg import eigvals

    n, m = len(model.A), len(model.inputs)
    pencil = np.block([[model.A, model.B], [model.C, model.D]])
    found = eigvals(pencil, np.block([[np.eye(n), np.zeros((n, m))], [np.zeros((m, n + m))]]))
    largest = max((abs(mode.pole) for mode in model.modes), default=1.0)
    return found[np.isfinite(found) & (np.abs(found) < 1e3 * max(largest, 1e-12))]


def poles(model: Linear, title: str = "") -> Figure:
    """Poles (×) in the complex plane, and transmission zeros (○) if there are as many inputs as outputs."""
    import matplotlib as mpl

    values = np.array([mode.pole for mode in model.modes] + [mode.pole.conjugate() for mode in model.modes])
    with mpl.rc_context(STYLE | {"axes.xmargin": 0.08}):
        figure = empty_figure(6.0, 5.0)
        axes = figure.subplots()
        axes.axvline(0.0, color="0.6", linewidth=0.8)
        axes.axhline(0.0, color="0.6", linewidth=0.8)
        axes.plot(values.real, values.imag, "x", label="poles")
        if 0 < len(model.inputs) == len(model.outputs):
            found = zeros(model)
            axes.plot(found.real, found.imag, "o", fillstyle="none", label="zeros")
        axes.set_xlabel("real part [1/s]")
        axes.set_ylabel("imaginary part [rad/s]")
        axes.legend()
        figure.suptitle(title or model.name, x=0.01, ha="left")
    return figure


def shares(model: Linear, title: str = "") -> Figure:
    """Each body's share of the kinetic energy, one row per oscillating mode."""
    import matplotlib as mpl

    rows = [mode for mode in model.modes if mode.frequency > 0.0][:SHOWN]
    if not rows:
        raise ValueError(f"{model.name}: no mode oscillates, so there is nothing to draw")
    owners = list(model.inertias) or list(dict.fromkeys(state.name.partition(".")[0] for state in model.states))
    with mpl.rc_context(STYLE | {"axes.grid": False}):
        figure = empty_figure(1.8 + 0.9 * len(owners), 1.2 + 0.34 * len(rows))
        axes = figure.subplots()
        table = np.array([[mode.shares.get(owner, 0.0) for owner in owners] for mode in rows])
        axes.imshow(table, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
        for i, j in np.argwhere(table > 0.02):
            axes.text(
                j,
                i,
                f"{100 * table[i, j]:.0f}",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if table[i, j] > 0.6 else "black",
            )
        axes.set_xticks(range(len(owners)), owners, rotation=30, ha="right")
        axes.set_yticks(range(len(rows)), [f"{mode.frequency:.4g} Hz" for mode in rows])
        axes.set_title("share of the kinetic energy [%]" if model.inertias else "participation [%]")
        figure.suptitle(title or model.name, x=0.01, ha="left")
    return figure


def frequencies(family: Family, title: str = "") -> Figure:
    """Frequencies [Hz] of all oscillating modes, over a grid of one name."""
    import matplotlib as mpl

    if len(family.grid) != 1:
        raise ValueError(f"a family over {', '.join(family.grid)} has no single axis; give a grid of one name")
    name, over = next(iter(family.grid.items()))
    rows = [sorted(mode.frequency for mode in model.modes if mode.frequency > 0.0) for model in family.models]
    if len({len(row) for row in rows}) > 1:  # where a mode stops oscillating: a gap, not a wrong line
        longest = max(len(row) for row in rows)
        rows = [[*row, *[np.nan] * (longest - len(row))] for row in rows]
    with mpl.rc_context(STYLE):
        figure = empty_figure(7.0, 4.2)
        axes = figure.subplots()
        axes.plot(over, rows, marker=".", markersize=4)
        axes.set_yscale("log")
        units = {state.name: f" [{state.unit}]" for state in family.models[0].states if state.unit}
        axes.set_xlabel(name + units.get(name, ""))
        axes.set_title("frequency of each mode [Hz]")
        figure.suptitle(title or family.models[0].name, x=0.01, ha="left")
    return figure


__all__ = ["bode", "frequencies", "poles", "shapes", "shares", "zeros"]
