"""The table of rules. A rule is a generator of sentences, one per fault; no sentence, no finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import NamedTuple


class Severity(StrEnum):
    """Why a finding matters."""

    VIOLATION = "violation"  # a sentence of the standard is broken
    INTEROPERABILITY = "interoperability"  # legal, but some tool or machine can't work with it
    ROBUSTNESS = "robustness"  # legal, but it harms its host when something goes wrong


VIOLATION, INTEROPERABILITY, ROBUSTNESS = Severity


class Sentence(NamedTuple):
    """The source in one version of the standard: section, and the sentence that a violation contradicts."""

    section: str = ""
    quote: str = ""


@dataclass(frozen=True)
class Rule:
    """id: names what is checked. reason: one line. fmi2, fmi3: the sentence of each version; None: the rule does not apply to that version.

    abuse: the rule makes illegal calls, so a crash or a hang is a finding of this rule, not of `crash` or `hang`.
    """

    id: str
    severity: Severity
    reason: str
    fmi2: Sentence | None
    fmi3: Sentence | None
    abuse: bool
    look: Callable[..., Iterator[str]]

    def of(self, version: int) -> Sentence | None:
        return {2: self.fmi2, 3: self.fmi3}[version]


class NotPossible(Exception):
    """The rule can't be checked: not on this FMU, not on this machine, or not until another fault is fixed; the text gives the reason."""


class Unreadable(NotPossible):
    """Most rules can't be checked: archive or description can't be read, its version has no rules, or it does not run here. The check then always fails."""


RULES: dict[str, Rule] = {}

STANDARD = {2: "FMI 2.0.5", 3: "FMI 3.0.2"}  # whose sections and sentences are quoted

# In this order: earlier modules check what later ones rely on.
STATIC_ROOMS = (  # these run no code of the FMU
    "archive",
    "description",
    "sources",
    "variable",
    "array",
    "clock",
    "structure",
    "terminal",
    "reference",
    "binary",
)
ROOMS = (
    *STATIC_ROOMS,
    "life",
    "start",
    "step",
    "smoke",
    "value",
    "interpolation",
    "state",
    "exchange",
    "event",
    "event_mode",
    "intermediate",
    "derivative",
    "adjoint",
    "log",
    "guest",
    "abuse",
)


def rule(
    name: str,
    severity: Severity,
    reason: str,
    section: str = "",
    quote: str = "",
    abuse: bool = False,
    fmi3: tuple[str, str] = ("", ""),
    only: int | None = None,
):
    """Put a function into the table. section, quote: of FMI 2.0; fmi3: of FMI 3.0. only: the version that has the rule, if one has it.

    A violation is one in the versions whose sentence it quotes.
    """
    sources = {2: Sentence(section, quote), 3: Sentence(*fmi3)}
    quoted = [version for version, source in sources.items() if all(source)]
    versions = quoted if severity is VIOLATION else [only] if only else [2, 3]
    if not versions:
        raise ValueError(f"rule {name}: a violation quotes the sentence it breaks")

    def enter(look):
        if name in RULES:
            raise ValueError(f"two rules are named {name}")
        fmi2, fmi3 = (sources[version] if version in versions else None for version in (2, 3))
        RULES[name] = Rule(name, severity, reason, fmi2, fmi3, abuse, look)
        return look

    return enter


def static_rules() -> list[str]:
    """Ids of the rules that run nothing of the FMU."""
    modules = {f"{__package__}.{room}_rules" for room in STATIC_ROOMS}
    return [name for name, one in all_rules().items() if one.look.__module__ in modules]


def all_rules() -> dict[str, Rule]:
    """The whole table: the rules of every module, in order, whichever module was imported first."""
    modules = [__name__, *(import_module(f".{room}_rules", __package__).__name__ for room in ROOMS)]
    return dict(sorted(RULES.items(), key=lambda item: modules.index(item[1].look.__module__)))


# Findings on a worker that crashed or hung: check.py reports these, not a rule's function.
@rule(
    "crash",
    VIOLATION,
    "a legal call crashed the process",
    "2.1.3",
    "the status flag […] is returned by all functions to indicate the success of the function call",
    fmi3=(
        "2.2.4",
        "This section defines the return values the C-API functions indicating success or failure of the function call.",
    ),
)
def crash(fmu):
    return iter(())


@rule("hang", ROBUSTNESS, "a legal call did not return within the time limit")
def hang(fmu):
    return iter(())


@rule(
    "refused",
    VIOLATION,
    "a call that the state machine allows was refused",
    "3.2.3, 4.2.4",
    "Every implementation of the FMI must support calling sequences of the functions according to the following state chart",
    fmi3=("2.3", "To define allowed calling sequences of FMI functions, state machines are used."),
)
def refused(fmu):
    return iter(())


@rule("fatal", ROBUSTNESS, "a call returned Fatal, after which no instance in the process can be used")
def fatal(fmu):
    return iter(())
