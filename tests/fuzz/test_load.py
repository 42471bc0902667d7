"""Many instances, threads and steps, and a soak, at a thousandth of what `python -m tests.load` runs; threads under ThreadSanitizer, too."""

from __future__ import annotations

import re

import pytest

from tests.load import THREADS, load


def test_a_thousandth_of_the_load(tmp_path):
    instances, threads, steps, soak = load(tmp_path, 1e-3)
    assert re.fullmatch(r"instances 2, \d+\.\d kB each, .*nothing left over", instances)
    assert threads == "threads 8 x 100 steps: the bits of one thread"
    assert float(re.search(r"kept to (\S+) of it", steps)[1]) < 1e-8
    assert soak.startswith("soak 1000 rounds: ")


@pytest.mark.ci
def test_no_race_between_threads(tmp_path):
    """ThreadSanitizer ends the program with a report where two threads touch one place."""
    assert len(load(tmp_path, 1e-2, THREADS)) == 4
