"""The FMU's documentation/ folder: one page for any browser, and the licences."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby
from string import Template

from spacefmu.dynamics.solver.rows_seen import indicator_count
from spacefmu.dynamics.system.contract import System

from .description import model_identifier
from .licences import Licensed, licence_files
from .variables import Group, Variable

_SECTIONS = (
    ("Inputs", lambda v: v.causality == "input"),
    ("Outputs", lambda v: v.causality == "output"),
    ("Parameters", lambda v: v.causality == "parameter"),
    ("Constants", lambda v: v.variability == "constant"),
    ("Local variables", lambda v: v.causality == "local" and v.variability != "constant"),
)

_SOLVER_NOTE = (
    "In co-simulation the FMU brings its own solver, chosen by the parameter solver.method; "
    "solver.tolerance and solver.max_step tune it."
)


def documentation(
    system: System,
    variables: Sequence[Variable],
    guid: str,
    drawing: bytes,
    platforms: Sequence[str],
    parts: Sequence[Licensed],
) -> dict[str, str]:
    """Files of the documentation/ folder, name → text. `drawing`: a PNG of the model; parts: the components of the FMU, for licences."""
    licenses = licence_files(parts)
    page = Template((files(__package__) / "page.html").read_text("utf-8"))
    experiment = system.about.experiment
    html = page.substitute(
        name=escape(system.name),
        description=escape(system.about.description),
        drawing=b64encode(drawing).decode(),
        documentation="\n".join(
            f"<p>{escape(text)}</p>" for text in system.about.documentation.split("\n\n") if text.strip()
        ),
        facts=_facts(system, platforms),
        variables="\n".join(_section(title, filter(belongs, variables)) for title, belongs in _SECTIONS),
        fixed_at_build=_fixed_at_build(system),
        fmpy_example=escape(fmpy_example(system, variables)),
        file=f"{model_identifier(system)}.fmu",
        identifier=model_identifier(system),
        stop=f"{experiment['stop']:g}",
        step=f"{experiment['step']:g}",
        solver_note=_SOLVER_NOTE,
        licence_note=escape(licenses["license.txt"]),
        tool=f"spacefmu {version('spacefmu')}",
        guid=escape(guid),
    )
    return {"index.html": html} | {f"licenses/{name}": text for name, text in licenses.items()}


def fmpy_example(system: System, variables: Sequence[Variable]) -> str:
    """A script that runs the FMU in FMPy and plots a few of its outputs."""
    real_outputs = [v.name for v in variables if v.causality == "output" and v.signal.kind == "real"]
    parameters = [
        v for v in variables if v.group == Group.PARAMETER and v.causality == "parameter" and v.signal.kind == "real"
    ]
    start_values = {v.name: v.signal.start for v in parameters[:1]}
    return (
        "from fmpy import plot_result, simulate_fmu\n\n"
        "result = simulate_fmu(\n"
        f'    "{model_identifier(system)}.fmu",\n'
        f"    stop_time={system.about.experiment['stop']!r},\n"
        f"    output_interval={system.about.experiment['step']!r},\n"
        f"    start_values={start_values!r},\n"
        f"    output={real_outputs[:3]!r},\n"
        ")\n"
        "plot_result(result)\n"
    )


def _facts(system: System, platforms: Sequence[str]) -> str:
    experiment = system.about.experiment
    facts = {
        "Compiled for": ", ".join(platforms),
        "Continuous states": system.nx,
        "Event indicators": indicator_count(system),
        "Default experiment": (
            f"{experiment['stop']:g} s in steps of {experiment['step']:g} s, tolerance {experiment['tolerance']:g}"
        ),
    }
    return "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in facts.items())


def _fixed_at_build(system: System) -> str:
    if not system.about.fixed_at_build:
        return "<p>Nothing: every number of the model is a parameter.</p>"
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in system.about.fixed_at_build) + "</ul>"


def _section(title: str, variables: Iterable[Variable]) -> str:
    """A table of variables; elements of an array that differ only in their start share a row."""
    rows = [_row(list(same)) for _, same in groupby(variables, key=_alike)]
    if not rows:
        return ""
    head = "".join(f"<th>{column}</th>" for column in ("Name", "Unit", "Start", "Range", "Meaning"))
    return (
        f'<h3>{title}</h3>\n<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n'
        + "\n".join(rows)
        + "\n</tbody></table></div>"
    )


def _alike(variable: Variable) -> tuple:
    signal = variable.signal
    array = re.sub(r"\[[0-9,]+\](?=\)?$)", "", signal.name)
    return array, signal.description, signal.unit, signal.kind, signal.min, signal.max, variable.variability


def _row(variables: Sequence[Variable]) -> str:
    first, last = variables[0], variables[-1]
    signal = first.signal
    name = escape(first.name)
    if last is not first:
        name += f" … {escape(last.name[last.name.rindex('[') :])}"
    starts = ", ".join(_value(v) for v in variables) if first.has_start else ""
    meaning = signal.description + (" (may change during the run)" if first.variability == "tunable" else "")
    cells = (
        f"<td><code>{name}</code></td>",
        f"<td>{escape(signal.unit if signal.kind == 'real' else signal.kind)}</td>",
        f'<td class="number">{escape(starts)}</td>',
        f'<td class="number">{escape(_range(first))}</td>',
        f"<td>{escape(meaning)}</td>",
    )
    return "<tr>" + "".join(cells) + "</tr>"


def _value(variable: Variable) -> str:
    signal = variable.signal
    match signal.kind:
        case "boolean":
            return "true" if signal.start else "false"
        case "enumeration":
            return signal.items[int(signal.start) - 1]
        case _:
            return f"{signal.start:.10g}"


def _range(variable: Variable) -> str:
    signal = variable.signal
    if signal.kind == "enumeration":
        return ", ".join(signal.items)
    bounds = (("≥", signal.min), ("≤", signal.max))
    return ", ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)
