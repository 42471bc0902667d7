"""The record of validation: what a case has to say, and that the cases are inside their bounds."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from spacefmu.fmu_src.record import page
from spacefmu.fmu_src.record.case import ORIGINS, Comparison, Source, chosen, read
from spacefmu.fmu_src.record.running import Outcome, validate
from tests.cli.command import ROOT, in_this_process

CASES = chosen()
NAMES = [case.name for case in CASES]
QUICK = [case for case in CASES if case.quick]


def inside(case, fmu: bool) -> None:
    outcome = validate(case, fmu)
    assert outcome.passed, [(each.what, each.error, each.allowed) for each in outcome.found] or outcome.failure
    assert outcome.fmu == (fmu and not case.inputs)


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_a_quick_case_is_inside(case):
    inside(case, fmu=False)


@pytest.mark.ci
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_is_inside_as_an_fmu(case):
    inside(case, fmu=True)


@pytest.mark.ci
@pytest.mark.parametrize("case", [case for case in CASES if not case.quick], ids=lambda case: case.name)
def test_a_case_is_inside_by_its_equations(case):
    inside(case, fmu=False)


def test_every_family_has_a_quick_case_and_a_heading():
    assert {case.family for case in QUICK} == {case.family for case in CASES} == set(page.FAMILIES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_says_where_it_comes_from(case):
    assert case.title
    assert case.proves
    assert all((case.source.program, case.source.where, case.source.licence, case.source.accuracy))
    for each in case.compare:
        assert np.all(np.isfinite(each.values))
        assert each.why


def test_most_numbers_are_made_by_others():
    count = {origin: sum(case.source.origin == origin for case in CASES) for origin in ORIGINS}
    assert count["published"] >= 132
    assert sum(case.over_time for case in CASES) >= 117
    with pytest.raises(ValueError, match="origin is 'hearsay', expected one of published"):
        Source("hearsay", "program", "where", "licence", "accuracy")


def test_bounds_that_are_not_typed():
    """1.1 × the reference's distance from the independent solution and 1e-12 of the largest value; of exact formulas 1e-10 of it."""
    form = {"what": "x", "of": ["a", "b"], "values": [[0.0, 4.0], [2.0, -8.0]], "why": "a series", "time": [0.0, 1.0]}
    np.testing.assert_allclose(Comparison(**form).allowed, 8e-10)
    solved = Comparison(**form, exact=[[0.0, 4.0], [2.0, -8.1]])
    np.testing.assert_allclose(solved.allowed, 0.11 + 8e-12)
    assert solved.reason == "1.1 × 1.0e-01, its distance from a series"
    relative = Comparison("f", ["1", "2"], [[2.0, 10.0]], "a series", relative=True, exact=[[2.0, 10.1]])
    np.testing.assert_allclose(relative.allowed, [[0.022 + 2e-12, 0.11 + 1e-11]])
    np.testing.assert_allclose(Comparison(**form, bound=0.5).allowed, 0.5)


def test_inputs_that_are_switched_are_the_same_in_an_fmu():
    """Steps of inputs: an FMU and the equations take the same values, from the instant of the step on."""
    (case,) = chosen(["orbit/basilisk_balanced_wheels"])
    late = replace(case, steps={name: [[0.25, 1.0], *steps[1:]] for name, steps in case.steps.items()})
    before, by_fmu, by_equations = validate(case), validate(late, fmu=True), validate(late)
    np.testing.assert_allclose(by_fmu.found[0].ours, by_equations.found[0].ours, rtol=0.0, atol=1e-12)
    assert np.max(np.abs(before.found[0].ours - by_fmu.found[0].ours)) > 1e-4


def test_a_reference_that_is_off_puts_the_case_outside():
    """What makes a case fail: a number that misses its bound, one that is not finite, a model that cannot be run."""
    case = next(case for case in QUICK if case.name == "adams/revolute_2")
    first, *rest = case.compare
    moved = (np.asarray(first.values) + 2.0 * first.allowed).tolist()
    assert not validate(replace(case, compare=(replace(first, values=moved), *rest))).passed
    broken = validate(replace(case, description=case.description.replace("mass = 1.0", "mass = -1.0")))
    assert "mass is -1.0" in broken.failure
    assert not broken.passed
    unknown = replace(first, of=("pendulum.cm.nothing[1]", *first.of[1:]))
    assert "not a variable" in validate(replace(case, compare=(unknown,))).failure


@pytest.mark.parametrize(
    "change, words",
    [
        ({"measure": "guess"}, "expected one of value"),
        ({"values": [[1.0]]}, "one row per time"),
        ({"bound": -1.0}, "not negative"),
        ({"why": ""}, "its reason"),
        ({"time": [1.0, 0.0]}, "increasing times"),
    ],
)
def test_a_comparison_that_says_too_little_is_refused(change, words):
    good = {"what": "x", "of": ["a"], "values": [[0.0], [1.0]], "bound": 1.0, "why": "digits", "time": [0.0, 1.0]}
    Comparison(**good)
    with pytest.raises(ValueError, match=words):
        Comparison(**{**good, **change})


def test_a_file_that_is_wrong_is_named(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text('title = "x"\n', "utf-8")
    with pytest.raises(ValueError, match=r"case\.toml"):
        read(path)


def test_the_command(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_this_process("spacefmu validate adams/revolute_2 --json --equations --page record.md -w 1")
    text = capsys.readouterr().out
    (found,) = json.loads(text[: text.rindex("]") + 1])
    assert found["passed"]
    assert not found["fmu"]
    assert "| `revolute_2` |" in (tmp_path / "record.md").read_text("utf-8")
    in_this_process("spacefmu validate adams/revolute", code=2)
    assert "did you mean" in capsys.readouterr().err


def test_a_case_whose_package_is_missing_is_left_out(monkeypatch, capsys):
    """The Nastran case needs files that pyyeti ships; without pyyeti the others run, and a note says which one did not."""
    (case,) = chosen(["flexible/nastran_superelements"])
    assert (case.folder / "inboard.op4").exists()
    monkeypatch.setattr("spacefmu.fmu_src.record.case.find_spec", lambda name: None)
    in_this_process("spacefmu validate flexible/nastran_superelements adams/revolute_2 --equations -w 1")
    said = capsys.readouterr()
    assert "1 of 1 cases inside their bounds" in said.out
    assert "flexible/nastran_superelements is skipped: it needs the package pyyeti" in said.err


def test_a_case_outside_fails_the_command(monkeypatch, capsys):
    monkeypatch.setattr(
        "spacefmu.fmu_src.record.running.validate", lambda case, fmu: Outcome(case.name, failure="on purpose")
    )
    in_this_process("spacefmu validate adams/revolute_2 -w 1", code=1)
    assert "OUTSIDE\tadams/revolute_2\ton purpose" in capsys.readouterr().out


def test_the_page_has_every_case():
    """Its numbers are those of the last `make validate`; what it says of each case is what the files say."""
    text = (ROOT / "docs/record.md").read_text("utf-8")
    for case in CASES:
        assert f"| `{case.name.partition('/')[2]}` | {case.title}: {case.proves} |" in text, case.name
    assert "failed" not in text
    assert f"**{len(CASES)} cases, " in text
    assert "none outside" in text
