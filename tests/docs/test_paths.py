"""Tests that code and pages name as their proof."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"(?<![\w/])tests/[\w/]+\.(?:py|c)\b")
FOREIGN = ("fmu_src/record/cases", "docs/record.md")  # they name files of other projects


def test_every_test_that_is_named_exists():
    listed = subprocess.run(["git", "ls-files", "*.py", "*.c", "*.h", "*.md", "*.toml"], cwd=ROOT, capture_output=True, text=True, check=True)  # fmt: skip
    files = [ROOT / name for name in listed.stdout.split("\n") if name and not name.startswith(FOREIGN)]
    named = {(path, name) for path in files if path.is_file() for name in NAMED.findall(path.read_text("utf-8"))}
    assert len(named) > 100
    assert sorted(f"{path.relative_to(ROOT)}: {name}" for path, name in named if not (ROOT / name).is_file()) == []
