"""What stands between a command and a force: limits, lags and valves of actuators, in front of any System.

An actuator takes the place of one input of the plant: the host sets the command under the input's name, the plant gets

    u_plant = force(now),     now: command, own states, own discrete states, the plant's states

so that every route and formulation has them alike. States of actuators stand behind those of the plant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algebra.scalar import both, maximum, minimum, where
from ..system.contract import Projection, Staged, System
from ..system.pieces import Declared, Piece, discrete, output, parameter, state
from ..system.signals import SMALLEST, Bag, Parameter, SignalTable

FADE = 0.02  # of the largest speed: over it a motor loses its torque, as the voltage left does


@dataclass(frozen=True)
class Now:
    """One instant of an actuator: time, its command, parameters k, states x and discretes d of the whole."""

    t: Any
    command: Any
    k: Bag
    x: Bag
    d: Bag


class Actuator(Piece):
    """Base of all: `drives` is the plant's input whose command it takes."""

    drives: str

    def force(self, now: Now) -> Any:
        raise NotImplementedError

    def rates(self, now: Now) -> Any:
        return np.zeros(0)

    def results(self, now: Now) -> Any:
        return np.array([self.force(now)])

    def update(self, now: Now) -> Any:
        return np.zeros(0)

    def next_time(self, now: Now) -> Any:
        return np.inf


@dataclass(frozen=True)
class WheelMotor(Actuator):
    """A wheel's motor: τ Ṫ = T_command − T, |T| limited; near the largest speed it can't drive the rotor further, only brake it."""

    name: str
    torque_limit: Declared[Parameter] = parameter("largest motor torque of {self.name}", "N.m", None, min=SMALLEST)
    speed_limit: Declared[Parameter] = parameter("largest speed of {self.name}", "rad/s", None, min=SMALLEST)
    lag: Declared[Parameter] = parameter("time constant of the motor of {self.name}", "s", None, min=SMALLEST)

    motor_torque = state(
        "lagged motor torque of {self.name}", "N.m", when=lambda self: self.lag, derivative_unit="N.m/s"
    )
    applied_torque = output("torque that the motor of {self.name} gives", "N.m")  # fmt: skip

    @property
    def drives(self) -> str:  # type: ignore[override]
        return f"{self.name}.torque"

    def _wanted(self, now: Now) -> Any:
        if self.torque_limit is None:
            return now.command
        return maximum(minimum(now.command, now.k[self.torque_limit]), -now.k[self.torque_limit])

    def rates(self, now: Now) -> Any:
        if not self.lag:
            return np.zeros(0)
        return np.array([(self._wanted(now) - now.x[self.motor_torque]) / now.k[self.lag]])

    def force(self, now: Now) -> Any:
        torque = now.x[self.motor_torque] if self.lag else self._wanted(now)
        if self.speed_limit is None:
            return torque
        limit, speed = now.k[self.speed_limit], now.x[f"{self.name}.speed"]
        left = (limit - where(torque > 0.0, speed, -speed)) / (FADE * limit)
        return torque * maximum(minimum(left, 1.0), 0.0)


@dataclass(frozen=True)
class ThrusterValve(Actuator):
    """A thruster's valve: 0 ≤ F ≤ maximum; open at least for the shortest pulse; τ Ḟ = F_valve − F with the time constants of rise and fall.

    The shortest pulse has the smallest impulse, whatever its thrust: minimum_impulse / F seconds. A command that grows meanwhile gives what is left of
    it sooner. It opens at events: at communication points, and at samples of a controller in the same System.
    """

    name: str
    maximum: Declared[Parameter] = parameter("largest thrust of {self.name}", "N", None, min=SMALLEST)
    minimum_impulse: Declared[Parameter] = parameter(
        "impulse of the shortest pulse of {self.name}", "N.s", None, min=0.0
    )
    rise_time: Declared[Parameter] = parameter(
        "time constant with which the thrust of {self.name} rises", "s", None, min=SMALLEST
    )
    fall_time: Declared[Parameter] = parameter("time constant with which it falls", "s", None, min=SMALLEST)

    thrust = state("thrust of {self.name}", "N", when=lambda self: self.rise_time, derivative_unit="N/s")
    pulse_end = discrete(
        "until when the valve of {self.name} stays open",
        "s",
        -1.0,
        when=lambda self: self.minimum_impulse,
        output=False,
        calculated=True,
    )
    pulse_force = discrete(
        "what it gives until then", "N", when=lambda self: self.minimum_impulse, output=False, calculated=True
    )
    applied_force = output("thrust that {self.name} gives", "N")  # fmt: skip

    @property
    def drives(self) -> str:  # type: ignore[override]
        return f"{self.name}.force"

    def _wanted(self, now: Now) -> Any:
        return maximum(minimum(now.command, now.k[self.maximum]), 0.0)

    def _open(self, now: Now) -> Any:
        """Whether a shortest pulse is under way."""
        return now.t < now.d[self.pulse_end]

    def _valve(self, now: Now) -> Any:
        if not self.minimum_impulse:
            return self._wanted(now)
        return where(self._open(now), maximum(self._wanted(now), now.d[self.pulse_force]), self._wanted(now))

    def update(self, now: Now) -> Any:
        if not self.minimum_impulse:
            return np.zeros(0)
        wanted, end = self._wanted(now), now.d[self.pulse_end]
        # pulse_force is 0 while the valve is shut: a command that comes then begins a pulse
        held = now.d[self.pulse_force]
        left = where(held <= 0.0, now.k[self.minimum_impulse], maximum(end - now.t, 0.0) * held)  # impulse
        grows, shut = wanted > held, both(wanted <= 0.0, now.t >= end)
        new_end = where(grows, now.t + left / where(grows, wanted, 1.0), end)
        return np.array([new_end, where(grows, wanted, where(shut, 0.0, held))])

    def next_time(self, now: Now) -> Any:
        return where(self._open(now), now.d[self.pulse_end], np.inf) if self.minimum_impulse else np.inf

    def rates(self, now: Now) -> Any:
        if not self.rise_time:
            return np.zeros(0)
        missing = self._valve(now) - now.x[self.thrust]
        return np.array([missing / where(missing > 0.0, now.k[self.rise_time], now.k[self.fall_time])])

    def force(self, now: Now) -> Any:
        return now.x[self.thrust] if self.rise_time else self._valve(now)


