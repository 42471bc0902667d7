"""The same games guided by coverage (libFuzzer of clang): bytes are the decisions, and what reaches new branches is kept.

corpus.zip holds the least inputs that reach all branches found so far, by version of FMI. To grow it: run the program of `program(…, GUIDED)` on
an unpacked folder for as long as you like, then once more with -merge=1 into an empty one, and zip that.
"""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.fuzz.programs import GUIDED, program
from tests.systems_small import BALL, PENDULUM

CORPUS = Path(__file__).with_name("corpus.zip")
RUNS = 20_000


def test_the_corpus_is_small():
    assert CORPUS.stat().st_size < 1_000_000
    with zipfile.ZipFile(CORPUS) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {"fmi2", "fmi3"}


@pytest.mark.ci
@pytest.mark.parametrize(("system", "fmi"), [(PENDULUM, 2), (BALL, 3)], ids=["fmi2", "fmi3"])
def test_from_the_corpus_on(system, fmi, tmp_path):
    with zipfile.ZipFile(CORPUS) as archive:
        archive.extractall(tmp_path)
    fuzzer = program(system, fmi, tmp_path / "program", GUIDED)
    line = [str(fuzzer), f"-runs={RUNS}", "-seed=1", "-max_len=800", "-timeout=60", str(tmp_path / f"fmi{fmi}")]
    run = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-4000:]
    assert f"Done {RUNS} runs" in run.stderr
