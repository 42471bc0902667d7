"""What lies between the command that a host sets and the actuator that gets it, for the inputs of any entry.

    command → sampling and delay → dead band → quantization → limit → lag → output

A real actuator takes the place of its entry's inputs, as limits and valves do (actuator.py); these stand behind it.

sampling, delay   a line of N + 1 samples, taken every T: at t in [kT, (k+1)T) it gives u((k − N)T), and 0 for samples before the start.
                  It is exact for any step of any solver, and part of saved states; delays that are not whole samples are refused
dead band         0 where |u| ≤ δ, else u: whether it is inside is a discrete state, which changes at located events
quantization      n q with n the nearest whole number of u/q: n is a discrete state, which changes at located events
limit             min(max(u, −L), L): a kink, no jump, no event
lag               τ ẏ = w − y: the only state
failures          Boolean inputs. off: the command is 0; runaway: the limit; both pass the lag. stuck: the output stays as it is.
                  off goes before stuck, stuck before runaway

Proved by tests/spacecraft/test_command_paths.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algebra.scalar import absolute, both, maximum, minimum, where
from ..system.keys import Declaration, Key, Keys, Kinds, Resolver
from ..system.pieces import Declared, discrete, input_, output, parameter, state
from ..system.signals import SMALLEST, Parameter, Quantity
from .actuator import Actuator, ActuatorInstant

HYSTERESIS = 1e-6  # of a quantum: how far beyond the middle between two the nearer one is taken
SLACK = 1e-9  # of a sample time: how far from its grid a host's clock may be
ULPS = 4.0  # the same late in a long run, in units of the resolution of time
LONGEST = 1000  # samples of a delay


def each(function: Any, *arrays: Any) -> Any:
    """(n,) of a function of scalars, entry by entry: conditions have no arrays on symbols."""
    return np.array([function(*entries) for entries in zip(*arrays, strict=True)])


def _like_input(self: CommandPath) -> Any:
    return np.zeros(self.shape) if self.shape else 0.0


@dataclass(frozen=True)
class CommandPath(Actuator):
    """Before one input of an entry, `drives`, of any shape, n numbers; what is given holds for each of them. `delayed`: samples of delay, N."""

    name: str
    drives: str
    shape: tuple[int, ...]
    unit: str
    # fmt: off
    sample_time: Declared[Parameter] = parameter("time between the commands that {self.name} takes", "s", None, min=SMALLEST)
    dead_band: Declared[Parameter] = parameter("size up to which {self.name} ignores a command", "{self.unit}", None, min=SMALLEST)
    quantum: Declared[Parameter] = parameter("step of what {self.name} can give", "{self.unit}", None, min=SMALLEST)
    limit: Declared[Parameter] = parameter("largest value that {self.name} can give", "{self.unit}", None, min=SMALLEST)
    lag: Declared[Parameter] = parameter("time constant of {self.name}", "s", None, min=SMALLEST)
    delayed: int = 0
    failures: bool = False
    first = True

    off = input_("true: {self.name} has failed and asks for nothing", "", _like_input, kind="boolean", when=lambda self: self.failures)
    stuck = input_("true: {self.name} has failed and stays as it is", "", _like_input, kind="boolean", when=lambda self: self.failures)
    runaway = input_("true: {self.name} has failed and asks for its limit", "", _like_input, kind="boolean", when=lambda self: self.failures and self.limit)

    lagged = state("what {self.name} gives", "{self.unit}", _like_input, when=lambda self: self.lag, derivative_unit="{self.rate_unit}")

    tick = discrete("number of the next sample of {self.name}", kind="integer", when=lambda self: self.sample_time, output=False, calculated=True)
    line = discrete("commands that {self.name} has taken, the latest first", "{self.unit}", lambda self: np.zeros((self.delayed + 1, self.count)), when=lambda self: self.sample_time, output=False, calculated=True)
    outside = discrete("the command of {self.name} is outside its dead band", "", _like_input, kind="boolean", when=lambda self: self.dead_band, output=False, calculated=True)
    level = discrete("steps that {self.name} asks for", "", _like_input, kind="integer", when=lambda self: self.quantum, output=False, calculated=True)
    failed = discrete("{self.name} is stuck", "", _like_input, kind="boolean", when=lambda self: self.failures and not self.lag, output=False, calculated=True)
    held = discrete("what {self.name} gives while it is stuck", "{self.unit}", _like_input, when=lambda self: self.failures and not self.lag, output=False, calculated=True)

    applied = output("what {self.name} gives", "{self.unit}", _like_input)
    # fmt: on

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    @property
    def rate_unit(self) -> str:
        above, _, below = self.unit.partition("/")
        return f"{above}/({below}.s)" if below else f"{above}/s"

    @property
    def samples(self) -> bool:
        return self.sample_time is not None

    @property
    def indicator_count(self) -> int:
        return self.count * ((self.dead_band is not None) + (self.quantum is not None))

    # ---- from command to output

    def _taken(self, now: ActuatorInstant) -> Any:
        """Commands behind sampling and delay (n,)."""
        return np.ravel(now.command) if not self.samples else now.d[self.line][-1]

    def _beyond(self, now: ActuatorInstant) -> Any:
        """Behind the dead band."""
        taken = self._taken(now)
        if self.dead_band is None:
            return taken
        return each(lambda on, u: where(on > 0.5, u, 0.0), np.ravel(now.d[self.outside]), taken)

    def _healthy(self, now: ActuatorInstant) -> Any:
        """The command without a failure."""
        wanted = self._beyond(now) if self.quantum is None else np.ravel(now.d[self.level]) * now.k[self.quantum]
        if self.limit is None:
            return wanted
        limit = now.k[self.limit]
        return each(lambda u: maximum(minimum(u, limit), -limit), wanted)

    def _failing(self, now: ActuatorInstant, quantity: Any) -> Any:
        """1 where a failure is on (n,); zeros without that input."""
        return np.zeros(self.count) if quantity is None else np.ravel(now.u[quantity])

    def _wanted(self, now: ActuatorInstant) -> Any:
        wanted = self._healthy(now)
        if self.runaway is not None:
            limit = now.k[self.limit]
            wanted = each(lambda on, w: where(on > 0.5, limit, w), self._failing(now, self.runaway), wanted)
        return each(lambda on, w: where(on > 0.5, 0.0, w), self._failing(now, self.off), wanted)

    def _outputs(self, now: ActuatorInstant) -> Any:
        """What the entry gets (n,)."""
        if self.lag is not None:
            return np.ravel(now.x[self.lagged])
        wanted = self._wanted(now)
        if not self.failures:
            return wanted
        return each(
            lambda off, on, held, w: where(off > 0.5, 0.0, where(on > 0.5, held, w)),
            self._failing(now, self.off), np.ravel(now.d[self.failed]), np.ravel(now.d[self.held]), wanted,
        )  # fmt: skip

    def force(self, now: ActuatorInstant) -> Any:
        found = self._outputs(now)
        return found if self.shape else found[0]

    def results(self, now: ActuatorInstant) -> Any:
        return self._outputs(now)

    def rates(self, now: ActuatorInstant) -> Any:
        if self.lag is None:
            return np.zeros(0)
        off, stuck = self._failing(now, self.off), self._failing(now, self.stuck)
        missing = self._wanted(now) - np.ravel(now.x[self.lagged])
        stays = each(lambda a, b: where(both(a > 0.5, b < 0.5), 1.0, 0.0), stuck, off)
        return (1.0 - stays) * missing / now.k[self.lag]

    # ---- events

    def _count(self, now: ActuatorInstant) -> Any:
        """The time in samples, and how far from a whole number it may be."""
        count = now.t / now.k[self.sample_time]
        return count, SLACK + ULPS * np.finfo(float).eps * absolute(count)

    def initial(self, now: ActuatorInstant) -> Any:
        """The number of the first sample at or after the start."""
        given = super().initial(now)
        if not self.samples:
            return given
        count, slack = self._count(now)
        return np.concatenate([[np.ceil(count - slack)], given[1:]])

    def next_time(self, now: ActuatorInstant) -> Any:
        return now.d[self.tick] * now.k[self.sample_time] if self.samples else np.inf

    def indicators(self, now: ActuatorInstant) -> Any:
        """|u|/δ − 1; ½ − |w/q − n|, with a little hysteresis."""
        found = [np.zeros(0)]
        if self.dead_band is not None:
            found.append(each(absolute, self._taken(now)) / now.k[self.dead_band] - 1.0)
        if self.quantum is not None:
            off_level = self._beyond(now) / now.k[self.quantum] - np.ravel(now.d[self.level])
            found.append(0.5 + HYSTERESIS - each(absolute, off_level))
        return np.concatenate(found)

    def update(self, now: ActuatorInstant, g: Any) -> Any:
        return np.concatenate([np.zeros(0), *self._sampled(now), *self._modes(now, g), *self._stuck(now)])

    def _sampled(self, now: ActuatorInstant) -> list[Any]:
        if not self.samples:
            return []
        count, slack = self._count(now)
        tick, line = now.d[self.tick], now.d[self.line]
        due = where(count >= tick - slack, 1.0, 0.0)
        shifted = np.vstack([np.ravel(now.command)[None, :], line[:-1]])
        next_tick = where(due > 0.5, maximum(np.floor(count + slack), tick) + 1.0, tick)
        kept = each(lambda new, old: where(due > 0.5, new, old), shifted.ravel(), line.ravel())
        return [np.array([next_tick]), kept]

    def _modes(self, now: ActuatorInstant, g: Any) -> list[Any]:
        found = []
        if self.dead_band is not None:
            found.append(each(lambda own: where(own > 0.0, 1.0, 0.0), g[: self.count]))
        if self.quantum is not None:
            levels, wanted = np.ravel(now.d[self.level]), self._beyond(now) / now.k[self.quantum]
            found.append(
                each(lambda own, n, w: where(own > 0.0, n, np.floor(w + 0.5)), g[-self.count :], levels, wanted)
            )
        return found

    def _stuck(self, now: ActuatorInstant) -> list[Any]:
        if self.failed is None:
            return []
        stuck = each(lambda on: where(on > 0.5, 1.0, 0.0), self._failing(now, self.stuck))
        failed, held = np.ravel(now.d[self.failed]), np.ravel(now.d[self.held])
        caught = each(
            lambda on, was, old, new: where(both(on > 0.5, was < 0.5), new, old),
            stuck,
            failed,
            held,
            self._outputs(now),
        )
        return [stuck, caught]


ACTUATOR = Keys("Actuator", "What lies between the commands of an entry and what it gives, in this order. The numbers hold for each of its inputs.", {
    "sample_time": Key("positive", "commands are taken at whole multiples of this time [s]", None),
    "delay": Key("positive", "delay between a sample and its effect, a whole number of sample times [s]", None),
    "dead_band": Key("positive", "commands up to this size are ignored, in the unit of the input", None),
    "quantum": Key("positive", "resolution: the output is a whole multiple of this, in the unit of the input", None),
    "limit": Key("positive", "largest magnitude, in the unit of the input", None),
    "lag": Key("positive", "time constant of the first-order lag [s]", None),
    "failures": Key("flag", "true: Boolean inputs off, stuck and, with a limit, runaway, which make it fail", False),
})  # fmt: skip
NUMBERS = ("sample_time", "dead_band", "quantum", "limit", "lag")
IN_UNITS = ("dead_band", "quantum", "limit")


def real(entries: Any) -> Any:
    """The same Declaration or Kinds, with the key `actuator`."""
    assert isinstance(entries, Declaration | Kinds)
    return replace(
        entries,
        keys={
            **entries.keys,
            "actuator": Key(ACTUATOR, "dead band, quantization, limit, lag, delay and failures of its inputs", None),
        },
    )


def command_paths(inputs: list[Quantity], table: Any, names: Resolver) -> list[CommandPath]:
    """One per input of an entry, as its key `actuator` says; none without it."""
    given = getattr(table, "actuator", None)
    inputs = [each for each in inputs if each.kind == "real"]
    if given is None:
        return []
    if not inputs:
        names.refused("actuator", "has no effect: this entry has no input")
        return []
    if not given.failures and all(getattr(given, key) is None for key in (*NUMBERS, "delay")):
        names.refused("actuator", f"has no effect; give one of {', '.join((*NUMBERS, 'delay', 'failures'))}")
    units = {each.unit for each in inputs}
    for key in IN_UNITS if len(units) > 1 else ():
        if getattr(given, key) is not None:
            names.refused(f"actuator.{key}", f"has no unit: this entry has inputs in {' and '.join(sorted(units))}")
    numbers = [getattr(given, key) for key in NUMBERS]
    made = (*numbers, _samples(given, names), given.failures)
    return [CommandPath(_path_name(each.name), each.name, each.shape, each.unit, *made) for each in inputs]


def _samples(given: Any, names: Resolver) -> int:
    """Of the delay."""
    if given.delay is None:
        return 0
    if given.sample_time is None:
        names.refused("actuator.delay", "requires a sample_time: commands are delayed by whole samples")
        return 0
    samples = given.delay / given.sample_time
    if abs(samples - round(samples)) > 1e-9 * samples or not 1 <= round(samples) <= LONGEST:
        names.refused(
            "actuator.delay",
            f"is {given.delay:g} s, expected 1 to {LONGEST} whole sample times of {given.sample_time:g} s",
        )
    return round(samples)


def _path_name(name: str) -> str:
    """wheel.x.torque → wheel.x.torque_actuator; arm.torque[2] → arm.torque_actuator[2]."""
    base, bracket, index = name.partition("[")
    return f"{base}_actuator{bracket}{index}"
