"""`make bench`'s harness on a tiny work, without peers: it measures, judges and writes; no time is asserted."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

from bench import before, driver, models, page, plots, results, work_dynamics, work_live, work_panels
from bench.__main__ import RUN, main
from bench.bars import BARS, verdict
from bench.driver import HERE, NotBuilt
from bench.results import Results, Row
from bench.timing import alternate
from spacefmu.dynamics.description import load_text


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "_FOLDER", tmp_path)
    monkeypatch.setattr(before, "COMMIT", "0" * 40)  # builds by the code of then have a test of their own
    before.checkout.cache_clear()
    driver.loops.cache_clear()
    return tmp_path


@pytest.mark.slow  # compiles
def test_a_tiny_chain(folder, monkeypatch):
    monkeypatch.setattr(work_dynamics, "peers", lambda found: {})
    found = Results("a test")
    work_dynamics.run(found, (1,))
    (head, lines) = found.tables["Forward dynamics, nanoseconds of CPU"]
    assert head == ["", "N = 1"]
    assert {work_dynamics.LIVE, work_dynamics.EXCHANGE} <= {line[0] for line in lines}
    assert all(value is None for value in (row.value for row in found.rows))  # ratios need a peer
    results.write({"dynamics": found}, folder / "results.json")
    again = results.read(folder / "results.json")
    assert again["dynamics"].rows == found.rows
    pictures = plots.write(again["dynamics"], folder)
    assert [path.name for path in pictures] == ["cost_against_size.png"]
    text = page.page(again, {"dynamics": pictures})
    assert "not measured" in text
    assert "images/bench/cost_against_size.png" in text


@pytest.mark.slow  # compiles
def test_rates_and_model_exchange_are_the_same_function(folder):
    """What is timed as `rates` is what the FMU computes."""
    path, _ = driver.build(models.chain(2), "chain2")
    unit = driver.Unit(path, driver.FMU2Model)
    alone = driver.rates_of(path)
    alone.chunk(1)(1)
    unit.evaluations(1)
    assert alone.results[0] == pytest.approx(unit.rates, rel=1e-12, abs=1e-15)
    unit.free()


@pytest.mark.ci  # opens a browser
def test_a_live_page_is_measured(folder):
    found = Results("a test")
    work_live.run(found, ("AttitudeController",), rounds=2)
    (head, [line]) = found.tables["Default experiments in a live page, by CPU of its worker"]
    assert len(head) == len(line) == 6
    assert all(row.value > 0.0 for row in found.rows)


def test_equal_error_lies_between_the_points_around_it():
    cost, note = work_panels._at([(1e-4, 1.0), (1e-6, 4.0)], 1e-5)
    assert (cost, note) == (pytest.approx(2.0), "")
    cost, note = work_panels._at([(1e-4, 1.0)], 1e-5)
    assert cost == 1.0
    assert "lower bound" in note


def test_the_best_of_alternating_chunks():
    calls = []

    def chunk(name, taken):
        return lambda n: calls.append(name) or taken

    best = alternate({"a": chunk("a", 1e6), "b": chunk("b", 2e6)}, rounds=3, chunk=1e-3)
    assert best == {"a": 1e6, "b": 2e6}
    assert calls[-6:] == ["a", "b"] * 3


def test_what_was_before_is_built_by_the_code_of_then(tmp_path, monkeypatch):
    if subprocess.run(["git", "cat-file", "-e", before.COMMIT], cwd=HERE.parent, check=False).returncode:
        pytest.skip("a copy of the repository without its history")
    monkeypatch.setattr(before, "folder", lambda: tmp_path)
    before.checkout.cache_clear()
    assert 'name = "FourBar"' in before.entry_before("FourBar")
    code = f"from {driver.package(before.checkout())} import api; print(api.__file__)"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=before.checkout(), capture_output=True, text=True, check=True
    )
    assert Path(told.stdout.strip()) == tmp_path / "before" / "fmu_src" / "api.py"
    before.checkout.cache_clear()


def test_without_history_the_row_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(before, "COMMIT", "0" * 40)
    before.checkout.cache_clear()
    with pytest.raises(NotBuilt, match="not in this copy of the repository"):
        before.built_before("", "nothing")


def _kept(letter: str, begun: str, code: str) -> Results:
    found = Results("a test", begun=begun, code=code, load=0.5)
    found.row(letter, "a ratio", 2.0)
    return found


def test_the_page_says_which_works_are_missing_and_which_are_older(folder, monkeypatch):
    """From what is kept, whatever there is: tables and pictures stand in the section of their work."""
    monkeypatch.setattr(page, "DOCS", folder / "docs")
    kept = {
        "panels": _kept("a", "2026-11-14 10:00 UTC", "aaaaaaa"),
        "mission": _kept("g", "2026-11-16 10:00 UTC", "bbbbbbb"),
    }
    kept["panels"].point("work and precision, 4 panels", "spacefmu", 1e-8, 0.1)
    kept["panels"].tables["A table of panels"] = (["", "ms"], [["spacefmu", "100"]])
    results.write(kept, folder / "results.json")
    text = page.write(results.read(folder / "results.json")).read_text("utf-8")
    missing = [work for work in page.WORKS if work not in kept]
    assert missing[:2] == ["dynamics", "modes"]
    assert f"Not measured: {', '.join(missing)}.\n" in text
    assert "Measured with older code than the newest row: panels.\n" in text
    assert "| mission | 2026-11-16 10:00 UTC | bbbbbbb | 0.5 | a test |" in text
    order = [
        text.index(part)
        for part in ("## (a)", "### A table of panels", "4_panels.png", "## (g)", "## How it is measured")
    ]
    assert order == sorted(order)
    assert [path.name for path in (folder / "docs/images/bench").iterdir()] == ["work_and_precision_4_panels.png"]


def test_a_page_of_nothing():
    assert "Not measured: dynamics, panels" in page.page({}, {})


def test_every_work_has_its_section():
    assert set(RUN) == set(page.WORKS)


def test_the_page_has_results_alone():
    """History is in bench/tried.md; the page is made anew by every run."""
    title = (Path(page.__file__).parent / "tried.md").read_text("utf-8").splitlines()[0]
    assert title not in (page.DOCS / "benchmarks.md").read_text("utf-8")


def test_bars_are_judged():
    assert verdict(Row("a", "", 0.9, key="folded10")) == ("≤ 1", "met")
    assert verdict(Row("a", "", 1.1, key="folded10")) == ("≤ 1", "**not met**")
    assert verdict(Row("a", "", None, key="folded10")) == ("≤ 1", "not measured")
    assert verdict(Row("a", "", 3.0)) == ("", "")
    assert all(math.isfinite(bar.number) for bar in BARS.values())


@pytest.mark.parametrize(
    "text", [models.chain(3), models.panels(4), models.modes(6), models.beads(5), models.mission()]
)
def test_works_are_descriptions(text):
    assert load_text(text).nx > 0


def test_a_run_of_one_work_leaves_the_page(folder, monkeypatch, capsys):
    """docs/benchmarks.md is written when all works are there, or when asked for."""
    monkeypatch.setattr(page, "DOCS", folder / "docs")
    (folder / "docs" / "images").mkdir(parents=True)
    monkeypatch.setitem(RUN, "mission", lambda own: own.row("g", "a ratio", 2.0))
    main(["mission"])
    assert "docs/benchmarks.md is left as it is: not measured here are dynamics, panels" in capsys.readouterr().out
    assert not (folder / "docs" / "benchmarks.md").exists()
    main(["--page"])
    assert (folder / "docs" / "benchmarks.md").exists()
