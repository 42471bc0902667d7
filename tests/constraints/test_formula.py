"""Formulas: every operation on floats, on symbols and in its derivative, and what a description may not say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.description.errors import Problems
from spacefmu.dynamics.description.formula import Names, make_formula
from spacefmu.dynamics.system.formula import OPERATIONS, evaluate
from tests.algebra.on_symbols import on_symbols
from tests.constraints.test_conditions import SLED

TEXTS = {
    "x + 2*y - 0.5": lambda x, y: x + 2 * y - 0.5,
    "x - y": lambda x, y: x - y,
    " + ".join(["x", *["y*0.25 - x/8"] * 150]): lambda x, y: sum([y * 0.25 - x / 8] * 150, x),
    "-x/y + +y": lambda x, y: -x / y + y,
    "x**3 - y**-2 + x**0.5": lambda x, y: x**3 - y**-2 + x**0.5,
    "x**0 + x**1": lambda x, y: 1 + x,
    "-x**2": lambda x, y: -(x**2),
    "sin(x)*cos(y) + tan(x)": lambda x, y: math.sin(x) * math.cos(y) + math.tan(x),
    "asin(x) - acos(x*y/2) + atan(y)": lambda x, y: math.asin(x) - math.acos(x * y / 2) + math.atan(y),
    "sinh(x) + cosh(y)*tanh(x)": lambda x, y: math.sinh(x) + math.cosh(y) * math.tanh(x),
    "exp(-x) + log(y) + sqrt(x + y)": lambda x, y: math.exp(-x) + math.log(y) + math.sqrt(x + y),
    "atan2(x, -y) + atan2(1.0, y) + atan2(x, 2)": lambda x, y: math.atan2(x, -y) + math.atan2(1.0, y) + math.atan2(x, 2),
    "abs(-x)*y + max(x, y) - min(x, 2*y) + abs(y)": lambda x, y: abs(-x) * y + max(x, y) - min(x, 2 * y) + abs(y),
    "pi*lambda.angle - left_arm_2.angle": lambda x, y: math.pi * x - y,
}  # fmt: skip
X, Y, X_DOT, Y_DOT = 0.6, 1.3, -0.8, 0.5


def tree_of(text: str):
    problems = Problems()
    names = Names({"x": X, "y": Y, "lambda.angle": X, "left_arm_2.angle": Y}, kinks=True)
    tree = make_formula("here", text, names, problems)
    assert problems.found == []
    return tree


def test_every_operation_is_tried():
    used = str([tree_of(text) for text in TEXTS])
    assert [name for name in OPERATIONS if f"('{name}'" not in used] == []


@pytest.mark.parametrize("text", TEXTS)
def test_value_and_derivative(text):
    """The value is Python's own; the derivative along (ẋ, ẏ) that of a central difference, step 1e-6: round-off 1e-10."""
    look = {"x": (X, X_DOT), "y": (Y, Y_DOT), "lambda.angle": (X, X_DOT), "left_arm_2.angle": (Y, Y_DOT)}.__getitem__
    value, rate = evaluate(tree_of(text), look)
    assert value == pytest.approx(TEXTS[text](X, Y), rel=1e-15 if len(text) < 99 else 1e-14)
    h = 1e-6
    after, before = (TEXTS[text](X + s * X_DOT, Y + s * Y_DOT) for s in (h, -h))
    assert rate == pytest.approx((after - before) / (2 * h), rel=1e-8, abs=1e-8)  # measured 1.7e-10


@pytest.mark.parametrize("text", TEXTS)
def test_symbols_give_the_same(text):
    def pair(x):
        look = {
            "x": (x[0], x[2]),
            "y": (x[1], x[3]),
            "lambda.angle": (x[0], x[2]),
            "left_arm_2.angle": (x[1], x[3]),
        }.__getitem__
        return np.array(evaluate(tree_of(text), look))

    point = np.array([X, Y, X_DOT, Y_DOT])
    np.testing.assert_allclose(on_symbols(pair, point), pair(point), rtol=1e-14)  # measured 6e-16


