"""Every key that a docstring or comment cites stands in dynamics/references.py."""

from __future__ import annotations

import re
from pathlib import Path

from spacefmu.dynamics.references import REFERENCES

ROOT = Path(__file__).parents[2]
CITED = re.compile(r"\[([a-z]+[0-9]{4}|tkachev|stroe)\]")


def test_every_cited_key_is_known():
    files = [
        path
        for folder in ("dynamics", "fmu_src")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".c", ".h", ".toml")
    ]
    cited = {key for path in files for key in CITED.findall(path.read_text(encoding="utf-8"))}
    assert {"jin1991", "stroe", "hairer1993"} <= cited
    assert cited <= set(REFERENCES)
