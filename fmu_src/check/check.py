"""check(path): runs all rules in a worker process and gathers what they found. The FMU never reaches this process."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .cpu_timeout import CpuTimeout
from .rules import VIOLATION, Rule, all_rules
from .worker import NOW

_LARGEST_REPORT = 16 << 20  # bytes that are read of what a worker wrote
_POLL = 0.02  # [s]
_MOST_CRASHES = 3  # in legal calls; after that the other rules would only repeat the finding


@dataclass(frozen=True)
class Finding:
    """A fault: by which rule, and a sentence."""

    rule: Rule
    text: str


@dataclass
class Report:
    """All findings, and the rules that could not be checked, with the reason. unreadable: why most rules could not be checked, else empty."""

    path: Path
    version: int = 2  # of FMI; 2 also where it can't be read
    findings: list[Finding] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    checked: list[str] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)
    unreadable: str = ""

    def failed(self, strict: bool = False) -> bool:
        """True also if rules could not be checked because the FMU is unreadable."""
        return bool(self.unreadable) or any(strict or finding.rule.severity is VIOLATION for finding in self.findings)


def check(
    path: Path | str,
    rules: Iterable[str] | None = None,
    limit: float = 10.0,
    on_progress: Callable[[float], object] | None = None,
) -> Report:
    """Check an FMU by all rules, or those named. limit [s]: of one call of an FMI function, and of a static rule ten times that."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: no such file")
    table = all_rules()
    wanted = list(table if rules is None else rules)
    if unknown := [name for name in wanted if name not in table]:
        raise ValueError(f"there is no rule {unknown[0]!r}; spacefmu check --rules lists them")
    report, left = Report(Path(path)), wanted
    folder = Path(tempfile.mkdtemp(prefix="spacefmu-check-"))
    try:
        while left:
            ended = _work(
                Path(path).absolute(), folder, left, limit, on_progress and (lambda n: on_progress(n / len(wanted)))
            )
            done = _gather(folder, report, table)
            left = left[len(done) :]
            if left and ended:
                _blame(report, table[left[0]], table, *ended)
                left = left[1:]
            if len([f for f in report.findings if f.rule.id in ("crash", "hang")]) >= _MOST_CRASHES:
                if left:
                    report.unreadable = "the FMU crashed or hung too often to go on"
                report.skipped |= dict.fromkeys(left, report.unreadable)
                break
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _work(path: Path, folder: Path, rules: list[str], limit: float, on_progress) -> tuple[str, str] | None:
    """Run a worker until it ends. Returns (how it ended, call in progress), or None if it ended normally."""
    (folder / "now").write_bytes(bytes(NOW.size))
    (folder / "findings.jsonl").write_bytes(b"")
    shutil.rmtree(folder / "work", ignore_errors=True)
    job = {"path": str(path), "folder": str(folder), "rules": rules, "limit": limit, "parent": os.getpid()}
    (folder / "job.json").write_text(json.dumps(job), "utf-8")
    with open(folder / "output", "wb") as output:
        worker = subprocess.Popen(
            [sys.executable, "-m", "spacefmu.fmu_src.check.worker", str(folder / "job.json")],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=_environment(folder),
            start_new_session=True,
        )
    how, rule, call, of_rule, of_call = "", b"", 0.0, CpuTimeout(worker.pid, 12 * limit), CpuTimeout(worker.pid, limit)
    try:
        while worker.poll() is None and not how:
            time.sleep(_POLL)
            began, now, _ = NOW.unpack((folder / "now").read_bytes().ljust(NOW.size, b"\0")[: NOW.size])
            if now != rule:
                rule, of_rule = now, CpuTimeout(worker.pid, 12 * limit)
                if on_progress:
                    on_progress(_lines(folder))
            if began != call:
                call, of_call = began, CpuTimeout(worker.pid, limit)
            if began and of_call.ended():
                how = f"did not return within {limit:g} s"
            elif of_rule.ended():
                how = f"was not done within {12 * limit:g} s"
    finally:
        _end(worker)
    _, _, call = NOW.unpack((folder / "now").read_bytes().ljust(NOW.size, b"\0")[: NOW.size])
    if not how and worker.returncode:
        how = f"ended the process ({_cause(worker.returncode)})"
    return (how, call.rstrip(b"\0").decode("utf-8", "replace")) if how else None


def _end(worker: subprocess.Popen) -> None:
    """End a worker and whatever the FMU has started in its session."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(worker.pid, signal.SIGKILL)
    if worker.poll() is None:
        worker.kill()
    worker.wait()


def _environment(folder: Path) -> dict[str, str]:
    """The environment variables that a worker needs, without the user's others."""
    kept = ("PATH", "SYSTEMROOT", "WINDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    here = str(Path(__file__).parents[2])
    return {key: os.environ[key] for key in kept if key in os.environ} | {
        "PYTHONPATH": here,
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _cause(code: int) -> str:
    try:
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"
    except ValueError:
        return f"signal {-code}"


def _lines(folder: Path) -> int:
    with open(folder / "findings.jsonl", "rb") as stream:
        text = stream.read(_LARGEST_REPORT)
        return text.count(b'{"done"') + text.count(b'{"passed"')


def _gather(folder: Path, report: Report, table: dict[str, Rule]) -> list[str]:
    """Add the worker's findings; returns the rules that it finished. The FMU could have written to this file: it is parsed as data only, never executed."""
    done = []
    with open(folder / "findings.jsonl", "rb") as stream:
        lines = stream.read(_LARGEST_REPORT).decode("utf-8", "replace").splitlines()
    for line in lines:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        if not isinstance(entry, dict):
            continue
        if entry.get("rule") in table:
            finding = Finding(table[entry["rule"]], str(entry.get("text"))[:1000])
            if finding not in report.findings:
                report.findings.append(finding)
        elif entry.get("skipped") in table:
            report.skipped[entry["skipped"]] = str(entry.get("text"))[:1000]
            if entry.get("unreadable"):
                report.unreadable = report.unreadable or report.skipped[entry["skipped"]]
            if entry.get("defect"):
                report.defects.append(f"{entry['skipped']}: {entry['text']}")
        elif entry.get("done") in table:
            done.append(entry["done"])
            report.checked.append(entry["done"])
        elif entry.get("passed") in table:
            done.append(entry["passed"])
        elif entry.get("version") in (2, 3):
            report.version = entry["version"]
    return done


def _blame(report: Report, rule: Rule, table: dict[str, Rule], how: str, call: str) -> None:
    """A worker that crashed or hung is a finding: of the rule itself if it makes illegal calls, else of `crash` or `hang`."""
    generic = table["hang" if "not" in how else "crash"]
    text = f"{call or 'the check'} {how}"
    blamed = rule if rule.abuse or not call else generic
    report.findings.append(Finding(blamed, text if blamed is rule else f"{text}, while {rule.id!r} was checked"))
    report.checked.append(rule.id)
