"""modes.h and fmi2_legal.h or fmi3_legal.h: the tables of interface/legal.py for the C runtime, as lists that take a macro for each row."""

from __future__ import annotations

from collections.abc import Iterable

from ...interface.legal import FMI2, FMI3, InstanceMode


def legal_headers(fmi: int) -> dict[str, str]:
    """By file name: the modes of instances, and the calls and settable variables of a version of FMI."""
    rules = {2: FMI2, 3: FMI3}[fmi]
    calls = (f'ROW({call.row}, "{call.name}", {call.kinds}, {call.modes})' for call in rules.calls)
    settable = (
        f"{{GROUP_{row.group.name}, {row.kinds}, {row.modes}, {row.only_tunable_in}, {row.only_continuous_in}}},"
        for row in rules.settable
    )
    modes = (f'ROW({mode.name}, {mode.value}, "{mode.words}")' for mode in InstanceMode)
    facts = {
        "MODES": f"{{0, {rules.modes[0]}, {rules.modes[1]}}}",
        "SILENT": int(rules.silent),
    }  # modes by kind of instance
    return {
        "modes.h": _text(_list("MODES(ROW)", modes)),
        f"fmi{fmi}_legal.h": _text(
            *(_list(f"FMI{fmi}_CALLS(ROW)", calls), _list(f"FMI{fmi}_SETTABLE", settable)),
            *(f"#define FMI{fmi}_{name} {value}" for name, value in facts.items()),
        ),
    }


def _list(name: str, rows: Iterable[str]) -> str:
    return " \\\n    ".join([f"#define {name}", *rows])


def _text(*parts: str) -> str:
    return "\n".join(["/* Generated from fmu_src/interface/legal.py, which says what it means. */", *parts, ""])
