"""MuJoCo: the same crafts as MJCF, contact and constraints off."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np

from .. import models
from ..driver import loops
from ..timing import timed

VERSION = mujoco.__version__
_OPTIONS = (
    '<option gravity="0 0 0" integrator="RK4" timestep="{step}"><flag contact="disable" constraint="disable"/></option>'
)


def _row(numbers) -> str:
    return " ".join(map(repr, numbers))


def _model(bodies: str, step: float) -> mujoco.MjModel:
    hub = f'<freejoint/><inertial pos="0 0 0" mass="{models.HUB_MASS}" diaginertia="{_row(models.HUB_INERTIA)}"/>'
    return mujoco.MjModel.from_xml_string(
        f"<mujoco>{_OPTIONS.format(step=step)}<worldbody><body>{hub}{bodies}</body></worldbody></mujoco>"
    )


def chain(links: int) -> mujoco.MjModel:
    opening, closing = "", ""
    for i in range(links):
        opening += f'<body pos="{models.FIRST_HINGE if i == 0 else models.LINK_LENGTH} 0 0"><joint axis="0 1 0"/>'
        opening += f'<inertial pos="{models.LINK_LENGTH / 2} 0 0" mass="{models.LINK_MASS}" diaginertia="{_row(models.LINK_INERTIA)}"/>'
        closing += "</body>"
    return _model(opening + closing, 0.01)


def panels(count: int, step: float) -> mujoco.MjModel:
    text = ""
    for i in range(count):
        outward, axis = models.side(i)
        place, centre = (_row(c * d for d in outward) for c in (models.FIRST_HINGE, models.LINK_LENGTH / 2))
        text += f'<body pos="{place}"><joint axis="{_row(axis)}" stiffness="{models.STIFFNESS}"/>'
        text += (
            f'<inertial pos="{centre}" mass="{models.LINK_MASS}" diaginertia="{_row(models.panel_inertia(i))}"/></body>'
        )
    return _model(text, step)


class Chain:
    """Forward dynamics of the chain at a state: angles and rates of the hinges, turning rate of the hub in its own axes."""

    def __init__(self, links: int):
        self.model = chain(links)
        self.data = mujoco.MjData(self.model)
        library = next(Path(mujoco.__file__).parent.glob("libmujoco.*"))
        self._forward = ctypes.cast(ctypes.CDLL(str(library)).mj_forward, ctypes.c_void_p)

    def accelerations(self, angles: np.ndarray, rates: np.ndarray, omega: np.ndarray) -> np.ndarray:
        """[rad/s²] of the hinges."""
        self.data.qpos[7:], self.data.qvel[6:], self.data.qvel[3:6] = angles, rates, omega
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc[6:].copy()

    def evaluations(self, n: int) -> float:
        return loops().loop_forward(self._forward, self.model._address, self.data._address, n)


def work_precision(count: int, stop: float, until: float, most: float = 60.0) -> Iterator[tuple[float, float, float]]:
    """(step, seconds of CPU, |ΔE/E|) with halved steps, until the error is at most `until` or a run takes `most` seconds."""
    step, error, taken = 0.1, math.inf, 0.0
    while error > until and taken < most / 2:
        model = panels(count, step)
        data = mujoco.MjData(model)
        data.qpos[7], data.qvel[3:6] = models.FIRST_ANGLE, models.RATE
        before = _energy(model, data)
        taken, _ = timed(lambda m=model, d=data, s=step: mujoco.mj_step(m, d, round(stop / s)))
        error = abs(_energy(model, data) / before - 1.0)
        yield step, taken, error
        step /= 2.0


def _energy(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """[J] asked for apart: MuJoCo's flag would compute it in every evaluation."""
    mujoco.mj_forward(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    return float(data.energy.sum())
