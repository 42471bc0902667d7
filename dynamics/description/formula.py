"""Formulas of a description: text → tree (spacefmu.dynamics.system.formula).

No text is ever executed. Python's parser reads the text, and each node of its syntax tree must be one of the few allowed here.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass, field

import numpy as np

from ..system.formula import KINKED, OPERATIONS, Curve, evaluate
from .errors import Problems, hint

LONGEST, DEEPEST = (
    4000,
    100,
)  # characters; nested operations (a sum counts once, whatever its number of terms)
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_FUNCTIONS = tuple(name for name in OPERATIONS if name.isidentifier() and name not in ("negative", "sum"))
# The first word of every name gets a suffix while Python parses, so that none is a keyword such as `lambda`.
_WORD, _MARKED = re.compile(r"(?<![\w.])([A-Za-z]\w*)"), re.compile(r"(?<![\w.])([A-Za-z]\w*)_(?!\w)")


@dataclass(frozen=True)
class Names:
    """The names allowed in a formula, with values at the start, and the speeds, which are not allowed; curves of tables, as functions; `kinks`: whether abs, max and min are allowed."""

    values: dict[str, float]
    speeds: tuple[str, ...] = ()
    curves: dict[str, Curve] = field(default_factory=dict)
    kinks: bool = False


class _Wrong(ValueError):
    """What was expected instead, as the end of a sentence."""


def make_formula(path: str, text, names: Names, problems: Problems):
    """The tree of a number or a text; 0 and a problem if it is invalid."""
    if not isinstance(text, str):
        return float(text)
    try:
        tree = _parsed(text, names)
    except _Wrong as wrong:
        problems.add(path, text, str(wrong))
        return 0.0
    return tree


def start_value(tree, names: Names) -> float:
    """The value of a tree at the start."""
    with np.errstate(all="ignore"):
        return evaluate(tree, lambda name: (names.values[name], 1.0))[0]


def _parsed(text: str, names: Names):
    if len(text) > LONGEST:
        raise _Wrong(
            f"at most {LONGEST} characters, but it has {len(text)}; parts of it may have names of their own, in let"
        )
    try:
        node = ast.parse(_WORD.sub(r"\1_", text.strip()), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _Wrong('a formula such as "2*cos(arm.angle) - time"') from None
    tree = _tree(node, names, DEEPEST)
    with np.errstate(all="ignore"):
        value, rate = evaluate(tree, lambda name: (names.values[name], 1.0))
    if not math.isfinite(value) or not math.isfinite(rate):
        raise _Wrong("a finite value and a finite derivative at the start")
    return tree


def _tree(node: ast.expr, names: Names, depth: int):
    """The tree of one node, at most `depth` operations deep."""
    if not depth:
        raise _Wrong(f"at most {DEEPEST} operations inside each other; parts may have names of their own, in let")

    def inner(child):
        return _tree(child, names, depth - 1)

    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _finite(value)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return _variable(_written(node), names)
        case ast.UnaryOp(op=ast.USub()):
            return ("negative", inner(node.operand))
        case ast.UnaryOp(op=ast.UAdd()):
            return inner(node.operand)
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=ast.BinOp(op=ast.Add() | ast.Sub())):
            return ("sum", *(inner(term) if plus else ("negative", inner(term)) for plus, term in _terms(node)))
        case ast.BinOp() if type(node.op) in _BINARY:
            operation, tree = _BINARY[type(node.op)], (inner(node.left), inner(node.right))
            return (operation, tree[0], _exponent(tree[1])) if operation == "**" else (operation, *tree)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name.removesuffix("_"), [inner(argument) for argument in arguments], names)
    raise _Wrong(f"numbers, names, + - * / ** and functions instead of {_written(node)!r}")


def _terms(node: ast.expr) -> list[tuple[bool, ast.expr]]:
    """(whether it is added, term) of a sum, from left to right."""
    terms = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        terms.append((isinstance(node.op, ast.Add), node.right))
        node = node.left
    return [(True, node), *reversed(terms)]


def _written(node: ast.expr) -> str:
    """A node as text, without marks."""
    return _MARKED.sub(r"\1", ast.unparse(node))


def _finite(value) -> float:
    try:
        number = float(value)
    except OverflowError:  # whole numbers have no bound
        number = math.inf
    if not math.isfinite(number):
        raise _Wrong("finite numbers")
    return number


def _exponent(tree) -> float:
    """A number behind **: x**y with a variable y is exp(y*log(x))."""
    sign, number = (-1.0, tree[1]) if isinstance(tree, tuple) and tree[0] == "negative" else (1.0, tree)
    if not isinstance(number, float):
        raise _Wrong("a number as exponent")
    return sign * number


def _variable(name: str, names: Names):
    if name == "pi":
        return math.pi
    if name in names.speeds:
        raise _Wrong(f"no speeds, but it has {name!r}: a condition is linear in the speeds")
    if name not in names.values:
        known = ", time and pi" if "time" in names.values else " and pi"
        raise _Wrong(f"coordinates, constants{known}; {name!r} is unknown{hint(name, names.values)}")
    return name


def _call(name: str, arguments: list, names: Names):
    if name in KINKED and not names.kinks:
        raise _Wrong(f"smooth functions, but {name!r} has a kink")
    if name not in names.curves and name not in _FUNCTIONS:
        raise _Wrong(f"a known function instead of {name!r}{hint(name, [*_FUNCTIONS, *names.curves])}")
    operation = names.curves.get(name) or OPERATIONS[name]
    if len(arguments) != operation.arguments:
        raise _Wrong(f"{operation.arguments} arguments of {name}, but it has {len(arguments)}")
    return (operation if isinstance(operation, Curve) else name, *arguments)
