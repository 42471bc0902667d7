"""Spoiled descriptions with pieces of every sort end in sentences, or in models that run or end by a sentence (descriptions.py)."""

from __future__ import annotations

import subprocess
import sys
from unittest.mock import Mock

import pytest

from spacefmu.dynamics.system.evaluate import Refused
from tests.cli.command import ROOT
from tests.fuzz.descriptions import SEEDS, feed, outcome

NEWER = ("tanks", "gyros", "extending_boom", "deployed_tether", "actuators_real", "couplings_separation")


@pytest.mark.parametrize("name", NEWER)
def test_a_spoiled_description_ends_in_a_sentence_or_runs(name):
    assert feed(f"examples/{name}.toml", 4, "short").total() == 4


@pytest.mark.ci
def test_many_spoiled_descriptions():
    run = subprocess.run([sys.executable, "-m", "tests.fuzz.descriptions", "10"], cwd=ROOT, capture_output=True, text=True, check=False)  # fmt: skip
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    assert run.stdout.splitlines()[-1].startswith(f"{10 * len(SEEDS)} descriptions")


def test_another_end_is_a_fault(monkeypatch):
    """An exception that is not a sentence, and a sentence that shows Python's own words, are not taken."""
    text = (ROOT / "examples/tanks.toml").read_text("utf-8")
    assert outcome(text, ROOT / "examples") == "ran"
    for raised, found in ((KeyError("hub"), KeyError), (Refused("<class 'float'>"), AssertionError)):
        with monkeypatch.context() as patch:
            patch.setattr("tests.fuzz.descriptions.start", Mock(side_effect=raised))
            with pytest.raises(found):
                outcome(text, ROOT / "examples")
