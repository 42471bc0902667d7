"""Known truth: FMUs with one fault each, which its rule has to find; and one without, in which nothing is found."""

from __future__ import annotations

import struct
import subprocess
import sys
from types import SimpleNamespace

import pytest

from spacefmu.fmu_src.check import cpu_timeout
from spacefmu.fmu_src.check.check import check
from spacefmu.fmu_src.check.exchange import me_run
from spacefmu.fmu_src.check.rules import all_rules
from spacefmu.fmu_src.check.subject import checked
from spacefmu.fmu_src.native.platforms.compile import fmi_headers
from tests.catalogue_fmus import matrix
from tests.check import faults3, probe
from tests.check.counts import planted, sentence
from tests.check.faults import ARCHIVE, BEHAVIOUR, CARRIED, LOOKED_FOR, PROMISED, PROMISES, XML, replaced, smoke
from tests.cli.command import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="probe.c plants faults in Linux's ways")
QUICK = (  # one of each sort; the others are for make test-ci
    "another start value",
    "crash_in_step",
    "derivative_wrong",
    "event_lost_at_zero",
    "hang_in_step",
    "leaks",
    "me_differs",
    "null_values_crash",
    "reset_forgets_state",
    "state_forgets_late",
    "tunable_refused",
    "writes_file",
)


def found(fmu, rule: str, folder) -> list[str]:
    """What one rule finds without a process of its own: for rules that run nothing."""
    return list(all_rules()[rule].look(checked(fmu, folder)))


def test_nothing_is_found_in_the_clean_one(tmp_path):
    report = check(probe.pack(tmp_path / "Probe.fmu", probe.files()))
    assert [(finding.rule.id, finding.text) for finding in report.findings] == []
    assert report.skipped == {"completed-step-effect": "the FMU needs fmi2CompletedIntegratorStep"}
    assert report.defects == []
    assert not report.failed(strict=True)


def test_a_trial_that_is_discarded_is_made_with_a_shorter_step(tmp_path):
    """As SnapSatellite's, whose wing is bent beyond its modes' range by an explicit method's trial of 7 s."""
    report = check(probe.pack(tmp_path / "Probe.fmu", probe.files("short_sighted")), ["event-count", "kinds-agree"])
    assert [(finding.rule.id, finding.text) for finding in report.findings] == []
    assert report.skipped == {}


def test_a_busy_machine_hides_nothing(tmp_path, monkeypatch):
    """0.8 s pass from look to look at the clock, of which the run gets a twentieth: its 6 s are of its own time. It looks 66 times."""
    clock = [0.0]

    def look() -> float:
        clock[0] += 0.8
        return clock[0]

    monkeypatch.setattr(cpu_timeout, "time", SimpleNamespace(monotonic=look))
    monkeypatch.setattr(cpu_timeout, "_cpu", lambda pid: 0.05 * clock[0])
    fmu = checked(probe.pack(tmp_path / "Probe.fmu", probe.files("chatter")), tmp_path)
    fmu.watch = lambda call: None
    run = me_run(fmu)
    assert clock[0] > 30.0  # more than 6 s
    assert run.complete
    assert run.seen["indicator-zero"]


def test_a_quantity_that_goes_round_does_not_jump(tmp_path):
    """y goes on 0.3 higher at 0.25 s: an angle, if that is the whole of its declared range."""
    round_ = probe.files("output_jumps", replaced('min="-100" max="100"', 'min="0.1" max="0.4"'))
    assert check(probe.pack(tmp_path / "Probe.fmu", round_), ["output-jumps"]).findings == []


@pytest.mark.parametrize("fault", ARCHIVE)
def test_archive(fault, tmp_path):
    make, rule = ARCHIVE[fault]
    assert found(make(tmp_path / "Probe.fmu", probe.files()), rule, tmp_path)


@pytest.mark.parametrize("fault", CARRIED)
def test_carried(fault, tmp_path):
    make, rule = CARRIED[fault]
    assert [finding.rule.id for finding in check(make(tmp_path / "Probe.fmu", probe.files()), [rule]).findings] == [
        rule
    ]


def test_a_reference_that_is_kept(tmp_path):
    report = check(smoke("0.22")(tmp_path / "Probe.fmu", probe.files()), ["smoke-test", "references-manifest"])
    assert (report.findings, report.skipped, report.defects) == ([], {}, [])


