"""Checks pages, help texts, messages and docstrings against the word list of STYLE.md, class names for one meaning each, and pages for the
length of paragraphs, the order of headings and lists that the site would not show: python -m docs.words

A row of PHRASES is a phrase to avoid, and what to write instead; a row of PATTERNS is the same with a regular expression. A row is added when
its last use has been mended. The CHANGELOG quotes earlier versions, STYLE.md phrases to avoid, the record of validation titles of cases: these
are not checked. PATTERNS are not applied to the C runtime.
"""

from __future__ import annotations

import ast
import itertools
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
ONE_PER = "run|axis|mode|row|instant|core|node|link|law|group|architecture|section|paper|format|problem|motion|frame|panel|vector"
PATTERNS = {
    rf"\b(?:one|two) (?!is|has|was|as|with|in|of|to)\w+ an? (?:{ONE_PER})\b(?! (?:of|that|with|is|has|in|to)\b)": "per, not a",
    r"(?<!there) (?:is|are|was|were) no (?:file|FMU|SSP|result|mesh|unit|node|body|joint|input|output|description|system|name|text|table)\b(?! of\b)": "is not a",
    r"\bthat are (?-i:none)\b": "name them: non-numeric entries, unknown names",
    r"\bexpected nothing\b": "is not allowed",
    r"\b(?:tells? of|told (?:by|of|to))\b": "reports, is reported by",
    r"\bjudged by\b": "error estimate, is controlled by",
    r"\b(?:is|are|be) believed\b": "is trusted, has a predicted",
    r"\bgoes on where\b": "resumes",
    r"\buntil then\b": "up to that time",
    r"\b(?:FMUs?|model|defect|fault|library|equation|sentence|system|page|code) of ours\b": "of spacefmu",
    r"\bours or (?:another|any other|a foreign)\b": "of any tool",
    r"\bany tool's\b": "from any tool",
    r"\bsquare to\b": "perpendicular to, orthogonal to",
    r"\bthere is to see\b": "the picture, the visible parts",
    r"\b(?:a person|people) (?:who|can|has|types?|calls?|does|chooses?|names?|waits?)\b": "you, the user",
    r"\ba person's\b": "a user's",
    r"(?<=\w), too(?=[.;:)\"]|$)": "also",
    r"\bfor the occasion\b": "first, for this run",
    r"\bunder the eyes of\b": "while the user waits",
    r"\brun(?:s|ning)? away\b": "diverge, unstable",
    r"\bgives? way\b": "free-floating, yields",
    r"\bhang(?:s|ing)? on (?:the|each|its|what)\b": "depend on, are connected to",
    r"\btakes? the host down\b": "crash the host",
    r"\bas good as new\b": "like a new one",
    r"\bthe other way about\b": "opposite, in the opposite direction",
    r"\bdefault (?:one|that of|those of)\b": "default: …, with a colon",
}
LONGEST = 600  # characters of a paragraph
LOOKED_AT = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "docs/*.py", "dynamics/**/*.py", "fmu_src/**/*.py", "fmu_src/**/*.html", "fmu_src/**/*.js", "fmu_src/**/*.toml", "fmu_src/native/runtime/**/*.[ch]")  # fmt: skip


def found(root: Path = ROOT) -> list[str]:
    """A sentence for each place that has a phrase of the list, however it is broken into lines."""
    phrases = {re.compile(r"\s+".join(map(re.escape, bad.split())), re.IGNORECASE): PHRASES[bad] for bad in PHRASES}
    patterns = {re.compile(bad.replace(" ", r"\s+"), re.IGNORECASE | re.MULTILINE): PATTERNS[bad] for bad in PATTERNS}
    unchecked = {root / "docs/words.py", root / "docs/record.md", root / "fmu_src/record/page.py"}
    sentences = []
    for path in sorted({path for pattern in LOOKED_AT for path in root.glob(pattern)} - unchecked):
        text = path.read_text("utf-8")
        for pattern, good in (phrases if path.suffix in (".c", ".h") else phrases | patterns).items():
            for hit in pattern.finditer(text):
                line, bad = text.count("\n", 0, hit.start()) + 1, " ".join(hit[0].lower().split())
                sentences.append(f"{path.relative_to(root)}:{line}: {bad!r}; write {good!r} (STYLE.md)")
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


def pages(root: Path) -> list[Path]:
    """README, CONTRIBUTING and the pages of the site."""
    return sorted(path for pattern in ("README.md", "CONTRIBUTING.md", "docs/**/*.md") for path in root.glob(pattern))


def long_paragraphs(root: Path = ROOT) -> list[str]:
    """A sentence for each paragraph or list item of a page with more than LONGEST characters; code and tables are not checked."""
    sentences = []
    for path in pages(root):
        text = re.sub(r"^( *)```.*?^\1```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for paragraph in re.split(r"\n\s*\n|\n(?=\|)|\n(?=(?:[-*]|\d+\.) )", text):
            if len(paragraph) > LONGEST and not paragraph.lstrip().startswith("|"):
                begin = " ".join(paragraph.split())[:40]
                sentences.append(
                    f"{path.relative_to(root)}: '{begin} …' has {len(paragraph)} characters, at most {LONGEST}"
                )
    return sentences


def misplaced_headings(root: Path = ROOT) -> list[str]:
    """A sentence for each page without exactly one heading of level 1, at its top, and for each heading that skips a level."""
    sentences = []
    for path in pages(root):
        text = re.sub(r"^( *)```.*?^\1```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        headings = [(len(marks), words) for marks, words in re.findall(r"^(#{1,6}) +(.+)$", text, re.MULTILINE)]
        if [level for level, _ in headings].count(1) != 1 or headings[0][0] != 1:
            sentences.append(f"{path.relative_to(root)}: a page has one heading of level 1, at its top")
        for (above, _), (level, words) in itertools.pairwise(headings):
            if level > above + 1:
                sentences.append(
                    f"{path.relative_to(root)}: the heading {words!r} of level {level} follows one of level {above}"
                )
    return sentences


def pictures_without_text(root: Path = ROOT) -> list[str]:
    """A sentence for each picture of a page without alternative text."""
    return [
        f"{path.relative_to(root)}: the picture {target} has no text"
        for path in pages(root)
        for target in re.findall(r"!\[\s*\]\(([^)]*)\)", path.read_text("utf-8"))
    ]


def lists_in_paragraphs(root: Path = ROOT) -> list[str]:
    """A sentence for each list directly below a paragraph: the site shows such a list as part of the paragraph."""
    sentences = []
    for path in pages(root):
        text = re.sub(r"^( *)```.*?^\1```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for above, item in re.findall(r"^([^\s#|>-].*)\n([-*] .{0,40})", text, re.MULTILINE):
            if not re.match(r"\* |\d+\. ", above):
                sentences.append(f"{path.relative_to(root)}: an empty line is missing above the list {item!r}")
    return sentences


if __name__ == "__main__":
    checks = (found, repeated_classes, long_paragraphs, misplaced_headings, pictures_without_text, lists_in_paragraphs)
    sys.exit("\n".join(sentence for check in checks for sentence in check()) or None)