WRONG = {
    "no formula": ('"2*"', """is '2*', expected a formula such as "2*cos(arm.angle) - time\""""),
    "empty": ('""', "is '', expected a formula such as"),
    "unknown name": (
        '"cos(ice.angel[1])"',
        "is 'cos(ice.angel[1])', expected coordinates, constants, time and pi; 'ice.angel[1]' is unknown; did you mean 'ice.angle[1]'?",
    ),
    "a speed": (
        '"ice.rate[1]"',
        "is 'ice.rate[1]', expected no speeds, but it has 'ice.rate[1]': a condition is linear in the speeds",
    ),
    "unknown function": ('"sine(time)"', "expected a known function instead of 'sine'; did you mean 'sin'?"),
    "a method": ('"ice.angle[1].sin()"', "expected numbers, names, + - * / ** and functions instead of 'ice.angle[1].sin()'"),
    "an import": ('"__import__(\'os\')"', "expected numbers, names, + - * / ** and functions instead of \"'os'\""),
    "a comparison": ('"time > 2"', "instead of 'time > 2'"),
    "a list": ('"[1, 2]"', "instead of '[1, 2]'"),
    "keywords": ('"sin(x=1)"', "instead of 'sin(x=1)'"),
    "arguments": ('"atan2(time)"', "is 'atan2(time)', expected 2 arguments of atan2, but it has 1"),
    "exponent": ('"2**time"', "is '2**time', expected a number as exponent"),
    "not finite": ('"1e999"', "is '1e999', expected finite numbers"),
    "not finite at the start": ('"1/time"', "is '1/time', expected a finite value and a finite derivative at the start"),
    "no slope at the start": ('"sqrt(time)"', "expected a finite value and a finite derivative at the start"),
    "too long": ('"' + "1+" * 2500 + '1"', "expected at most 4000 characters, but it has 5001; parts of it may have names of their own, in let"),
    "too deep": ('"' + "-" * 120 + '1"', "expected at most 100 operations inside each other; parts may have names of their own, in let"),
    "brackets": ('"' + "(" * 199 + "1" + ")" * 199 + '"', None),
    "more brackets": ('"' + "(" * 200 + '"', "expected a formula such as"),
    "a truth value": ("true", "expected"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_the_formula_and_its_place(case):
    text, sentence = WRONG[case]
    description = SLED + f'[conditions.blade.terms]\n"ice.velocity[1]" = {text}\n'
    if sentence is None:
        load_text(description)
        return
    with pytest.raises(DescriptionError) as refused:
        load_text(description)
    assert any("conditions.blade.terms" in found and sentence in found for found in refused.value.problems), str(
        refused.value
    )


def test_what_is_wrong_around_a_formula():
    """A speed that is none, a name of a constant that is taken, a drift that is none: all at once."""
    with pytest.raises(DescriptionError) as refused:
        load_text(
            SLED + '[conditions.c]\nterms = { "ice.angle[1]" = 1.0 }\nconstants = { time = 2.0 }\ndrift = "tim"\n'
        )
    assert refused.value.problems == [
        "conditions.c.constants is 'time', expected another name: this one is reserved",
        "conditions.c.terms names the speed 'ice.angle[1]', which does not exist; did you mean 'ice.rate[1]'?",
        "conditions.c.drift is 'tim', expected coordinates, constants, time and pi; 'tim' is unknown; did you mean 'time'?",
    ]


def test_conditions_that_clash_are_named():
    """ẋ = 1 and ẋ = 2."""
    text = "".join(f'[conditions.c{i}]\nterms = {{ "ice.velocity[1]" = 1.0 }}\ndrift = -{i}.0\n' for i in (1, 2))
    with pytest.raises(DescriptionError, match=r"c1 and c2 can't hold at the same time"):
        load_text(SLED + text)
