"""The path from a command to a force: limits, lags and valves of actuators, added to any System.

An actuator replaces one input of the plant: the host sets the command under the input's name, the plant gets

    u_plant = force(now),     now: command, own states, own discrete states, the plant's states

so that actuators work with every route and formulation. States of actuators follow those of the plant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..algebra.scalar import both, maximum, minimum, where
from ..system.contract import Projection, Staged, System
from ..system.layout import Layout
from ..system.pieces import Declared, Piece, at_terminals, discrete, output, parameter, state
from ..system.signals import SMALLEST, Bag, Parameter, SignalTable

FADE = 0.02  # of the largest speed: over this range the motor's torque fades with the remaining voltage


@dataclass(frozen=True)
class ActuatorInstant:
    """One instant of an actuator: time, its command, inputs u, parameters k, states x and discretes d of the whole."""

    t: Any
    command: Any
    u: Bag
    k: Bag
    x: Bag
    d: Bag


class Actuator(Piece):
    """Base class: `drives` is the plant's input whose command it receives; `first`: it acts before another one of the same input."""

    drives: str
    first: ClassVar[bool] = False
    samples: Any = False  # whether it samples its command
    indicator_count: Any = 0

    def force(self, now: ActuatorInstant) -> Any:
        raise NotImplementedError

    def rates(self, now: ActuatorInstant) -> Any:
        return np.zeros(0)

    def results(self, now: ActuatorInstant) -> Any:
        return np.array([self.force(now)])

    def initial(self, now: ActuatorInstant) -> Any:
        """Its discrete states at the start."""
        return np.concatenate([np.zeros(0), *(np.ravel(now.d[quantity]) for quantity in self.discretes())])

    def indicators(self, now: ActuatorInstant) -> Any:
        return np.zeros(0)

    def update(self, now: ActuatorInstant, g: Any) -> Any:
        """Its discrete states after an event; g: its own indicators."""
        return np.zeros(0)

    def next_time(self, now: ActuatorInstant) -> Any:
        return np.inf


@dataclass(frozen=True)
class WheelMotor(Actuator):
    """A wheel's motor: τ Ṫ = T_command − T, |T| limited; near the largest speed it can only brake the rotor."""

    name: str
    terminal = "wheel"
    torque_limit: Declared[Parameter] = parameter("largest motor torque of {self.name}", "N.m", None, min=SMALLEST)
    speed_limit: Declared[Parameter] = parameter("largest speed of {self.name}", "rad/s", None, min=SMALLEST)
    lag: Declared[Parameter] = parameter("time constant of the motor of {self.name}", "s", None, min=SMALLEST)

    motor_torque = state(
        "lagged motor torque of {self.name}", "N.m", when=lambda self: self.lag, derivative_unit="N.m/s"
    )
    applied_torque = output("torque of the motor of {self.name}", "N.m")  # fmt: skip

    @property
    def drives(self) -> str:  # type: ignore[override]
        return f"{self.name}.torque"

    def _wanted(self, now: ActuatorInstant) -> Any:
        if self.torque_limit is None:
            return now.command
        return maximum(minimum(now.command, now.k[self.torque_limit]), -now.k[self.torque_limit])

    def rates(self, now: ActuatorInstant) -> Any:
        if not self.lag:
            return np.zeros(0)
        return np.array([(self._wanted(now) - now.x[self.motor_torque]) / now.k[self.lag]])

    def force(self, now: ActuatorInstant) -> Any:
        torque = now.x[self.motor_torque] if self.lag else self._wanted(now)
        if self.speed_limit is None:
            return torque
        limit, speed = now.k[self.speed_limit], now.x[f"{self.name}.speed"]
        left = (limit - where(torque > 0.0, speed, -speed)) / (FADE * limit)
        return torque * maximum(minimum(left, 1.0), 0.0)


