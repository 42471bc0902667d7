"""Holds pages, help texts, messages and docstrings to the word list of STYLE.md, class names to one meaning each, and paragraphs to 600 characters: python -m docs.words

A row of PHRASES is what must not stand anywhere, and what to write in its place. A phrase is added when its last use has been mended.
The CHANGELOG quotes what was, STYLE.md what not to write: neither is looked at.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PHRASES = {
    "a row a run": "one row per run",
    "a row an instant": "one row per time point",
    "one a core": "one per core",
    "one a mode": "one per mode",
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
    "made square": "orthogonalised",
    "is a step late": "lags by one communication step",
    "step holds the tolerance": "the step size fell below its minimum",
    "to the last bit": "bit for bit",
    "is there already": "already exists",
    "changes its side": "changes sign",
    "runs wild": "loses accuracy",
    "time goes back": "time decreases",
    "still changes something": "did not converge",
    "gave no memory": "memory allocation failed",
    "one row a node": "one row per node",
    "one number a run": "one number per run",
    "one function a kind": "one function per kind",
    "is no variable": "is not a variable",
    "is no parameter": "is not a parameter",
    "is no number": "is not a number",
    "are no numbers": "are not numbers",
    "is no attitude": "is not an attitude",
}
LONGEST = 600  # characters of a paragraph
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


def repeated_classes(root: Path = ROOT) -> list[str]:
    """A sentence for each class name of the product that two classes have."""
    first: dict[str, str] = {}
    sentences = []
    for path in sorted(path for room in ("dynamics", "fmu_src", "spacefmu") for path in root.glob(f"{room}/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                place = f"{path.relative_to(root).as_posix()}:{node.lineno}"
                if (other := first.setdefault(node.name, place)) != place:
                    sentences.append(f"{place}: class {node.name} is also in {other}; one name has one meaning")
    return sentences


def long_paragraphs(root: Path = ROOT) -> list[str]:
    """A sentence for each paragraph or list item of a page with more than LONGEST characters; code and tables are not looked at."""
    sentences = []
    for path in sorted(
        path for pattern in ("README.md", "CONTRIBUTING.md", "docs/**/*.md") for path in root.glob(pattern)
    ):
        text = re.sub(r"^( *)```.*?^\1```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for paragraph in re.split(r"\n\s*\n|\n(?=\|)|\n(?=(?:[-*]|\d+\.) )", text):
            if len(paragraph) > LONGEST and not paragraph.lstrip().startswith("|"):
                begin = " ".join(paragraph.split())[:40]
                sentences.append(
                    f"{path.relative_to(root)}: '{begin} …' has {len(paragraph)} characters, at most {LONGEST}"
                )
    return sentences


if __name__ == "__main__":
    sys.exit("\n".join(found() + repeated_classes() + long_paragraphs()) or None)
