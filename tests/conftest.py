"""One folder a test session, in which its workers share the FMUs they build (tests/session.py).

Compiled libraries are kept from session to session in pytest's own cache folder (fmu_src/native/platforms/cache.py: by a digest of all
that they are made of), never in the cache of the person who runs the tests. `make clean` and a fresh checkout have none.
"""

import os
import shutil
import tempfile
from collections import Counter
from itertools import chain
from pathlib import Path

import lark
import pytest

from spacefmu.fmu_src.cosim.listener import listen
from tests.session import SESSION

BEGUN = pytest.StashKey[float]()

# FMPy parses every name of every FMU that it validates, which takes it a second an FMU: most names recur.
_parse, _parsed = lark.Lark.parse, {}


def _parse_once(parser, name):
    known = parser.source_grammar, name
    if known not in _parsed:
        _parsed[known] = _parse(parser, name)  # raises for what is not a name
    return _parsed[known]


lark.Lark.parse = _parse_once


def pytest_configure(config):
    """Workers and processes that tests start inherit the variable, so the first process alone makes the folder."""
    if SESSION not in os.environ:
        os.environ[SESSION] = tempfile.mkdtemp(prefix="spacefmu-test-")
        os.environ["SPACEFMU_CACHE"] = str(config.cache.mkdir("libraries"))
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(SESSION), ignore_errors=True))


def _cpu() -> float:
    """CPU time [s] of this process and of the processes that it has waited for."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    item.stash[BEGUN] = _cpu()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "teardown":
        report.user_properties.append(("cpu", _cpu() - item.stash[BEGUN]))
    return report


def pytest_terminal_summary(terminalreporter):
    """CPU time per folder, largest first: `make test` has a budget (CONTRIBUTING.md)."""
    spent: Counter[str] = Counter()
    for report in chain.from_iterable(terminalreporter.stats.values()):
        spent[report.nodeid.partition("::")[0].rpartition("/")[0]] += dict(getattr(report, "user_properties", ())).get(
            "cpu", 0.0
        )
    if spent.total() > 60.0:
        folders = ", ".join(f"{Path(folder).name} {seconds:.0f}" for folder, seconds in spent.most_common())
        terminalreporter.write_line(
            f"CPU time of the tests: {spent.total() / 60.0:.1f} minutes; in seconds per folder: {folders}"
        )


@pytest.fixture(autouse=True)
def fmpy_listens():
    """A test that gives FMPy a logger of its own does not hear what FMUs of later tests say."""
    yield
    listen()