@dataclass(frozen=True)
class ThrusterValve(Actuator):
    """A thruster's valve: 0 ≤ F ≤ maximum; open at least for the shortest pulse; τ Ḟ = F_valve − F with the time constants of rise and
    fall. The shortest pulse has the smallest impulse at any thrust: it lasts minimum_impulse / F seconds. If the command grows meanwhile,
    the rest of the impulse is given sooner. It opens at events: at communication points, and at samples of a controller in the same System.
    """

    name: str
    terminal = "thruster"
    maximum: Declared[Parameter] = parameter("largest thrust of {self.name}", "N", None, min=SMALLEST)
    minimum_impulse: Declared[Parameter] = parameter(
        "impulse of the shortest pulse of {self.name}", "N.s", None, min=0.0
    )
    rise_time: Declared[Parameter] = parameter(
        "time constant of the rise of the thrust of {self.name}", "s", None, min=SMALLEST
    )
    fall_time: Declared[Parameter] = parameter("time constant with which it falls", "s", None, min=SMALLEST)
    on_off: bool = False  # any command above 0 asks for the maximum

    thrust = state("thrust of {self.name}", "N", when=lambda self: self.rise_time, derivative_unit="N/s")
    pulse_end = discrete(
        "time until which the valve of {self.name} stays open",
        "s",
        -1.0,
        when=lambda self: self.minimum_impulse,
        output=False,
        calculated=True,
    )
    pulse_force = discrete(
        "thrust until that time", "N", when=lambda self: self.minimum_impulse, output=False, calculated=True
    )
    applied_force = output("thrust of {self.name}", "N")  # fmt: skip

    @property
    def drives(self) -> str:  # type: ignore[override]
        return f"{self.name}.force"

    def _wanted(self, now: ActuatorInstant) -> Any:
        if self.on_off:
            return where(now.command > 0.0, now.k[self.maximum], 0.0)
        return maximum(minimum(now.command, now.k[self.maximum]), 0.0)

    def _open(self, now: ActuatorInstant) -> Any:
        """Whether a shortest pulse is under way."""
        return now.t < now.d[self.pulse_end]

    def _valve(self, now: ActuatorInstant) -> Any:
        if not self.minimum_impulse:
            return self._wanted(now)
        return where(self._open(now), maximum(self._wanted(now), now.d[self.pulse_force]), self._wanted(now))

    def update(self, now: ActuatorInstant, g: Any) -> Any:
        if not self.minimum_impulse:
            return np.zeros(0)
        wanted, end = self._wanted(now), now.d[self.pulse_end]
        # pulse_force is 0 while the valve is shut: a new command then begins a pulse
        held = now.d[self.pulse_force]
        left = where(held <= 0.0, now.k[self.minimum_impulse], maximum(end - now.t, 0.0) * held)  # impulse
        grows, shut = wanted > held, both(wanted <= 0.0, now.t >= end)
        new_end = where(grows, now.t + left / where(grows, wanted, 1.0), end)
        return np.array([new_end, where(grows, wanted, where(shut, 0.0, held))])

    def next_time(self, now: ActuatorInstant) -> Any:
        return where(self._open(now), now.d[self.pulse_end], np.inf) if self.minimum_impulse else np.inf

    def rates(self, now: ActuatorInstant) -> Any:
        if not self.rise_time:
            return np.zeros(0)
        missing = self._valve(now) - now.x[self.thrust]
        return np.array([missing / where(missing > 0.0, now.k[self.rise_time], now.k[self.fall_time])])

    def force(self, now: ActuatorInstant) -> Any:
        return now.x[self.thrust] if self.rise_time else self._valve(now)


def actuated(system: System, actuators: Sequence[Actuator]) -> System:
    """The same System with actuators at its inputs."""
    for group in ([a for a in actuators if not a.first], [a for a in actuators if a.first]):
        system = _behind(system, group) if group else system
    return system


