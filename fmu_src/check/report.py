"""A report as lines, as data for programs, as JUnit's XML for continuous integration; the table of rules as a page."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

from .check import Report
from .rules import STANDARD, Rule, Sentence, Severity, all_rules

MOST_LINES = 5  # per rule, as text


def summary(report: Report) -> str:
    """One line: how many findings of which severity, how many rules."""
    counts = Counter(finding.rule.severity for finding in report.findings)
    found = ", ".join(f"{counts[s]} {s}" for s in Severity if counts[s]) or "nothing found"
    unchecked = f", {len(report.skipped)} could not be" if report.skipped else ""
    why = f": {report.unreadable}" if report.unreadable else ""
    return (
        f"{report.path.name}: {found}; {len(set(report.checked) - set(report.skipped))} rules checked{unchecked}{why}"
    )


def lines(report: Report) -> list[str]:
    """Findings for other programs: severity, rule and sentence between tabs; then why rules could not be checked, and how many."""
    found = [f"{f.rule.severity}\t{f.rule.id}\t{f.text}" for f in _ordered(report)]
    return [*found, *(f"not checked\t{count}\t{reason}" for reason, count in _reasons(report))]


def _reasons(report: Report) -> list[tuple[str, int]]:
    """Why rules could not be checked, with the number of rules per reason; the reason that concerns the whole FMU comes first."""
    counts = Counter(report.skipped.values())
    return sorted(counts.items(), key=lambda each: (each[0] != report.unreadable, -each[1]))


def _source(rule: Rule, report: Report) -> Sentence:
    """Section and sentence of the FMU's version of the standard."""
    return rule.of(report.version) or Sentence()


def _ordered(report: Report):
    order = list(Severity)
    return sorted(report.findings, key=lambda f: order.index(f.rule.severity))


def text(report: Report) -> str:
    """As text: each rule once, its reason, and the first findings."""
    parts = []
    for rule in dict.fromkeys(f.rule for f in _ordered(report)):
        own = [f.text for f in report.findings if f.rule is rule]
        parts.append(f"{rule.severity}: {rule.id} ({rule.reason})")
        parts += [f"    {sentence}" for sentence in own[:MOST_LINES]]
        if len(own) > MOST_LINES:
            parts.append(f"    … and {len(own) - MOST_LINES} more (--json has all)")
        source = _source(rule, report)
        if source.quote:
            parts.append(f"    {STANDARD[report.version]}, section {source.section}: “{source.quote}”")
    parts += [f"not checked, {count} rules: {reason}" for reason, count in _reasons(report)]
    return "\n".join([*parts, summary(report)])


def data(report: Report, strict: bool = False) -> dict:
    """Everything, for JSON."""
    return {
        "file": str(report.path),
        "failed": report.failed(strict),
        "unreadable": report.unreadable,
        "findings": [
            {
                "rule": f.rule.id,
                "severity": f.rule.severity.value,
                "text": f.text,
                "reason": f.rule.reason,
                "section": _source(f.rule, report).section,
                "quote": _source(f.rule, report).quote,
            }
            for f in _ordered(report)
        ],
        "checked": [name for name in report.checked if name not in report.skipped],
        "not_checked": report.skipped,
    }


def junit(report: Report, strict: bool) -> str:
    """JUnit's XML: one test case per rule. Findings that do not set the exit code are in system-out."""
    cases = []
    for name, rule in all_rules().items():
        if name not in {*report.checked, *report.skipped, *(f.rule.id for f in report.findings)}:
            continue
        case = ElementTree.Element("testcase", classname=f"{report.path.stem}.{rule.severity}", name=name)
        own = [f.text for f in report.findings if f.rule is rule]
        if own:
            fails = strict or rule.severity is Severity.VIOLATION
            element = ElementTree.SubElement(case, "failure" if fails else "system-out")
            if fails:
                element.set("message", rule.reason)
            element.text = _printable("\n".join([*own, _source(rule, report).quote]))
        elif name in report.skipped:
            ElementTree.SubElement(case, "skipped", message=_printable(report.skipped[name]))
        cases.append(case)
    if report.unreadable:
        case = ElementTree.Element("testcase", classname=report.path.stem, name="readable")
        ElementTree.SubElement(case, "failure", message=_printable(report.unreadable))
        cases.append(case)
    failures = sum(case.find("failure") is not None for case in cases)
    suite = ElementTree.Element(
        "testsuite", name=f"spacefmu check {report.path.name}", tests=str(len(cases)), failures=str(failures)
    )
    suite.extend(cases)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _printable(words: str) -> str:
    """The text without control characters, which XML does not allow and an FMU's message may contain."""
    return "".join(c if c in "\n\t" or c >= " " else "?" for c in words if not 0xD800 <= ord(c) <= 0xDFFF)


def page() -> str:
    """docs/rules.md: the table of rules, as it is."""
    rules = all_rules()
    counts = Counter(rule.severity for rule in rules.values())
    parts = [
        "# The rules of `spacefmu check`",
        "",
        "`spacefmu check --rules --markdown` writes this page; a test compares it with the table of rules.",
        f"{len(rules)} rules: " + ", ".join(f"{counts[s]} {s}" for s in Severity) + ".",
        ", ".join(f"{sum(r.of(v) is not None for r in rules.values())} are for {STANDARD[v]}" for v in STANDARD)
        + ". Section numbers and quotations are those of that version; – means that the version has no such rule.",
        "",
        f"| rule | severity | what is checked | {STANDARD[2]} | {STANDARD[3]} |",
        "|---|---|---|---|---|",
    ]
    for rule in rules.values():
        sources = ["–" if (s := rule.of(v)) is None else f"{s.section}: {s.quote}" if s.quote else "" for v in STANDARD]
        cells = (f"`{rule.id}`", rule.severity, rule.reason, *sources)
        parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(parts) + "\n"
