"""Known truth for FMI 3.0: FMUs with one fault each, which its rule has to find; and one without, in which nothing is found."""

from __future__ import annotations

import sys

import pytest

from spacefmu.fmu_src.check.check import check
from spacefmu.fmu_src.check.rules import all_rules
from spacefmu.fmu_src.check.subject import checked
from tests.catalogue_fmus import matrix
from tests.check import probe, probe3
from tests.check.faults import LOOKED_FOR, replaced
from tests.check.faults3 import ARCHIVE, BEHAVIOUR, CARRIED, EXTRA, FILES, PROMISED, PROMISES, XML

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="probe.c plants faults in Linux's ways")
QUICK = (
    "adjoint_wrong",
    "early_time_wrong",
    "update_time_wrong",
    "array_transposed",
    "illegal_taken",
    "state_forgets_count",
)


def found(content, rule: str, folder) -> list[str]:
    """What one rule finds without a process of its own: for rules that run nothing."""
    return list(all_rules()[rule].look(checked(probe.pack(folder / "Probe.fmu", content), folder)))


def test_nothing_is_found_in_the_clean_one(tmp_path):
    report = check(probe.pack(tmp_path / "Probe.fmu", probe3.files()))
    assert [(finding.rule.id, finding.text) for finding in report.findings] == []
    assert set(report.skipped) == {"completed-step-effect", "event-mode-refused", "element-dependencies"}
    assert report.defects == []
    assert report.version == 3


@pytest.mark.parametrize("fault", ARCHIVE)
def test_archive(fault, tmp_path):
    make, rule = ARCHIVE[fault]
    path = make(tmp_path / "Probe.fmu", probe3.files())
    assert list(all_rules()[rule].look(checked(path, tmp_path)))


@pytest.mark.parametrize("fault", CARRIED)
def test_carried(fault, tmp_path):
    make, rule = CARRIED[fault]
    assert {finding.rule.id for finding in check(make(tmp_path / "Probe.fmu", probe3.files()), [rule]).findings} == {
        rule
    }


@pytest.mark.parametrize("fault", XML)
def test_xml(fault, tmp_path):
    pairs, rule = XML[fault]
    assert found(probe3.files(xml=replaced(*pairs)), rule, tmp_path)


@pytest.mark.parametrize("fault", FILES)
def test_files(fault, tmp_path):
    (name, *pairs), rule = FILES[fault]
    content = probe3.files()
    assert found(content | {name: replaced(*pairs)(content[name].decode()).encode()}, rule, tmp_path)


@pytest.mark.parametrize("fault", EXTRA)
def test_files_that_are_there_or_not(fault, tmp_path):
    (name, data), rule = EXTRA[fault]
    content = {key: value for key, value in probe3.files().items() if key != name}
    assert found(content | ({} if data is None else {name: data}), rule, tmp_path)


@pytest.mark.parametrize("fault", matrix([*BEHAVIOUR, *PROMISES], QUICK))
def test_behaviour(fault, tmp_path):
    if fault in BEHAVIOUR:
        content, rule = probe3.files(fault, replaced(*PROMISED.get(fault, ()))), BEHAVIOUR[fault]
    else:
        pairs, rule = PROMISES[fault]
        content = probe3.files(xml=replaced(*pairs))
    limit = 1.0 if rule in ("hang", "work-bounded") else 3.0  # what hangs takes all of it
    report = check(probe.pack(tmp_path / "Probe.fmu", content), [LOOKED_FOR.get(fault, rule)], limit=limit)
    assert rule in {finding.rule.id for finding in report.findings}, report
    assert report.defects == []
