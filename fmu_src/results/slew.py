"""Key numbers and plot of an attitude slew: a result with `plant.*` (a satellite with wheels) and `controller.*`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from .plot import STYLE, empty_figure
from .table import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTLED = np.radians(0.01)  # pointing error below which the slew is complete


@dataclass(frozen=True)
class SlewNumbers:
    """Key numbers of a slew; angles in degrees, for reading."""

    slew_angle: float  # [deg]
    largest_error: float  # [deg] pointing error during the slew
    final_error: float  # [deg]
    settled_at: float  # [s] after which the error stays below 0.01 deg
    largest_torque: float  # [N m]
    tip_amplitude: float  # [mm] of the panel, elastic
    ringing: float  # [mm] of the wing's tip once the reference rests
    naive_ringing: float  # [mm] of the same slew without input shaping
    momentum_error: float  # |H − H0| over the largest momentum that the satellite took from its wheels
    energy_error: float  # |E − E0 − work + losses| over the largest energy exchanged

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


def slew_numbers(result: Result, naive: Result) -> SlewNumbers:
    """The main numbers of a slew. naive: the same one without input shaping."""
    error = np.degrees(_length(result["controller.error"]))
    late = np.flatnonzero(error > np.degrees(SETTLED))
    momentum, energy = balances(result)
    return SlewNumbers(
        slew_angle=float(np.degrees(_turned(result["controller.reference.quaternion"])[-1])),
        largest_error=float(error.max()),
        final_error=float(error[-1]),
        settled_at=float(result.time[min(late[-1] + 1, len(error) - 1)]) if late.size else 0.0,
        largest_torque=float(np.abs(result["controller.torque"]).max()),
        tip_amplitude=float(1e3 * _length(result["plant.panel.tip.displacement"]).max()),
        ringing=1e3 * ringing(result),
        naive_ringing=1e3 * ringing(naive),
        momentum_error=float(momentum.max()),
        energy_error=float(energy.max()),
    )


def ringing(result: Result, period: float = 2.0, window: float = 20.0) -> float:
    """Amplitude [m] of the tip after the reference has come to rest, without motion slower than the wing's period [s]."""
    moving = np.flatnonzero(_length(result["controller.reference.rate"]) > 0.0)
    rest = result.time[moving[-1] + 1]
    step = result.time[1]
    count = round(period / step)
    tip = result["plant.panel.tip.displacement"][:, 2]
    mean = np.convolve(tip, np.full(count, 1.0 / count), "same")
    late = (result.time > rest + 0.5 * period) & (result.time < rest + window)
    return float(np.abs(tip - mean)[late].max())


def balances(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Relative errors over time of the conserved quantities: angular momentum (wheels are inside the system) and energy."""
    momentum, torque = result["plant.system.angular_momentum"], result["controller.torque"]
    exchanged = _length(np.cumsum(torque[:-1] * np.diff(result.time)[:, None], axis=0)).max()
    work, lost = result["plant.system.work"], result["plant.system.dissipated_energy"]
    energy = result["plant.system.kinetic_energy"] + result["plant.system.potential_energy"] + lost - work
    turnover = np.abs(work).max() + np.abs(lost).max()
    return _length(momentum - momentum[0]) / exchanged, np.abs(energy - energy[0]) / turnover


def _wheels(result: Result) -> list[str]:
    return [
        name.removesuffix(".speed")
        for name in result.names
        if name.startswith("plant.wheel.") and name.endswith(".speed")
    ]


def _length(rows: np.ndarray) -> np.ndarray:
    return np.linalg.norm(rows, axis=1)


def _turned(quaternions: np.ndarray) -> np.ndarray:
    """Angle [rad] by which attitudes (n, 4) are turned from the first axes, 0 to π."""
    return 2.0 * np.arctan2(_length(quaternions[:, 1:]), np.abs(quaternions[:, 0]))


def slew_figure(result: Result, naive: Result | None = None) -> Figure:
    """naive: the same slew without input shaping. Attitude, error, torque, wheel speeds, tip displacements and balances: a matplotlib figure."""
    import matplotlib as mpl

    time = result.time
    with mpl.rc_context(STYLE):
        figure = empty_figure(10.0, 6.7)
        (attitude, torque), (error, speed), (tip, balance) = figure.subplots(3, 2, sharex=True)

        attitude.set_title("Turn of the satellite [deg]")
        attitude.plot(time, np.degrees(_turned(result["plant.hub.quaternion"])), label="satellite")
        attitude.plot(
            time, np.degrees(_turned(result["controller.reference.quaternion"])), "k--", lw=1.0, label="reference"
        )
        attitude.legend()

        error.set_title("Pointing error [deg]")
        error.semilogy(time, np.maximum(np.degrees(_length(result["controller.error"])), 1e-5), color="C3")
        error.set_ylim(bottom=1e-4)
        error.axhline(np.degrees(SETTLED), color="k", ls=":", lw=1.0, label="settled below")
        error.legend(loc="lower right")

        torque.set_title("Commanded torque [N m]")
        for axis, values in zip("xyz", result["controller.torque"].T, strict=True):
            torque.step(time, values, where="post", label=axis)
        torque.legend(ncols=3)

        speed.set_title("Wheel speeds [rad/s]")
        for wheel in _wheels(result):
            speed.plot(time, result[f"{wheel}.speed"], label=wheel.rsplit(".", 1)[1])
        speed.legend(ncols=2)

        tip.set_title("Elastic displacement of the wing's tip [mm]")
        if naive is not None:
            tip.plot(naive.time, 1e3 * naive["plant.panel.tip.displacement"][:, 2], color="0.6", lw=0.8, label="naive")
        tip.plot(time, 1e3 * result["plant.panel.tip.displacement"][:, 2], color="C2", label="shaped")
        tip.legend(ncols=2)

        momentum, energy = balances(result)
        balance.set_title("Relative error of what must hold")
        balance.semilogy(time, np.maximum(momentum, 1e-16), label="angular momentum")
        balance.semilogy(time, np.maximum(energy, 1e-16), label="energy balance", lw=0.8)
        balance.set_ylim(3e-17, 1e-10)
        balance.legend(loc="upper right", ncols=2)

        for axes in (tip, balance):
            axes.set_xlabel("time [s]")
        figure.suptitle(
            "FlexibleSatellite, SlewController and wheels: three native FMUs, co-simulated",
            x=0.01,
            ha="left",
            fontsize=12,
        )
    return figure
