"""Branches and conditions (MC/DC) of the C runtime that our own tests and fuzzers decide both ways: python -m tests.coverage

Three sources, one count: fuzzers of this project over several Systems, runs with a fault on each path of callers (both tests/fuzz), and tests
with libraries that Debian's clang-19 compiles with -fcoverage-mcdc. Counters are in the runtime alone, not in what is generated: so all
libraries of one process add to one profile. A branch in a header is one, wherever it is included. A branch that nothing can reach
says so where it stands, in a comment "unreached: why" on its line or the one above: it counts as argued, never as met. The command prints a
table per file and what is open, and fails below FLOOR and where a test fails. `python -m tests.coverage FOLDER` leaves programs and profiles in a folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from spacefmu.fmu_src.native.platforms.compile import RUNTIME
from tests.catalogue_fmus import system_of
from tests.fuzz.models import APART, SLOW, WATCH
from tests.fuzz.programs import lanes, parts, play, program, sweep
from tests.fuzz.sweeps import SWEPT
from tests.systems_small import BALL, LATCH, OSCILLATOR, PENDULUM, RELAXATION, SAMPLER

ROOT = Path(__file__).parents[1]
COUNTED = ("-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc", "-fcoverage-compilation-dir=.")
ROOMS = ("core", "fmi2", "fmi3", "batch")  # of the runtime: folders whose files are counted
FUZZED = ("Folded", "Locking")  # of the swept models
SYSTEMS = (BALL, LATCH, OSCILLATOR, PENDULUM, RELAXATION, SAMPLER, WATCH)
ENTRIES = ("FourBar", "HingedPanel", "AttitudeController")  # of the catalogue: loops, notices, sampled outputs
CALLS, STATES = 60_000, 6_000  # of each
FILES = (
    *(f"tests/fmi/test_{name}.py" for name in ("calls", "values", "states", "crafted_states", "derivatives", "exchange", "cosimulation", "not_finite", "sampled_outputs")),
    *(f"tests/solver/test_{name}.py" for name in ("bounds", "real_time", "host_clocks", "order_and_overrun")),
    "tests/native/test_elimination.py",
    "tests/batch/test_agreement.py",
    *(f"tests/fmi3/test_{name}.py" for name in ("calls", "misuse", "intermediate", "adjoint")),
    *(f"tests/constraints/test_{name}.py" for name in ("stops", "fmu", "change_points", "exchanged_linkages", "starts_at_change_points")),
)  # fmt: skip
FLOOR = {"branches": 99.6, "conditions": 99.5}  # [%], met or argued


Place = tuple[int, int, int]  # line, column, side or number of a condition


@dataclass
class Count:
    """Of one file: sides of branches and conditions, found in all, met, and argued: said to be out of reach where they stand."""

    branches: int = 0
    branches_met: int = 0
    branches_argued: int = 0
    conditions: int = 0
    conditions_met: int = 0
    conditions_argued: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, name) + getattr(other, name) for name in vars(self)))

    def row(self, name: str) -> str:
        shares = (_share(self.branches_met, self.branches), _share(self.conditions_met, self.conditions))
        return (
            f"{name:<24} {self.branches:>8} {shares[0]:>7.1f} {self.branches_argued:>7} "
            f"{self.conditions:>10} {shares[1]:>7.1f} {self.conditions_argued:>7}"
        )

    def words(self, kind: str) -> str:
        """In one line: what was met, what is argued and what is open of a kind."""
        whole, met, argued = (getattr(self, f"{kind}{end}") for end in ("", "_met", "_argued"))
        return (
            f"{kind}: {met} of {whole} met ({_share(met, whole):.1f} %), {argued} argued, {whole - met - argued} open"
        )


def _share(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 100.0


def measure(folder: Path) -> tuple[Path, list[str]]:
    """Runs all of it; the merged profile, and tests that failed."""
    listed = folder / "counted.list"
    names = sorted(path.name for room in ROOMS for path in (RUNTIME / room).iterdir())
    listed.write_text("".join(["[clang]\ndefault:skip\n", *(f"source:*{name}=allow\n" for name in names)]), "utf-8")
    compiler = ("clang-19", *COUNTED, f"-fprofile-list={listed}")
    os.environ["LLVM_PROFILE_FILE"] = str(
        folder / "%2m.profraw"
    )  # two files per sort of program, which processes add to
    with ThreadPoolExecutor(2) as workers:
        list(workers.map(lambda work: work(), [*_fuzzed(folder, compiler), *_swept(folder, compiler)]))
    os.environ["SPACEFMU_CC"] = " ".join(compiler)
    failed = _tests_failed(folder)
    merged = folder / "all.profdata"
    raw = map(str, sorted(folder.glob("*.profraw")))
    subprocess.run(["llvm-profdata-19", "merge", "-failure-mode=all", *raw, "-o", str(merged)], check=True)
    return merged, failed


def _tests_failed(folder: Path) -> list[str]:
    """What pytest says of tests that fail twice: in two processes, half of the files each."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "not slow and not ci", "-k", "not sanitizers"]
    halves = [[*command, *FILES[i::2], "-o", f"cache_dir={folder / f'cache{i}'}"] for i in (0, 1)]
    failed: list[str] = []
    for again in ((), ("--last-failed", "--last-failed-no-failures=none")):
        running = [subprocess.Popen([*half, *again], cwd=ROOT, stdout=subprocess.PIPE, text=True) for half in halves]
        said = [process.communicate()[0] for process in running]
        failed = [line for each in said for line in each.splitlines() if line.startswith(("FAILED", "ERROR"))]
        failed += [f"pytest ended with {process.returncode}" for process in running if process.returncode not in (0, 1, 5)]  # fmt: skip
        if not failed:
            break
        print("tests failed:", *failed, sep="\n", file=sys.stderr)
    return failed


