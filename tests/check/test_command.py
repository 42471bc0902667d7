"""`spacefmu check` as a person and a build server run it."""

import json
import sys
from xml.etree import ElementTree

import pytest

from spacefmu.fmu_src.check.report import page
from spacefmu.fmu_src.check.rules import all_rules
from tests.check import probe
from tests.check.faults import replaced
from tests.cli.command import ROOT, spacefmu

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="probe.c is compiled for Linux")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check")
    probe.pack(folder / "clean.fmu", probe.files())
    probe.pack(folder / "remark.fmu", probe.files(xml=replaced('nominal="1"', 'nominal="0"')))
    probe.pack(folder / "broken.fmu", probe.files(xml=replaced('guid="{8c4e', 'guid="{ffff')))
    (folder / "text.fmu").write_text("no zip")
    return folder


def test_clean(folder):
    done = spacefmu("check", "clean.fmu", "--static", "--strict", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "nothing found" in done.stdout


def test_a_remark_fails_only_when_strict(folder):
    assert spacefmu("check", "remark.fmu", "--static", folder=folder).returncode == 0
    done = spacefmu("check", "remark.fmu", "--static", "--strict", folder=folder)
    assert done.returncode == 1
    assert "interoperability\tnominal\ty has the nominal value 0" in done.stdout.splitlines()


def test_json_and_junit(folder):
    done = spacefmu("check", "broken.fmu", "--json", "--junit", "report.xml", folder=folder)
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert data["failed"]
    assert {"rule": "refused", "severity": "violation"}.items() <= data["findings"][0].items()
    suite = ElementTree.parse(folder / "report.xml").getroot()
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert failed == {finding["rule"] for finding in data["findings"] if finding["severity"] == "violation"}
    assert int(suite.get("failures")) == len(failed)
    assert len(suite) == int(suite.get("tests")) == sum(rule.of(2) is not None for rule in all_rules().values())


def test_what_is_no_archive_is_a_finding_and_no_file_an_error(folder):
    done = spacefmu("check", "text.fmu", folder=folder)
    assert done.returncode == 1
    assert "violation\tzip\t" in done.stdout
    done = spacefmu("check", "none.fmu", folder=folder)
    assert done.returncode == 2
    assert done.stderr == "spacefmu: none.fmu: no such file\n"


def test_the_rules_are_listed_and_the_page_is_theirs(folder):
    done = spacefmu("check", "--rules", folder=folder)
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == list(all_rules())
    written = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert written == page(), "run: spacefmu check --rules --markdown > docs/rules.md"


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("v21", lambda: probe.files(xml=replaced('fmiVersion="2.0"', 'fmiVersion="2.1"')), "the FMU is of FMI 2.1; there are rules only for 2.0 and 3.0"),
        ("v31", lambda: probe.files(xml=replaced('fmiVersion="2.0"', 'fmiVersion="3.1"')), "the FMU is of FMI 3.1; there are rules only for 2.0 and 3.0"),
        ("other_machine", lambda: {k: v for k, v in probe.files().items() if k != probe.LIBRARY}, "so it can't be run here"),
    ],
)  # fmt: skip
def test_what_could_not_be_checked_is_no_success(folder, name, content, why):
    """Before: exit code 0 with and without --strict, "nothing found", 138 rules skipped in JUnit, and no reason but in JSON."""
    probe.pack(folder / f"{name}.fmu", content())
    done = spacefmu("check", f"{name}.fmu", "--junit", f"{name}.xml", folder=folder)
    assert done.returncode == 1
    assert why in done.stdout.splitlines()[-1]
    assert any(line.startswith("not checked\t") and why in line for line in done.stdout.splitlines())
    suite = ElementTree.parse(folder / f"{name}.xml").getroot()
    failed = [case for case in suite if case.find("failure") is not None]
    assert int(suite.get("failures")) == len(failed) >= 1
    assert why in failed[-1].find("failure").get("message")
    data = json.loads(spacefmu("check", f"{name}.fmu", "--json", "--strict", folder=folder).stdout)
    assert data["failed"]
    assert why in data["unreadable"]


def test_what_nobody_asked_to_run_may_pass(folder):
    probe.pack(folder / "no_library.fmu", {k: v for k, v in probe.files().items() if k != probe.LIBRARY})
    done = spacefmu("check", "no_library.fmu", "--static", "--json", folder=folder)
    assert json.loads(done.stdout)["unreadable"] == ""
