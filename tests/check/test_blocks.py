"""What the docs and examples show as blocks passes our own rules, as `spacefmu check` of it would: sampled states above all."""

import re
import tomllib
from pathlib import Path

import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.check.check import check
from tests.blocks.test_own_block import NOISY

ROOT = Path(__file__).parents[2]
PAGES = {
    name: code
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for name, code in re.findall(r'```python title="([^"]+)"\n(.*?)```', page.read_text("utf-8"), re.DOTALL)
    if "(Block)" in code
} | {"noisy.py": NOISY}
EXAMPLES = [
    path
    for path in sorted((ROOT / "examples").rglob("*.toml"))
    if tomllib.loads(path.read_text("utf-8")).get("kind", "spacecraft") not in ("spacecraft", "system", "sweep")
]
START = ("exact-start", "exact-set", "input-start")
COUNTER = '''
from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.system.signals import Signal


class Counter(Block):
    """Begins where it is told to, and has counted its first sample after initialization."""

    sampled = (Signal("count", "samples so far", "1", 5.0), Signal("on", "whether it counts", kind="boolean", start=True))
    sample_time = 0.5

    def sample(self, now):
        return {"count": now.count + 1.0, "on": now.on}
'''


def found(report):
    assert report.defects == []
    return [(finding.rule.id, finding.text) for finding in report.findings]


def fmu_of(tmp_path, name: str, code: str):
    (tmp_path / name).write_text(code, "utf-8")
    return api.build(tmp_path / name, tmp_path / "own.fmu", platforms=["host"])


def test_pages_and_examples_are_found():
    assert "gyro.py" in PAGES
    assert {"gyro", "star_tracker", "sun_sensor", "sun_drive"} <= {path.stem for path in EXAMPLES}


@pytest.mark.parametrize(
    ("name", "rules"), [(name, START if name == "noisy.py" else None) for name in PAGES], ids=list(PAGES)
)
def test_own_blocks(name, rules, tmp_path):
    """All rules. Before, the gyro of docs/python_fmu.md had four violations: exact-start and exact-set of `held`."""
    assert found(check(fmu_of(tmp_path, name, PAGES[name]), rules)) == []


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem == "warm_boom")) for path in EXAMPLES],
)
def test_examples_begin_as_they_say(path, tmp_path):
    assert found(check(api.build(path, tmp_path / "own.fmu", platforms=["host"]), START)) == []


def test_a_sampled_state_begins_where_it_is_told_to(tmp_path):
    fmu = fmu_of(tmp_path, "counter.py", COUNTER)
    assert found(check(fmu, START)) == []
    run = api.simulate(fmu, stop=1.0, step=0.5, start_values={"count": 7.0}, record=["count"])
    assert run["count"].tolist() == [8.0, 8.0, 9.0]
