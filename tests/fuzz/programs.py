"""Fuzzers as programs: the C of a System's FMU, linked with fmi2.c or fmi3.c of this folder, under sanitizers or counted by clang."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from spacefmu.dynamics.solver.rows_seen import indicator_count
from spacefmu.dynamics.system.contract import System
from spacefmu.fmu_src.interface.arrays import arrays_of, scalars_of
from spacefmu.fmu_src.interface.variables import Group, variables_of
from spacefmu.fmu_src.native.c.generator import generate
from spacefmu.fmu_src.native.platforms.compile import fmi_headers, runtime_sources
from tests.fuzz.sweeps import Played
from tests.systems_small import PENDULUM

HERE = Path(__file__).parent
GUID = "{fuzz}"
SANITIZED = ("clang-19", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
GUIDED = ("clang-19", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all", "-DGUIDED")
# Functions that faults.c makes fail now and then.
WRAPPED = (
    "evaluate_motion",
    "evaluate_along",
    "project_as",
    "make_ready",
    "settle_once",
    "rates_at",
    "dense_prepare",
    "begin_step",
    "see_rows",
    "motion_factors",
    "derive_constants",
    "all_finite",
    "eliminate",
    "saddle_whiten",
    "saddle_reveal",
    "saddle_factor",
    "solve_planned",
    "most_weak",
    "solve_stage",
    "row_seen",
    "calloc",
)
# Of a program that goes through all paths of callers: they are seen by frame pointers.
SWEPT = ("-DSWEPT", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-inline")
OPTIONS = ("-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def program(
    system: System, fmi: int, folder: Path, compiler: Sequence[str] = SANITIZED, sources: Sequence[str] = ()
) -> Path:
    """The fuzzer of a System's FMU of a version of FMI, or another program of this folder, compiled in a folder of its own."""
    own, facts, variables = _model(system, fmi)
    options = SWEPT if "sweep.c" in sources else ()
    objects = _runtime(fmi, folder.parent / f"runtime{fmi}{len(options)}", (*compiler, *options))
    faults = compiler[0] == "clang-19" and (not sources or "sweep.c" in sources)
    wraps = [f"-Wl,--wrap={name}" for name in WRAPPED] if faults else []
    names = (*(sources or ("fuzz.h", "game.h", f"fmi{fmi}.c")), *(("faults.c", "faults.h") if faults else ()))
    texts = own | {name: (HERE / name).read_text("utf-8") for name in names} | {"facts.c": facts, "names.h": ""}
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "references").write_text("\n".join(variables), "utf-8")
    files = sorted(name for name in texts if name.endswith(".c"))
    line = [*compiler, *OPTIONS, *options, f"-I{objects}", "-isystem", f"{objects}/fmi", *files, *map(str, objects.glob("*.o")), *wraps, "-lm", "-pthread", "-o", "fuzz"]  # fmt: skip
    subprocess.run(line, cwd=folder, check=True)
    return folder / "fuzz"


def lanes(system: System, folder: Path, compiler: Sequence[str] = SANITIZED) -> Path:
    """The program that calls batches of a System's runs (lanes.c), two in a vector; `parts` plays it, too."""
    texts = runtime_sources(2, "batch") | generate(system, variables_of(system), GUID, lanes=True) | {"names.h": ""}
    texts |= {"run.c": (HERE / "lanes.c").read_text("utf-8")}
    folder.mkdir(parents=True)
    (folder / "fmi").mkdir()
    for name, text in texts.items() | {(f"fmi/{name}", text) for name, text in fmi_headers().items()}:
        (folder / name).write_text(text, "utf-8")
    files = sorted(name for name in texts if name.endswith(".c"))
    options = ("-std=c99", "-O1", "-ffp-contract=off", "-DLANES=2", "-isystem", "fmi", "-Wl,--wrap=calloc")
    subprocess.run([*compiler, *options, *files, "-lm", "-o", "lanes"], cwd=folder, check=True)
    return folder / "lanes"