def actuated(system: System, actuators: Sequence[Actuator]) -> System:
    """The same System with actuators in front of its inputs."""
    if not actuators:
        return system
    plant = system.signals
    added: dict[str, list] = {
        group: [q for a in actuators for q in getattr(a, group)()] for group in SignalTable.GROUPS
    }
    table = SignalTable(**{group: [*plant.quantities(group), *added[group]] for group in SignalTable.GROUPS})
    nx, np_, nk, nd = system.nx, system.np, system.nk, system.nd
    places = [plant.where("inputs", actuator.drives) for actuator in actuators]
    timed = any(a.discretes() for a in actuators)

    def moments(t, x, u, k, d) -> list[Now]:
        own_k = np.concatenate([np.zeros(np_), k[nk:]])  # the Bag reads parameters by their place among all of them
        bags = Bag(table, "parameters", own_k), Bag(table, "states", x), Bag(table, "discretes", d)
        return [Now(t, u[place], *bags) for place in places]

    def inner(t, x, u, k, d):
        """The plant's own arguments."""
        forces = dict(
            zip(places, (a.force(now) for a, now in zip(actuators, moments(t, x, u, k, d), strict=True)), strict=True)
        )
        return t, x[:nx], np.array([forces.get(i, value) for i, value in enumerate(u)]), k[:nk], d[:nd]

    def each(function: str, t, x, u, k, d):
        found = [getattr(a, function)(now) for a, now in zip(actuators, moments(t, x, u, k, d), strict=True)]
        return np.concatenate(found)

    def finish(t, x, u, k, d, *solved):
        x_dot, y, g = system.motion.finish(*inner(t, x, u, k, d), *solved)
        own = each("rates", t, x, u, k, d), each("results", t, x, u, k, d)
        return np.concatenate([x_dot, own[0]]), np.concatenate([y, own[1]]), g

    def assembled(stage: Staged):
        return stage.assemble and (lambda t, x, u, k, d, *more: stage.assemble(*inner(t, x, u, k, d), *more))

    def update(t, x, u, k, d, g, *solved):
        x_new, d_new = x[:nx], d[:nd]
        if system.update is not None:
            x_new, d_new = system.update.finish(*inner(t, x, u, k, d), g, *solved)
        return np.concatenate([x_new, x[nx:]]), np.concatenate([d_new, each("update", t, x, u, k, d)])

    def initialize(t, x, u, k, d):
        x_new, d_new = system.initialize(*inner(t, x, u, k, d))
        return np.concatenate([x_new, x[nx:]]), np.concatenate([d_new, d[nd:]])

    def next_time(t, x, u, k, d):
        times = [a.next_time(now) for a, now in zip(actuators, moments(t, x, u, k, d), strict=True)]
        first = system.next_time(*inner(t, x, u, k, d)) if system.next_time is not None else np.inf
        for time in times:
            first = minimum(first, time)
        return first

    def moved(projection: Projection) -> Projection:
        def project(t, x, u, k, d, *solved):
            return np.concatenate([projection.stage.finish(*inner(t, x, u, k, d), *solved), x[nx:]])

        return replace(
            projection, stage=replace(projection.stage, finish=project, assemble=assembled(projection.stage))
        )

    bounded = [(np_ + i, e) for i, e in enumerate(table.parameters[np_:])]
    motion, jumps = system.motion, system.update or Staged(update)
    return replace(
        system,
        signals=table,
        motion=replace(motion, finish=finish, assemble=assembled(motion)),
        derive=lambda p: np.concatenate([system.derive(p[:np_]), p[np_:]]),
        constant_count=nk + len(bounded),
        check=lambda p: np.concatenate([system.check(p[:np_]), np.array([p[i] + (e.min == 0.0) * SMALLEST for i, e in bounded])]),
        laws=(*system.laws, *(f"{e.name} must {'be positive' if e.min else 'not be negative'}" for _, e in bounded)),
        initialize=initialize,
        next_time=next_time if timed or system.next_time is not None else None,
        update=replace(jumps, finish=update, assemble=assembled(jumps)) if timed or system.update is not None else None,
        projections=tuple(moved(p) for p in system.projections),
    )  # fmt: skip
