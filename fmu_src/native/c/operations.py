"""How C writes the operations of CasADi's instruction lists: in `real` and the names of runtime/core/scalar.h."""

from __future__ import annotations

import math

import casadi

_SIGNS = {
    "ASSIGN": "{0}", "ADD": "{0} + {1}", "SUB": "{0} - {1}", "MUL": "{0} * {1}", "DIV": "{0} / {1}", "NEG": "-{0}",
    "SQ": "SQUARE({0})", "TWICE": "TWICE({0})", "INV": "INVERSE({0})",
    "LT": "LESS({0}, {1})", "LE": "AT_MOST({0}, {1})", "EQ": "EQUAL({0}, {1})", "NE": "DIFFERENT({0}, {1})",
    "NOT": "NOT({0})", "AND": "BOTH_OF({0}, {1})", "OR": "ANY_OF({0}, {1})", "IF_ELSE_ZERO": "WHERE({0}, {1})", "SIGN": "SIGN({0})",
    "POW": "pow({0}, {1})", "CONSTPOW": "pow({0}, {1})", "ATAN2": "atan2({0}, {1})", "FMOD": "fmod({0}, {1})",
    "FMIN": "fmin({0}, {1})", "FMAX": "fmax({0}, {1})", "COPYSIGN": "copysign({0}, {1})", "HYPOT": "hypot({0}, {1})",
}  # fmt: skip
_NAMED = "EXP LOG SQRT SIN COS TAN ASIN ACOS ATAN SINH COSH TANH ASINH ACOSH ATANH FLOOR CEIL FABS LOG1P EXPM1"

# number of an operation → C with {0} and {1} for its operands
OPERATIONS: dict[int, str] = {getattr(casadi, f"OP_{name}"): text for name, text in _SIGNS.items()} | {
    getattr(casadi, f"OP_{name}"): f"{name.lower()}({{0}})" for name in _NAMED.split()
}


class NotWritten(Exception):
    """An operation without C text, because no equation of spacefmu uses it."""


def operation(number: int, where: casadi.Function) -> str:
    try:
        return OPERATIONS[number]
    except KeyError:
        raise NotWritten(f"{where.name()}: there is no C for CasADi's operation {number}") from None


def number(value: float) -> str:
    """A double that reads back bit for bit."""
    if math.isfinite(value):
        return repr(float(value))
    return "NAN" if math.isnan(value) else "-HUGE_VAL" if value < 0 else "HUGE_VAL"
