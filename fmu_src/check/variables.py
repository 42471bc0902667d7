"""Variables and unknowns of the XML, with one interface for both versions of FMI."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

FLOATS = ("Real", "Float64", "Float32")
INTEGERS = ("Integer", "Int64", "Int32", "Int16", "Int8", "UInt64", "UInt32", "UInt16", "UInt8")

# FMI 2.0.5, section 2.2.7, and FMI 3.0.2, section 2.4.7.5: causality → variability → allowed values of `initial`, the default first;
# None: it must be absent.
_EXACT, _SIGNAL, _DERIVED = ("exact",), ("calculated", "exact", "approx"), ("calculated", "approx")
_BOTH: dict[str, dict[str, tuple[str, ...] | None]] = {
    "parameter": {"fixed": _EXACT, "tunable": _EXACT},
    "calculatedParameter": {"fixed": _DERIVED, "tunable": _DERIVED},
    "output": {"constant": _EXACT, "discrete": _SIGNAL, "continuous": _SIGNAL},
    "local": {"constant": _EXACT, "fixed": _DERIVED, "tunable": _DERIVED, "discrete": _SIGNAL, "continuous": _SIGNAL},
    "independent": {"continuous": None},
}
INITIAL = {
    2: _BOTH | {"input": {"discrete": None, "continuous": None}},
    3: _BOTH
    | {
        "input": {"discrete": _EXACT, "continuous": _EXACT},
        "structuralParameter": {"fixed": _EXACT, "tunable": _EXACT},
    },
}


@dataclass(frozen=True)
class XmlVariable:
    """A variable: its attributes, those of its type element in `own`, with the declared type's as defaults in `of_type`.

    key: by which ModelStructure names it, FMI 2.0's index or FMI 3.0's value reference. shape: of an array; offset: if this is one
    entry of it, which. texts: the start values, one per entry; None: there are none.
    """

    index: int  # from 1
    key: int
    attributes: dict[str, str]
    type: str
    own: dict[str, str]
    of_type: dict[str, str] = field(default_factory=dict)
    version: int = 2
    shape: tuple[int, ...] = ()
    offset: int | None = None
    texts: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return self.attributes.get("name", "")

    @property
    def reference(self) -> int:
        return int(self.attributes.get("valueReference", -1))

    @property
    def causality(self) -> str:
        return self.attributes.get("causality", "local")

    @property
    def variability(self) -> str:
        default = "continuous"
        if self.version == 3:  # section 2.4.7.4
            default = (
                "fixed" if self.causality.lower().endswith("parameter") else "continuous" if self.real else "discrete"
            )
        return self.attributes.get("variability", default)

    @property
    def initial(self) -> str | None:
        legal = INITIAL[self.version].get(self.causality, {}).get(self.variability)
        return self.attributes.get("initial") or (legal[0] if legal and self.type != "Clock" else None)

    @property
    def clocked(self) -> bool:
        return "clocks" in self.own

    @property
    def real(self) -> bool:
        return self.type in FLOATS

    @property
    def number_type(self) -> bool:
        """Whether its values are numbers: no text, bytes or clock."""
        return self.type not in ("", "String", "Binary", "Clock")

    @property
    def base(self) -> str:
        """The type by which values are read: an enumeration is an integer."""
        return self.type if self.type != "Enumeration" else "Integer" if self.version == 2 else "Int64"

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    def entries(self) -> list[XmlVariable]:
        """The entries of an array, row by row; itself if it is a scalar."""
        if not self.shape:
            return [self]
        found = []
        for offset in range(self.size):
            place, rest = [], offset
            for length in reversed(self.shape):
                rest, i = divmod(rest, length)
                place.append(str(i + 1))
            name = f"{self.name}[{','.join(reversed(place))}]"
            found.append(replace(self, offset=offset, attributes=self.attributes | {"name": name}))
        return found

    def get(self, key: str) -> str | None:
        """min, max, nominal, unit, start, … of the variable, else of its declared type."""
        return self.own.get(key, self.of_type.get(key))

    def flag(self, key: str) -> bool:
        return self.own.get(key, "false").strip() in ("true", "1")

    def number(self, key: str) -> float | None:
        try:
            return float(self.get(key) or "")
        except ValueError:
            return None

    @property
    def start(self):
        """The start value in the variable's type, of the entry if it is one; None if there is none."""
        if self.texts is None or (text := self._text(self.offset or 0)) is None:
            return None
        try:
            return self.value_of(text)
        except ValueError:
            return None  # rule xml-schema reports it

    def _text(self, offset: int) -> str | None:
        texts = self.texts or ()
        return texts[0] if len(texts) == 1 else texts[offset] if offset < len(texts) else None

    def value_of(self, text: str):
        """A start value of the XML in the variable's type."""
        if self.type == "String":
            return text
        if self.type == "Binary":
            return bytes.fromhex(text)
        if self.type in ("Boolean", "Clock"):
            return int(text.strip() in ("true", "1"))
        return float(text) if self.real else int(text)

    @property
    def near(self) -> float:
        """Another legal value near the start of a Real; the start itself if the bounds allow no other."""
        value = self.start * (1 + 1e-3) if self.start else 1e-3 * (self.number("nominal") or 1.0)
        low, high = self.number("min"), self.number("max")
        return self.start if (low is not None and value < low) or (high is not None and value > high) else value

    def same(self, value, expected) -> bool:
        """Whether a value equals the expected one, to the digits written in an XML file."""
        if self.type == "String":
            return value is not None and value.decode("utf-8", "replace") == expected
        if not self.real:
            return value == expected
        return math.isclose(value, expected, rel_tol=1e-6 if self.type == "Float32" else 1e-13, abs_tol=1e-300)


def shown(value) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Unknown:
    """An entry of ModelStructure; dependencies None means all."""

    key: int
    dependencies: tuple[int, ...] | None
    kinds: tuple[str, ...] | None
