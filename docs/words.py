"""Holds pages, help texts, messages and docstrings to the word list of STYLE.md: python -m docs.words

A row of PHRASES is what must not stand anywhere, and what to write in its place. A phrase is added when its last use has been mended.
The CHANGELOG quotes what was, STYLE.md what not to write: neither is looked at.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PHRASES = {
    "a row a run": "one row per run",
    "a row an instant": "one row per time point",
    "one a core": "one per core",
    "one an axis": "one per axis",
    "turns a minute": "rpm",
    "cost as much a link": "the same cost per link",
    "(made unit)": "(normalised)",
    "one sentence a problem": "one sentence per problem",
    "a time limit a call": "a time limit per call",
    "a table a paper": "one table per paper",
    "a reader a format": "one reader per format",
    "one folder a kind": "one folder per kind",
    "spends what the tolerance asks": "adapts its work to the tolerance",
    "went wrong that should not": "internal error (please report it)",
    "numbers that are none": "non-numeric entries",
    "goes on where it was": "resumes",
    "hang on each other": "are connected",
    "what still rings": "the residual vibration",
    "the camera as at first": "Reset camera",
    "the longest unused go": "the least recently used entries are deleted",
    "no dead centre and no fork": "not a singular configuration",
    "nothing is made up for": "lost time is not recovered",
    "feel sunlight": "are loaded by solar pressure",
}
LOOKED_AT = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "docs/*.py", "dynamics/**/*.py", "fmu_src/**/*.py", "fmu_src/**/*.html", "fmu_src/**/*.js", "fmu_src/**/*.toml", "fmu_src/native/runtime/**/*.[ch]")  # fmt: skip


def found(root: Path = ROOT) -> list[str]:
    """A sentence for each place that has a phrase of the list, however it is broken into lines."""
    patterns = {bad: re.compile(r"\s+".join(map(re.escape, bad.split())), re.IGNORECASE) for bad in PHRASES}
    paths = sorted({path for pattern in LOOKED_AT for path in root.glob(pattern)} - {root / "docs/words.py"})
    sentences = []
    for path in paths:
        text = path.read_text("utf-8")
        for bad, pattern in patterns.items():
            for hit in pattern.finditer(text):
                line = text.count("\n", 0, hit.start()) + 1
                sentences.append(f"{path.relative_to(root)}:{line}: {bad!r}; write {PHRASES[bad]!r} (STYLE.md)")
    return sentences


if __name__ == "__main__":
    sys.exit("\n".join(found()) or None)