def _fuzzed(folder: Path, compiler: tuple[str, ...]) -> Iterable[Callable[[], object]]:
    swept = [SWEPT[name][0]() for name in FUZZED]
    for fmi in (2, 3):
        for system in (*SYSTEMS, *map(system_of, ENTRIES), *swept):
            fuzzer = program(system, fmi, folder / f"{system.name}{fmi}", compiler)
            for faults in (0, 300, 10_000):
                yield partial(play, fuzzer, 11 + faults, CALLS, STATES, faults)


def _swept(folder: Path, compiler: tuple[str, ...]) -> Iterable[Callable[[], object]]:
    for name, (system, runs) in SWEPT.items():
        swept = program(system(), 3, folder / f"sweep_{name}", compiler, ("sweep.c",))
        for played in runs:
            yield partial(sweep, swept, played)
    yield partial(parts, program(PENDULUM, 3, folder / "parts", compiler, ("parts.c",)))
    for model in (OSCILLATOR, BALL, SLOW, PENDULUM, APART):
        yield partial(parts, lanes(model, folder / f"lanes_{model.name}", compiler))


def counted(folder: Path, profile: Path) -> tuple[dict[str, Count], list[str]]:
    """Per file of the runtime its counts; and a line for each open branch or condition."""
    first, *more = [
        *(folder / f"{PENDULUM.name}{fmi}" / "fuzz" for fmi in (2, 3)),
        folder / f"lanes_{BALL.name}" / "lanes",
    ]
    line = ["llvm-cov-19", "export", f"-instr-profile={profile}", str(first), *(f"-object={each}" for each in more)]
    data = json.loads(subprocess.run(line, capture_output=True, check=True, text=True).stdout)
    sources = {path.name: path for room in ROOMS for path in (RUNTIME / room).iterdir()}
    table, still = {}, []
    for file in data["data"][0]["files"]:
        name = Path(file["filename"]).name
        if name not in sources:
            continue
        text = sources[name].read_text("utf-8").splitlines()
        sides: Counter[Place] = Counter()
        conditions: Counter[Place] = Counter()
        for line, column, _, _, *times in (branch[:6] for branch in file.get("branches", ())):
            sides.update({(line, column, side): int(count > 0) for side, count in enumerate(times)})
        for line, column, *_, found in file.get("mcdc_records", ()):
            conditions.update({(line, column, i): int(met) for i, met in enumerate(found)})
        table[name] = _counted(name, text, sides, conditions, still)
    return table, still


def _counted(name: str, text: list[str], sides: Counter[Place], conditions: Counter[Place], still: list[str]) -> Count:
    count = Count()
    for kind, found in (("branches", sides), ("conditions", conditions)):
        for (line, column, index), met in found.items():
            argued = not met and any("unreached:" in text[at - 1] for at in (line - 1, line) if at > 0)
            for name_of, truth in ((kind, True), (f"{kind}_met", met), (f"{kind}_argued", argued)):
                setattr(count, name_of, getattr(count, name_of) + bool(truth))
            if not met and not argued:
                what = f"{'true' if index == 0 else 'false'} side" if kind == "branches" else f"condition {index + 1}"
                still.append(f"{name}:{line}:{column}: {what}: {text[line - 1].strip()}")
    return count


def main() -> int:
    kept = sys.argv[1] if len(sys.argv) > 1 else ""
    with nullcontext(kept) if kept else tempfile.TemporaryDirectory(prefix="spacefmu-coverage-") as name:
        folder = Path(name)
        folder.mkdir(exist_ok=True)
        profile, failed = measure(folder)
        table, still = counted(folder, profile)
    (ROOT / "build" / "coverage.txt").write_text("\n".join(sorted(still)) + "\n", "utf-8")
    head = ("file", "branches", "met %", "argued", "conditions", "met %", "argued")
    print("{:<24} {:>8} {:>7} {:>7} {:>10} {:>7} {:>7}".format(*head))
    for name, count in sorted(table.items()):
        print(count.row(name))
    total = sum(table.values(), Count())
    print(total.row("all"))
    print("\n".join(total.words(kind) for kind in FLOOR))
    print(f"{len(still)} sides and conditions are open: build/coverage.txt")
    shares = {
        "branches": _share(total.branches_met + total.branches_argued, total.branches),
        "conditions": _share(total.conditions_met + total.conditions_argued, total.conditions),
    }
    below = [f"{kind} {share:.1f} %, expected {FLOOR[kind]:g}" for kind, share in shares.items() if share < FLOOR[kind]]
    print("\n".join(below), file=sys.stderr, end="\n" if below else "")
    return 1 if below or failed else 0


if __name__ == "__main__":
    sys.exit(main())