def _behind(system: System, actuators: Sequence[Actuator]) -> System:
    """The same System behind actuators of different inputs."""
    plant = system.signals
    added: dict[str, list] = {
        group: [q for a in actuators for q in at_terminals(getattr(a, group)(), a.terminals())]
        for group in SignalTable.GROUPS
    }
    more = {group: sum(quantity.size for quantity in found) for group, found in added.items()}
    layouts = {group: parts.followed_by("actuators", more[group]) for group, parts in plant.layouts.items()}
    groups: dict[str, list] = {group: [*plant.quantities(group), *found] for group, found in added.items()}
    table = SignalTable(**groups).in_parts(layouts)
    X, P, K, D = (
        Layout({"plant": size, "actuators": more[group]})
        for group, size in (
            ("states", system.nx),
            ("parameters", system.np),
            ("parameters", system.nk),
            ("discretes", system.nd),
        )
    )
    places = [np.atleast_1d(plant.where("inputs", actuator.drives)) for actuator in actuators]
    scalar = [np.ndim(plant.where("inputs", actuator.drives)) == 0 for actuator in actuators]
    watched = Layout({str(i): actuator.indicator_count for i, actuator in enumerate(actuators)})
    timed = any(a.discretes() for a in actuators)

    def moments(t, x, u, k, d) -> list[ActuatorInstant]:
        # the Bag reads parameters by their place among all of them
        own_k = P.joined({"plant": np.zeros(system.np), "actuators": k[K["actuators"]]})
        bags = (
            Bag(table, "inputs", u),
            Bag(table, "parameters", own_k),
            Bag(table, "states", x),
            Bag(table, "discretes", d),
        )
        return [
            ActuatorInstant(t, u[place[0]] if alone else u[place], *bags)
            for place, alone in zip(places, scalar, strict=True)
        ]

    def inner(t, x, u, k, d):
        """The plant's own arguments."""
        forces = {}
        for actuator, place, now in zip(actuators, places, moments(t, x, u, k, d), strict=True):
            forces |= dict(zip(place.tolist(), np.atleast_1d(actuator.force(now)), strict=True))
        own_u = np.array([forces.get(i, value) for i, value in enumerate(u[:plant_inputs])])
        return t, x[X["plant"]], own_u, k[K["plant"]], d[D["plant"]]

    plant_inputs = len(plant.inputs)

    def each(function: str, t, x, u, k, d, *more):
        nows = moments(t, x, u, k, d)
        return np.concatenate(
            [getattr(a, function)(now, *own) for a, now, *own in zip(actuators, nows, *more, strict=True)]
        )

    def finish(t, x, u, k, d, *solved):
        x_dot, y, g = system.motion.finish(*inner(t, x, u, k, d), *solved)
        own = [each(function, t, x, u, k, d) for function in ("rates", "results", "indicators")]
        return X.joined({"plant": x_dot, "actuators": own[0]}), np.concatenate([y, own[1]]), np.concatenate([g, own[2]])

    def assembled(stage: Staged):
        """A plant's indicators are the first."""
        return stage.assemble and (
            lambda t, x, u, k, d, *g: stage.assemble(*inner(t, x, u, k, d), *(all_[: system.ng] for all_ in g))
        )

    def update(t, x, u, k, d, g, *solved):
        x_new, d_new = x[X["plant"]], d[D["plant"]]
        if system.update is not None:
            x_new, d_new = system.update.finish(*inner(t, x, u, k, d), g[: system.ng], *solved)
        own = watched.parts(g[system.ng :]).values()
        return X.replaced(x, plant=x_new), D.joined({"plant": d_new, "actuators": each("update", t, x, u, k, d, own)})

    def initialize(t, x, u, k, d):
        d = D.replaced(d, actuators=each("initial", t, x, u, k, d))
        x_new, d_new = system.initialize(*inner(t, x, u, k, d))
        return X.replaced(x, plant=x_new), D.replaced(d, plant=d_new)

    def next_time(t, x, u, k, d):
        times = [a.next_time(now) for a, now in zip(actuators, moments(t, x, u, k, d), strict=True)]
        first = system.next_time(*inner(t, x, u, k, d)) if system.next_time is not None else np.inf
        for time in times:
            first = minimum(first, time)
        return first

    def moved(projection: Projection) -> Projection:
        def project(t, x, u, k, d, *solved):
            return X.replaced(x, plant=projection.stage.finish(*inner(t, x, u, k, d), *solved))

        return replace(
            projection, stage=replace(projection.stage, finish=project, assemble=assembled(projection.stage))
        )

    bounded = list(zip(range(system.np, P.size), table.parameters[P["actuators"]], strict=True))
    motion, jumps = system.motion, system.update or Staged(update)
    return replace(
        system,
        signals=table,
        motion=replace(motion, finish=finish, assemble=assembled(motion)),
        indicator_count=system.indicator_count + watched.size,
        slow_indicators=system.slow_indicators and not watched.size,
        samples=system.samples or any(a.samples for a in actuators),
        derive=lambda p: K.joined({"plant": system.derive(p[P["plant"]]), "actuators": p[P["actuators"]]}),
        constant_count=K.size,
        check=lambda p: np.concatenate([system.check(p[P["plant"]]), np.array([p[i] + (e.min == 0.0) * SMALLEST for i, e in bounded])]),
        laws=(*system.laws, *(f"{e.name} must {'be positive' if e.min else 'not be negative'}" for _, e in bounded)),
        initialize=initialize,
        next_time=next_time if timed or system.next_time is not None else None,
        update=replace(jumps, finish=update, assemble=assembled(jumps)) if timed or system.update is not None else None,
        projections=tuple(moved(p) for p in system.projections),
    )  # fmt: skip
