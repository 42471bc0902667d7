"""The report as one HTML page: a table of sections, each a function of the run's data."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from importlib.resources import files
from string import Template

import numpy as np

from spacefmu.dynamics.overview import overview
from spacefmu.dynamics.system.evaluate import Refused

from ..interface.licences import OF_REPORT, licence_block
from ..interface.overview import text as overview_text
from ..results.events import Event, Events, events
from ..results.origin import files_of
from ..results.solver import work_of
from ..results.table import Result
from ..view.sight import Sight
from ..view.subject import Subject
from .figures import Balance, balances, compared, verdict
from .groups import arrays, grouped
from .plots import COLORS, DASHES, PlotCurve, Plots, envelope

MOST_EVENTS = 200  # rows of the table, per run
MOST_NAMES = 5
HELP = "Over time [s]. Drag to zoom, click on a legend to hide a curve; a click in a plot takes the view there, and the view's time is a line in the plots."
WORK = ("run", "unit", "steps", "rejected", "evaluations", "events", "ended at communication points", "at events", "by solver.max_step", "by the tolerance")  # fmt: skip
ENDS = "What ended the steps: a communication point of the master, an event, the longest step that is allowed, or the tolerance, which may be the method's stability."

MOST_PLOTS = 400  # per page; Bokeh takes 0.1 s for each


@dataclass(frozen=True)
class Reported:
    """The data of a report: results by name, their view and their spacecraft, if they can be drawn."""

    title: str
    runs: Mapping[str, Result]
    sight: Sight | None = None
    crafts: tuple[Subject, ...] = ()  # what is drawn of the first of them
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> Result:
        return next(iter(self.runs.values()))


def report_page(reported: Reported) -> str:
    """The HTML of a report."""
    plots = Plots(reported.runs, sum(len(names) for names in arrays(reported.first).values()))
    made = {title: section(reported, plots) for title, section in SECTIONS.items()}
    made = {title: body for title, body in made.items() if body}
    nav = " ".join(f'<a href="#{_anchor(title)}">{title}</a>' for title in made)
    sections = "\n".join(f'<h2 id="{_anchor(title)}">{title}</h2>\n{body}' for title, body in made.items())
    notes = list(reported.notes)
    if not plots.whole:
        notes.append(
            "the run has more numbers than a page can hold: plots show the lowest and highest values of short intervals"
        )
    head, tail = plots.scripts()
    page = Template((files(__package__) / "page.html").read_text("utf-8"))
    return page.substitute(
        title=escape(reported.title),
        description=escape(reported.crafts[0].system.about.description if reported.crafts else ""),
        notes="\n".join(f'<p class="note">{escape(words)}</p>' for words in notes),
        head=head,
        nav=nav,
        sections=sections,
        tail=tail,
        licences=licence_block(OF_REPORT),
    )


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _table(rows, head=()) -> str:
    """Rows of texts and numbers as a table; numbers are right-aligned."""

    def cell(value) -> str:
        number = isinstance(value, float | int)
        words = f"{value:.6g}" if number else escape(str(value))
        return f'<td class="number">{words}</td>' if number else f"<td>{words}</td>"

    top = "<tr>" + "".join(f"<th>{escape(each)}</th>" for each in head) + "</tr>" if head else ""
    return "<table>" + top + "".join("<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows) + "</table>"


def _run(reported: Reported, plots: Plots) -> str:
    rows = []
    for name, result in reported.runs.items():
        steps = np.diff(result.time)
        every = f"every {np.median(steps):.6g} s" if len(steps) else "one instant"
        span = f"{result.time[0]:g} … {result.time[-1]:g} s" if len(result.time) else "empty"
        rows.append((name, span, f"{len(result.time)} instants, {every}", f"{len(result.names)} variables"))
        for unit, origin in result.origin.get("units", {}).items():
            values = ", ".join(f"{key} = {value}" for key, value in origin.get("values", {}).items())
            rows.append((unit, origin.get("model", ""), values or "values of the description", ""))
    return _table(rows)


def _view(reported: Reported, plots: Plots) -> str:
    if reported.sight is None:
        return ""
    return f'<iframe title="3-D view" srcdoc="{escape(reported.sight.page())}"></iframe>'


def _balance(reported: Reported, plots: Plots) -> str:
    rows, curves, words = [], [], []
    for number, (name, result) in enumerate(reported.runs.items()):
        for i, balance in enumerate(balances(result)):
            if not balance.momentum:
                words.append((f"{name}: " if len(reported.runs) > 1 else "") + verdict(balance) + ".")
            rows.append(
                (name, balance.name, f"{balance.largest:.2e} {balance.unit}", f"{balance.scale:.6g} {balance.unit}")
            )
            if not balance.momentum and balance.scale > 0.0:
                curves.append(_curve(balance, result, i, number, name, len(reported.runs)))
    if not rows:
        return ""
    words.append("Momenta change where something acts from outside.")
    table = _table(rows, ("run", "what", "largest change since the start", "largest value or energy exchanged"))
    drawn = (
        plots.draw("change of energy + losses − work, relative to the energy exchanged", curves, log=True)
        if curves
        else ""
    )
    return f"<p>{escape(' '.join(words))}</p>{table}{drawn}"


def _curve(balance: Balance, result: Result, i: int, number: int, name: str, runs: int):
    label = balance.name + (f" {name}" if runs > 1 else "")
    time, values = envelope(result.time, np.maximum(np.abs(balance.change) / balance.scale, 1e-17))
    return PlotCurve(label, label, COLORS[i % len(COLORS)], DASHES[number % len(DASHES)], time, values)


def _compared(reported: Reported, plots: Plots) -> str:
    if len(reported.runs) < 2:
        return ""
    (name, first), *others = reported.runs.items()
    parts = []
    for other, second in others:
        found = compared(first, second)
        rows = [(what, f"{gap:.3e}", f"{size:.3e}") for what, gap, size in found.rows[:40]]
        words = f"At {found.count} instants of {name}, linear between those of {other}:" if found.between else f"At the {found.count} instants that {name} and {other} both have:"  # fmt: skip
        head = ("variable", f"largest difference of {other}", f"largest value in {name}")
        nothing = f"<p>{escape(other)} and {escape(name)} have no variable, or no instant, in common.</p>"
        parts.append(f"<p>{escape(words)}</p>{_table(rows, head)}" if rows else nothing)
    return "\n".join(parts)


def _plots(reported: Reported, plots: Plots) -> str:
    groups, still = grouped(reported.first)
    for other in list(reported.runs.values())[1:]:
        for title, names in grouped(other)[0].items():
            groups[title] = list(dict.fromkeys([*groups.get(title, []), *names]))
    columns: dict[str, list[str]] = {}
    for result in reversed(list(reported.runs.values())):
        columns |= arrays(result)
    lines = ", ".join(f"{name} {DASHES[i % len(DASHES)]}" for i, name in enumerate(reported.runs))
    lines = f" Lines: {lines}." if len(reported.runs) > 1 else ""
    parts = [f"<p>{HELP}{escape(lines)}</p>"] if groups else []
    rest: list[str] = []
    for title, names in groups.items():
        shown = names[: max(MOST_PLOTS - plots.count, 0)]
        rest += names[len(shown) :]
        drawn = "".join(f"<div>{plots.add(name, columns[name])}</div>" for name in shown)
        parts.append(f'<h3>{title}</h3><div class="plots">{drawn}</div>' if shown else "")
    if rest:
        ranges = [_ranges(reported.runs, name, columns[name]) for name in rest]
        words = f"{len(rest)} more variables change: more plots than a page holds, so here are their lowest and highest values"
        parts.append(f"<details><summary>{words}</summary>{_table(ranges, ('variable', 'from', 'to'))}</details>")
    if still:
        first = reported.first
        rows = [(name, ", ".join(f"{v:.6g}" for v in first.chosen(columns[name]).values[0])) for name in still]
        parts.append(f"<details><summary>{len(still)} variables do not change</summary>{_table(rows)}</details>")
    return "\n".join(parts)


def _ranges(runs: Mapping[str, Result], name: str, columns: list[str]) -> tuple[str, float, float]:
    """A variable, and its lowest and highest values over all runs."""
    parts = [run.values[:, run.places[column]] for run in runs.values() for column in columns if column in run.places]
    every = np.concatenate(parts)
    return name, float(np.fmin.reduce(every)), float(np.fmax.reduce(every))


def _events(reported: Reported, plots: Plots) -> str:
    rows, words = [], []
    found = {name: events(result) for name, result in reported.runs.items()}
    for name, own in found.items():
        rows += [(name, _instant(event), event.name, event.text, event.value) for event in own.found[:MOST_EVENTS]]
        words += _left_out(name, own)
    if not rows:
        words.insert(0, "Nothing switched." if _tells(reported) else "Nothing switched at the instants of the result.")
    elif all(own.exact for own in found.values()):
        words.insert(
            0,
            "Times are the solvers' own: on the motion as it was computed, to its tolerance, events are located to round-off.",
        )
    else:
        words.insert(0, "A single time was reported by the solver, which locates events to round-off; two times mean a change between two instants of the result.")  # fmt: skip
    table = _table(rows, ("run", "time", "what", "that is", "becomes")) if rows else ""
    return f"<div><p>{escape(' '.join(words))}</p>{table}</div>"


def _instant(event: Event) -> str:
    return f"{event.time:.12g} s" if event.until == event.time else f"{event.time:.6g} … {event.until:.6g} s"


def _tells(reported: Reported) -> bool:
    return all("events" in result.origin for result in reported.runs.values())


def _left_out(run: str, own: Events) -> list[str]:
    """Sentences on events that the table leaves out."""
    words = []
    if len(own.found) > MOST_EVENTS:
        words.append(f"{run}: {len(own.found) - MOST_EVENTS} later ones are not shown.")
    if own.more:
        names = ", ".join(f"{name} {count} times" for name, count in sorted(own.more.items())[:MOST_NAMES])
        left = f" and {len(own.more) - MOST_NAMES} others" if len(own.more) > MOST_NAMES else ""
        words.append(f"{run}: further switches, not recorded: {names}{left}.")
    if own.others:
        words.append(f"{run}: {own.others} events changed no named variable, such as samples of controllers.")
    return words


def _solver(reported: Reported, plots: Plots) -> str:
    rows, words = [], []
    for name, result in reported.runs.items():
        for unit, told in result.origin.get("solver", {}).items():
            work = work_of(told)
            if work is None:
                words.append((name, unit, told if isinstance(told, str) else str(dict(told))))
                continue
            ends = (work.to_points, work.to_events, work.by_limit, work.by_tolerance)
            shares = (f"{end} ({100.0 * end / max(work.steps, 1):.3g} %)" if end else "0" for end in ends)
            rows.append((name, unit, work.steps, work.rejected, work.evaluations, work.events, *shares))
        words += [(name, "warning", remark) for remark in result.remarks]
    if rows:
        return f"<p>{escape(ENDS)}</p>" + _table(rows, WORK) + (_table(words) if words else "")
    return _table(words) if words else ""


def _masses(reported: Reported, plots: Plots) -> str:
    """For every drawn spacecraft, with the values that were set."""
    parts = []
    for craft in reported.crafts:
        set_values = craft.values or {}
        try:
            found = overview(craft.system, values=set_values)
        except Refused:  # the run also had other values, which the result does not contain
            found, set_values = overview(craft.system), {}
        words = "With the values that were set" if set_values else "As the description has them"
        title = f"{words}: {craft.unit}." if craft.unit else f"{words}."
        parts.append(f"<p>{escape(title)}</p><pre>{escape(overview_text(found))}</pre>")
    return "\n".join(parts)


def _description(reported: Reported, plots: Plots) -> str:
    parts = []
    for unit, origin in reported.first.origin.get("units", {}).items():
        for name, content in files_of(origin).items():
            if name.endswith(".toml"):
                title = f"{unit}: {name}" if unit else name
                parts.append(
                    f"<details><summary>{escape(title)}</summary><pre>{escape(content.decode('utf-8'))}</pre></details>"
                )
    return "\n".join(parts)


def _versions(reported: Reported, plots: Plots) -> str:
    rows = [
        (f"run {name}", f"spacefmu {result.origin.get('spacefmu', 'unknown')}")
        for name, result in reported.runs.items()
    ]
    rows += [
        ("report", f"spacefmu {version('spacefmu')}, Bokeh {version('bokeh')}, Python {platform.python_version()}")
    ]
    return _table(rows)


SECTIONS = {
    "Run": _run,
    "View": _view,
    "Compared": _compared,
    "Balance": _balance,
    "Plots": _plots,
    "Events": _events,
    "Solver": _solver,
    "Masses": _masses,
    "Description": _description,
    "Versions": _versions,
}
