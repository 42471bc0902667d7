"""The pieces of a spacecraft: they declare their quantities once and have common interfaces.

A piece is a frozen dataclass with a name. Its class declares each quantity in one line; an instance has it under its own name:

    @dataclass(frozen=True)
    class Bearing(Piece):
        name: str
        damping: Declared[Parameter] = parameter("viscous friction of {self.name}", "N.m.s/rad", min=0.0, tunable=True)
        torque = input_("motor torque of {self.name}", "N.m")

        def drive(self, k, u):
            return np.array([u[self.torque]])

    Bearing("wheel.x", damping=0.01).damping   is the quantity wheel.x.damping, with start 0.01

A declaration with an annotation is a field of the dataclass for the start; one without has a fixed start.
Texts may use the piece: "{self.name}". A start of None, or a `when` that is false: the piece does not have that quantity,
and the attribute is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

from .signals import Discrete, Parameter, Quantity, SignalTable, State, Terminal

Q = TypeVar("Q", bound=Quantity)
NOTHING: Any = None  # represents a quantity that a piece does not have
_UNMADE: Any = object()


class Declared(Generic[Q]):
    """A quantity of a piece, as its class declares it."""

    def __init__(
        self,
        make: type[Q],
        group: str,
        description: str,
        unit: str = "",
        start: Any = 0.0,
        *,
        name: str = "",
        when: Callable[[Any], object] | None = None,
        **more: Any,
    ):
        """start: a number, an array, or a function of the piece; name: of the quantity, if it is not the attribute's."""
        self.make, self.group, self.description, self.unit, self.start = make, group, description, unit, start
        self.name, self.when, self.more = name, when, more
        self.attribute = ""

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute
        self.name = self.name or attribute

    @overload
    def __get__(self, piece: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, piece: Piece, owner: type | None = None) -> Q: ...

    def __get__(self, piece: Piece | None, owner: type | None = None) -> Self | Q:
        if piece is None:
            return self
        made = piece.__dict__.get(self.attribute, _UNMADE)
        if made is _UNMADE:
            made = piece.__dict__[self.attribute] = self._of(piece)
        return made

    def __set__(self, piece: Piece, start: Any) -> None:
        """The start, as a dataclass sets it: a number or an array, or another piece's quantity, or nothing given."""
        given = self.start if start is self else start.start if isinstance(start, Quantity) else start
        piece.__dict__[f"{self.attribute}.start"] = given

    def _of(self, piece: Piece) -> Q:
        if self.when is not None and not self.when(piece):
            return NOTHING
        start = piece.__dict__.get(f"{self.attribute}.start", self.start)
        start = start(piece) if callable(start) else start
        if start is None:
            return NOTHING
        more: dict[str, Any] = {
            key: value.format(self=piece) if isinstance(value, str) else value for key, value in self.more.items()
        }
        text, unit = self.description.format(self=piece), self.unit.format(self=piece)
        return self.make(piece.called(self.name.format(self=piece)), text, unit, start, **more)


def parameter(description: str, unit: str = "", start: Any = 0.0, **more: Any) -> Declared[Parameter]:
    return Declared(Parameter, "parameters", description, unit, start, **more)


def input_(description: str, unit: str = "", start: Any = 0.0, **more: Any) -> Declared[Quantity]:
    return Declared(Quantity, "inputs", description, unit, start, **more)


def output(description: str, unit: str = "", start: Any = 0.0, **more: Any) -> Declared[Quantity]:
    return Declared(Quantity, "outputs", description, unit, start, **more)


def state(description: str, unit: str = "", start: Any = 0.0, **more: Any) -> Declared[State]:
    return Declared(State, "states", description, unit, start, **more)


def discrete(description: str, unit: str = "", start: Any = 0.0, **more: Any) -> Declared[Discrete]:
    return Declared(Discrete, "discretes", description, unit, start, **more)


class HoldsSpeeds(Protocol):
    """The common interface of joints' forces and bodies, for their n coordinates q and speeds v (η and η̇ of a body)."""

    def passive(self, k: Any, u: Any, d: Any, q: Any, v: Any) -> tuple[Any, Any]:
        """Forces (n,) along the speeds of springs, dampers and friction, and the power they dissipate [W]."""

    def drive(self, k: Any, u: Any) -> Any:
        """Forces (n,) of inputs; their power is work of the inputs."""

    def potential(self, k: Any, q: Any) -> Any:
        """Stored energy [J]."""


class Piece:
    """The quantities of a piece by group: those of its parts, then those its class declares."""

    name: Any
    words: ClassVar[tuple[str, ...]] = ()  # names of its quantities that differ from the declared ones
    terminal: ClassVar[str] = ""  # the kind of terminal that its inputs and outputs make; "": none
    terminal_name: ClassVar[str] = "{self.name}"

    def called(self, quantity: str) -> str:
        """The full name of one of its quantities."""
        return f"{self.name}.{quantity}"

    def parts(self) -> Iterable[Piece]:
        """Pieces that it is made of."""
        return ()

    def states(self) -> list[State]:
        return self._declared("states")

    def inputs(self) -> list[Quantity]:
        return self._declared("inputs")

    def parameters(self) -> list[Parameter]:
        return self._declared("parameters")

    def discretes(self) -> list[Discrete]:
        return self._declared("discretes")

    def outputs(self) -> list[Quantity]:
        return self._declared("outputs")

    def terminals(self) -> dict[str, Terminal]:
        """The terminal of each of its quantities by name; a part's own goes before that of the whole."""
        found: dict[str, Terminal] = {}
        if self.terminal:
            own = Terminal(self.terminal, self.terminal_name.format(self=self))
            found = {each.name: own for group in SignalTable.GROUPS for each in getattr(self, group)()}
        for part in self.parts():
            found |= part.terminals()
        return found

    def laws(self, k: Any) -> list[tuple[str, Any]]:
        """The laws of its parameters: (sentence, number that must be positive)."""
        return [law for part in self.parts() for law in part.laws(k)]

    def _declared(self, group: str) -> list[Any]:
        kind: Any = type(self)
        own = (getattr(self, declared.attribute) for declared in _declarations(kind) if declared.group == group)
        return [
            *(quantity for part in self.parts() for quantity in getattr(part, group)()),
            *(quantity for quantity in own if quantity is not None),
        ]


@cache
def _declarations(piece: Any) -> tuple[Declared[Any], ...]:
    """All declarations of a class, those of its bases first, each once."""
    found = {a: d for base in reversed(piece.__mro__) for a, d in vars(base).items() if isinstance(d, Declared)}
    return tuple(found.values())


def words_of(piece: Any) -> tuple[str, ...]:
    """The first words in the names of the quantities of a class, after the piece's own name."""
    return piece.words or tuple(dict.fromkeys(declared.name.partition(".")[0] for declared in _declarations(piece)))


def at_terminals(quantities: Iterable[Q], terminals: Mapping[str, Terminal]) -> list[Q]:
    """The quantities, each with the terminal that belongs to its name."""
    return [replace(each, terminal=terminals[each.name]) if each.name in terminals else each for each in quantities]
