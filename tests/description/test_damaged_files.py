"""Files of flexible bodies with damaged numbers and lines: read, or refused in sentences that name file and body; no LinAlgError."""

from __future__ import annotations

import random
import re
import shutil
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from tests.cli.command import ROOT

EXAMPLES = ROOT / "examples"
# description, body, its file, the files that are damaged, how many times
CASES = (
    ("nodal_table", "panel", "panel.csv", ("panel.csv",), 60),
    ("nodal_table", "panel", "panel.json", ("panel.json",), 60),
    ("modal_integrals", "dish", "dish.json", ("dish.json",), 40),
    ("finite_element_calculix", "panel", "panel_ccx.frd", ("panel_ccx.frd", "panel_ccx.dat", "panel_ccx.inp"), 30),
    ("finite_element_nastran", "boom", "boom.op4", ("boom.op4", "boom.asm", "boom.pch"), 20),
)
NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+\.\d*(?:[eE][-+]?\d+)?")
VALUES = ("NaN", "Infinity", "1e400", "0.0", "1e300", "-1.0", "1e-300")
RAW = ("infs or NaNs", "Singular matrix", "LinAlgError", "check that its tables are complete")


def numbers(raw: bytes, dice: random.Random, value: str, share: float) -> bytes:
    """Some of the numbers of a text, or words of a binary file, replaced."""
    if b"\0" in raw:
        words = np.frombuffer(raw, np.uint8).copy()
        for _ in range(1 + int(400 * share)):
            at = 4 * dice.randrange(40, len(raw) // 4 - 3)
            words[at : at + 8] = np.frombuffer(np.float64(value).tobytes(), np.uint8)
        return words.tobytes()
    first = dice.random()
    return NUMBER.sub(lambda m: value.encode().rjust(len(m[0])) if dice.random() < max(share, 0.02 * first) else m[0], raw)  # fmt: skip


def line(raw: bytes, dice: random.Random, what: str) -> bytes:
    """A line cut off, lost, of zeros, or one in place of another (a node given twice)."""
    lines = raw.splitlines(keepends=True)
    i = dice.randrange(len(lines))
    made = {
        "cut": lines[i][: len(lines[i]) // 2] + b"\n",
        "lost": b"",
        "zero": NUMBER.sub(lambda m: b"0." + b"0" * (len(m[0]) - 2), lines[i]),
        "same": dice.choice(lines),
    }
    return b"".join([*lines[:i], made[what], *lines[i + 1 :]])


DAMAGES = [partial(numbers, value=value, share=share) for value in VALUES for share in (0.0, 0.3, 1.0)]
DAMAGES += [partial(line, what=what) for what in ("cut", "lost", "zero", "same")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[2])
def test_no_matrix_is_left_to_fail(case, tmp_path):
    """Eigenvalues and singular values of such numbers "did not converge", of an unnamed body."""
    description, body, file, damaged, count = case
    for path in EXAMPLES.glob(f"{Path(file).stem}.*"):
        shutil.copy(path, tmp_path)
    text = (EXAMPLES / f"{description}.toml").read_text("utf-8").replace("panel.csv", file)
    dice, said = random.Random(file), []
    for number in range(count):
        target = tmp_path / damaged[number % len(damaged)]
        raw = target.read_bytes()
        target.write_bytes(dice.choice(DAMAGES)(raw, dice))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # overflows of 1e300
                load_text(text, "craft.toml", tmp_path)
        except DescriptionError as error:
            said.append(error.problems)
        finally:
            target.write_bytes(raw)
    assert count // 4 < len(said)
    for problems in said:
        assert problems[0].startswith(f"bodies.{body}")
        assert file in problems[0]
        for problem in problems:
            assert "\n" not in problem
            assert not any(words in problem for words in RAW)
            assert ("converge" in problem) <= ("that make no body" in problem)