@pytest.mark.parametrize("fault", XML)
def test_xml(fault, tmp_path):
    pairs, rule = XML[fault]
    assert found(probe.pack(tmp_path / "Probe.fmu", probe.files(xml=replaced(*pairs))), rule, tmp_path)


@pytest.mark.parametrize("fault", matrix([*BEHAVIOUR, *PROMISES], QUICK))
def test_behaviour(fault, tmp_path):
    if fault in BEHAVIOUR:
        content, rule = probe.files(fault, replaced(*PROMISED.get(fault, ()))), BEHAVIOUR[fault]
    else:
        pairs, rule = PROMISES[fault]
        content = probe.files(xml=replaced(*pairs))
    limit = 1.0 if rule in ("hang", "work-bounded") else 3.0  # what hangs takes all of it
    report = check(probe.pack(tmp_path / "Probe.fmu", content), [LOOKED_FOR.get(fault, rule)], limit=limit)
    assert rule in {finding.rule.id for finding in report.findings}, report
    assert report.defects == []


def test_counts(capsys):
    """The numbers that the docs state: python -m tests.check.counts."""
    with capsys.disabled():
        print(f"\n{sentence()}")
    for page in ("check.md", "validation.md"):  # the latter is written by python -m docs.validation
        assert sentence() in (ROOT / "docs" / page).read_text("utf-8"), page
    rules = all_rules()
    assert set(planted()) | set(LOOKED_FOR.values()) == set(rules)
    for_3 = {name for name, each in rules.items() if each.fmi3 is not None}
    assert set(faults3.planted()) | set(LOOKED_FOR.values()) == for_3


def test_plain_pythonfmu_shows_its_known_faults(tmp_path):
    """pythonfmu's own output, of a class of its own (tests/cosim/test_foreign.py)."""
    from pythonfmu import FmuBuilder

    from tests.cosim.test_foreign import CLASS

    (tmp_path / "foreign.py").write_text(CLASS)
    report = check(FmuBuilder.build_FMU(str(tmp_path / "foreign.py"), dest=str(tmp_path)))
    assert report.defects == []
    known = {
        "wrong-guid",
        "resource-location",
        "stop-time",
        "status-functions",
        "structure-initial",
        "continuous-reals",
    }
    known |= {"binary-symbols", "binary-dependencies", "binary-glibc", "not-numbers", "null-pointers", "set-calculated"}
    assert known <= {finding.rule.id for finding in report.findings}


@pytest.mark.ci  # zig makes the parts of a library for macOS: a quarter of a minute
def test_old_libraries_of_macos_have_no_table_of_exports(tmp_path):
    """As OpenModelica's of 2018: the functions are there, and it is the symbols that say so."""
    for name, text in fmi_headers().items():
        (tmp_path / name).write_text(text, "utf-8")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-macos.11.0", "-shared", "-DFAULT=clean"]
    zig += ["-Dfedisableexcept(x)=0", "-Dfeenableexcept(x)=0"]  # glibc alone has them
    library = tmp_path / "new.dylib"
    subprocess.run([*zig, f"-I{tmp_path}", str(probe.SOURCE), "-o", str(library)], check=True)
    new = library.read_bytes()
    old = _without_exports(new)
    assert old != new
    for name, data in (("new", new), ("old", old)):
        content = probe.files() | {"binaries/darwin64/Probe.dylib": data}
        packed = probe.pack(tmp_path / f"{name}.fmu", content)
        # the linker's own symbols and the library's own install name are not findings
        for rule in ("binary-exports", "binary-symbols", "binary-dependencies"):
            assert found(packed, rule, tmp_path) == []


def _without_exports(library: bytes) -> bytes:
    """A thin Mach-O file whose load commands name no table of exports: sizes in DYLD_INFO_ONLY or DYLD_EXPORTS_TRIE become 0."""
    data, place = bytearray(library), 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size = struct.unpack_from("<II", data, place)
        if command in (0x80000022, 0x80000033):
            struct.pack_into("<II", data, place + (40 if command == 0x80000022 else 8), 0, 0)
        place += size
    return bytes(data)
