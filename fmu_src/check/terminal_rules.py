"""Terminals and icons (FMI 3.0; FMI 2.0 FMUs may also have them, without rules)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from lxml import etree

from .description_rules import invalid
from .rules import INTEROPERABILITY, VIOLATION, NotPossible, rule
from .subject import parsed

_FILE = "terminalsAndIcons/terminalsAndIcons.xml"
_RULES = ("plug", "bus", "sequence", "none")
_KINDS = ("signal", "inflow", "outflow")
_STREAM = (("inStreamVariableName", "inStreamMemberName"), ("outStreamVariableName", "outStreamMemberName"))


@cache
def _root(fmu) -> etree._Element:
    if _FILE not in fmu.names:
        raise NotPossible("the FMU has no terminals")
    return parsed(fmu.read(_FILE), _FILE, "fmiTerminalsAndIcons")


def _terminals(fmu) -> Iterator[etree._Element]:
    return _root(fmu).iter("Terminal")


@rule(
    "terminal-schema",
    VIOLATION,
    "terminalsAndIcons.xml is valid according to the standard's schema, and has the FMU's version",
    fmi3=("2.4.9", "this fmiVersion attribute must match the fmiVersion attribute of element fmiModelDescription"),
)
def schema(fmu):
    yield from invalid(fmu, _root(fmu), "TerminalsAndIcons")
    if _root(fmu).get("fmiVersion") != fmu.description.get("fmiVersion"):
        yield f"it is of FMI {_root(fmu).get('fmiVersion')}"


@rule("terminal-names", VIOLATION, "names of terminals are unique", fmi3=("2.4.9.2", "The terminal name must be unique on each level."))  # fmt: skip
def names(fmu):
    for parent in (*_root(fmu).iter("Terminals"), *_terminals(fmu)):
        own = Counter(e.get("name") for e in parent.findall("Terminal"))
        yield from (f"{name!r} is there {count} times" for name, count in own.items() if count > 1)


@rule(
    "terminal-matching",
    VIOLATION,
    "a matching rule is defined by the standard, or has a name in reverse domain notation",
    fmi3=("2.4.9.2", "rule names must follow the reverse domain name notation of a domain that is controlled by the entity defining the semantics and content of the additional entries"),
)  # fmt: skip
def matching(fmu):
    for terminal in _terminals(fmu):
        text = terminal.get("matchingRule", "")
        if text not in _RULES and text.count(".") < 1:
            yield f"{terminal.get('name')} has the matching rule {text!r}"


@rule(
    "terminal-members",
    VIOLATION,
    "members of a terminal are variables of the FMU",
    fmi3=(
        "2.4.9.2",
        "The normalized string variableName identifies a variable in ModelVariables which is actually connected",
    ),
)
def members(fmu):
    aliases = {e.get("name") for e in fmu.description.iterfind("ModelVariables/*/Alias")}
    for terminal in _terminals(fmu):
        named = [m.get("variableName") for m in terminal.findall("TerminalMemberVariable")]
        named += [s.get(key) for s in terminal.findall("TerminalStreamMemberVariable") for key, _ in _STREAM]
        for name in named:
            if name not in fmu.by_name and name not in aliases:
                yield f"{terminal.get('name')} has the variable {name!r}, which is not there"


@rule(
    "terminal-member-names",
    VIOLATION,
    "names of members of plugs and buses are unique",
    fmi3=(
        "2.4.9.2",
        "Therefore, the memberName attribute is required for plug and bus and must be unique per terminal.",
    ),
)
def member_names(fmu):
    for terminal in _terminals(fmu):
        members = [m.get("memberName") for m in terminal.findall("TerminalMemberVariable")]
        members += [s.get(key) for s in terminal.findall("TerminalStreamMemberVariable") for _, key in _STREAM]
        if terminal.get("matchingRule") in ("plug", "bus") and None in members:
            yield f"{terminal.get('name')} is a {terminal.get('matchingRule')}, and a member has no name"
        repeated = [name for name, count in Counter(members).items() if name is not None and count > 1]
        yield from (f"{terminal.get('name')} has two members {name!r}" for name in repeated)


@rule(
    "terminal-kinds",
    VIOLATION,
    "signals and flows are inputs, outputs, parameters or calculated parameters",
    fmi3=("2.4.9.2", "Restricted to input and output, parameter and calculatedParameter."),
)
def kinds(fmu):
    for terminal in _terminals(fmu):
        for member in terminal.findall("TerminalMemberVariable"):
            v = fmu.by_name.get(member.get("variableName", ""))
            if v is not None and member.get("variableKind") in _KINDS and v.causality not in ("input", "output", "parameter", "calculatedParameter"):  # fmt: skip
                yield f"{terminal.get('name')}: {v.name} is a {member.get('variableKind')}, and {v.causality}"


@rule(
    "terminal-streams",
    VIOLATION,
    "with a stream there is at most one flow, and both directions have the same size",
    fmi3=("2.4.9.2", "Only one terminal member variable with the variableKind inflow or outflow per terminal is allowed, if a <TerminalStreamMemberVariable> is present."),
)  # fmt: skip
def streams(fmu):
    for terminal in _terminals(fmu):
        found = terminal.findall("TerminalStreamMemberVariable")
        flows = [m for m in terminal.findall("TerminalMemberVariable") if m.get("variableKind") in _KINDS[1:]]
        if found and len(flows) > 1:
            yield f"{terminal.get('name')} has {len(flows)} flows beside a stream"
        for stream in found:
            sizes = {v.size for key, _ in _STREAM if (v := fmu.by_name.get(stream.get(key, ""))) is not None}
            if len(sizes) > 1:
                yield f"{terminal.get('name')}: in and out stream have {' and '.join(map(str, sorted(sizes)))} entries"


@rule(
    "terminal-icons",
    VIOLATION,
    "every icon exists as PNG inside terminalsAndIcons/",
    fmi3=("2.4.9.2", "The PNG file with the extension '.png' has to be provided."),
)
def icons(fmu):
    for terminal in _terminals(fmu):
        for element in terminal.findall("TerminalGraphicalRepresentation"):
            name = f"terminalsAndIcons/{element.get('iconBaseName')}.png"
            if ".." in name or name not in fmu.names:
                yield f"{terminal.get('name')} is drawn by {name}, which is not there"
    for svg in [n for n in fmu.names if n.startswith("terminalsAndIcons/") and n.endswith(".svg")]:
        if svg[:-4] + ".png" not in fmu.names:
            yield f"{svg} is there without its PNG"


@rule(
    "terminal-kind-names",
    INTEROPERABILITY,
    "kinds of terminals and variables that the standard does not define are in reverse domain notation",
    only=3,
)
def kind_names(fmu):
    for terminal in _terminals(fmu):
        kinds = [terminal.get("terminalKind")] + [m.get("variableKind") for m in terminal.findall("TerminalMemberVariable")]  # fmt: skip
        for kind in kinds:
            if kind and kind not in _KINDS and "." not in kind and not kind.startswith("_"):
                yield f"{terminal.get('name')} has the kind {kind!r}"