def _model(system: System, fmi: int) -> tuple[dict[str, str], str, list[str]]:
    """The C of a System; what its hosts here know of it, as C; the names of its variables, by reference."""
    if fmi == 2:
        variables = variables_of(system)
        own, shown = generate(system, variables, GUID), [((v,), v.derivative_of) for v in variables]
    else:
        scalars = scalars_of(system)
        arrays = arrays_of(system, scalars)
        own = generate(system, scalars, GUID, arrays=arrays)
        shown = [(array.members, array.derivative_of) for array in arrays]
    first = [members[0] for members, _ in shown]
    smooth = [i for i, v in enumerate(first) if v.signal.kind == "real" and v.variability == "continuous"]
    unknowns = [i for i in smooth if first[i].causality == "output" or shown[i][1] is not None]
    knowns = [i for i in smooth if first[i].causality == "input" or first[i].group == Group.STATE]
    inputs = [i for i in smooth if first[i].causality == "input"]
    method = next(i for i, v in enumerate(first) if v.name == "solver.method")
    numbers = {"references": len(shown), "states": system.nx, "indicators": indicator_count(system), "method": method}
    switches = [i for i, v in enumerate(first) if v.signal.kind == "boolean" and v.causality == "input"]
    tunable = [i for i, v in enumerate(first) if v.signal.kind == "real" and v.variability == "tunable"]
    for name, found in (("input", inputs), ("switch", switches), ("tunable", tunable)):
        numbers[f"first_{name}"] = found[0] if found else -1
    lists = {"sizes": [len(members) for members, _ in shown], "unknowns": [*unknowns, -1], "knowns": [*knowns, -1]}
    kinds = "".join("r" if v.signal.kind == "real" else "o" for v in first)
    facts = [f'const char *const fuzz_guid = "{GUID}"', f'const char fuzz_kinds[] = "{kinds}"']
    facts += [f"const int fuzz_{name} = {number}" for name, number in numbers.items()]
    facts += [f"const int fuzz_{name}[] = {{{', '.join(map(str, row))}}}" for name, row in lists.items()]
    texts = (f"extern {fact.partition(' =')[0]};\n{fact};\n" for fact in facts)
    return (
        own,
        "".join(texts),
        [v.name.partition("[")[0] if sizes > 1 else v.name for v, sizes in zip(first, lists["sizes"], strict=True)],
    )


def _runtime(fmi: int, folder: Path, compiler: Sequence[str]) -> Path:
    """A folder with the runtime's texts and objects, the same of all Systems. Headers of FMI are a system's: their warnings are not ours."""
    if folder.exists():
        return folder
    for name, text in runtime_sources(fmi).items() | {("names.h", "")}:
        (folder / "fmi").mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    for name, text in fmi_headers(fmi).items():
        (folder / "fmi" / name).write_text(text, "utf-8")
    for name, text in generate(PENDULUM, variables_of(PENDULUM), GUID).items():
        if name in ("bounds.h", "tableau.h"):  # written from Python, the same of all
            (folder / name).write_text(text, "utf-8")
    sources = sorted(path.name for path in folder.glob("*.c"))
    subprocess.run([*compiler, *OPTIONS, "-fPIC", "-isystem", "fmi", "-c", *sources], cwd=folder, check=True)
    return folder


def play(fuzzer: Path, seed: int, calls: int, states: int, faults: int = 0) -> dict[str, int]:
    """What a seeded game counts; a fault ends it with the words of the program or of a sanitizer. faults: per million evaluations, injected."""
    line, environment = [str(fuzzer), str(seed), str(calls), str(states)], os.environ | {"FUZZ_FAULTS": str(faults)}
    run = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, f"{fuzzer.parent.name}, seed {seed}: {run.stderr[-4000:]}"
    words = run.stdout.split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}


def parts(tried: Path) -> int:
    """How many demands parts of the runtime have met, each by itself (parts.c), or batches (lanes.c)."""
    run = subprocess.run([str(tried)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-4000:]
    return int(run.stdout.split()[1])


def sweep(swept: Path, played: Played) -> dict[str, int]:
    """A run, and the same with a fault on each path of callers to a function that can fail (sweep.c): what it counts."""
    names = (swept.parent / "references").read_text("utf-8").split("\n")
    set_first = (str(word) for name, value in played.values for word in (names.index(name), value))
    run = subprocess.run([str(swept), *played.arguments, *set_first], capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"{swept.parent.name}, {played}: {run.returncode} {run.stderr[-4000:]}"
    words = run.stdout.split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}
