"""The table of rules. A rule is a generator of sentences, one a fault; no sentence, no finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module


class Severity(StrEnum):
    """Why a finding matters."""

    VIOLATION = "violation"  # a sentence of the standard is broken
    INTEROPERABILITY = "interoperability"  # legal, but some tool or machine can't work with it
    ROBUSTNESS = "robustness"  # legal, but it harms its host when something goes wrong


VIOLATION, INTEROPERABILITY, ROBUSTNESS = Severity


@dataclass(frozen=True)
class Rule:
    """id: words that say what is looked at. reason: one line. section, quote: the sentence of FMI 2.0 that a violation breaks.

    abuse: the rule calls what no host may call, so a crash or a hang is a finding of this rule, not of `crash` or `hang`.
    """

    id: str
    severity: Severity
    reason: str
    section: str
    quote: str
    abuse: bool
    look: Callable[..., Iterator[str]]


class NotPossible(Exception):
    """The rule can't be checked on this FMU, on this machine or before another fault is mended; the text says why."""


class Unreadable(NotPossible):
    """Most rules can't be checked: archive or description can't be read, its version has no rules, or it does not run here. That is never a success."""


RULES: dict[str, Rule] = {}

STANDARD = "FMI 2.0.5"  # whose sections and sentences are quoted

# In this order: what later ones need, earlier ones have looked at.
STATIC_ROOMS = ("archive", "description", "variable", "structure", "binary")  # these run nothing of the FMU
ROOMS = (
    *STATIC_ROOMS,
    "life",
    "start",
    "step",
    "value",
    "interpolation",
    "state",
    "exchange",
    "event",
    "derivative",
    "log",
    "guest",
    "abuse",
)


def rule(name: str, severity: Severity, reason: str, section: str = "", quote: str = "", abuse: bool = False):
    """Put a function into the table."""
    if severity is VIOLATION and not (section and quote):
        raise ValueError(f"rule {name}: a violation quotes the sentence it breaks")

    def enter(look):
        if name in RULES:
            raise ValueError(f"two rules are named {name}")
        RULES[name] = Rule(name, severity, reason, section, quote, abuse, look)
        return look

    return enter


def static_rules() -> list[str]:
    """Ids of the rules that run nothing of the FMU."""
    modules = {f"{__package__}.{room}_rules" for room in STATIC_ROOMS}
    return [name for name, one in all_rules().items() if one.look.__module__ in modules]


def all_rules() -> dict[str, Rule]:
    """The whole table: every room's rules, in order, whichever module was imported first."""
    modules = [__name__, *(import_module(f".{room}_rules", __package__).__name__ for room in ROOMS)]
    return dict(sorted(RULES.items(), key=lambda item: modules.index(item[1].look.__module__)))


# What the checker itself sees of a worker that ends: found by check.py, not by a function.
@rule(
    "crash",
    VIOLATION,
    "a legal call ended the process it was made in",
    "2.1.3",
    "the status flag […] is returned by all functions to indicate the success of the function call",
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
)
def refused(fmu):
    return iter(())


@rule("fatal", ROBUSTNESS, "a call returned fmi2Fatal, after which no instance in the process can be used")
def fatal(fmu):
    return iter(())
