"""Faults that are planted in the probe of FMI 3.0, and the rule that has to find each: those of FMI 2.0's functions, and FMI 3.0's own."""

from __future__ import annotations

from tests.check.faults import ARCHIVE as ARCHIVE_2
from tests.check.faults import BEHAVIOUR as BEHAVIOUR_2
from tests.check.faults import CARRIED
from tests.check.faults import PROMISED as PROMISED_2

# what FMI 3.0 does not have, or the face on FMI 2.0's functions does not pass on
_NOT_HERE = {
    "wrong_platform", "leaks", "leaks_by_step_allocated", "needs_stepfinished", "uri_not_decoded", "status_wrong", "input_slope_refused",
    "input_slope_ignored", "input_slope_negative", "logs_when_off", "keeps_callbacks_struct", "instance_name_lost",
    "accepts_any_guid", "thread_unsafe", "hidden_dependency",
}  # fmt: skip
BEHAVIOUR = {fault: rule for fault, rule in BEHAVIOUR_2.items() if fault not in _NOT_HERE} | {
    "accepts_any_guid": "wrong-token", "thread_unsafe": "threads", "logs_when_silent": "log-silent", "needs_resources": "resource-location",
    "no_event_mode_at_start": "event-mode-start", "event_unasked": "event-unasked", "early_unasked": "early-unasked", "early_time_wrong": "early-time",
    "event_stuck": "event-progress", "event_mode_differs": "event-mode-agrees", "step_answers_untouched": "step-answers", "count_wrong": "counts-agree",
    "adjoint_wrong": "adjoint-derivatives", "adjoint_wrong_in_steps": "adjoint-steps", "array_transposed": "get-many", "array_not_set": "set-kept",
    "update_not_called": "intermediate-called", "update_time_wrong": "intermediate-time", "update_get_wrong": "intermediate-get",
    "update_get_refused": "intermediate-get", "update_set_refused": "intermediate-set", "update_never_early": "intermediate-early",
    "illegal_taken": "illegal-refused", "update_end_wrong": "intermediate-end", "update_disturbs": "intermediate-neutral",
    "update_demanded": "intermediate-optional", "element_depends_more": "element-dependencies",
}  # fmt: skip
_NOT_NEEDED = ('needsCompletedIntegratorStep="true"', 'needsCompletedIntegratorStep="false"')
_ELEMENTS = ("<ModelExchange ", '<ModelExchange providesPerElementDependencies="true" ')
PROMISED = dict.fromkeys(PROMISED_2, _NOT_NEEDED) | {"element_depends_more": _ELEMENTS}

# faults of the archive and of libraries; three of FMI 2.0 alone have others here, in FILES and EXTRA
_OF_2 = {"unknown platform", "library of another platform", "a source that is not listed"}
ARCHIVE = {fault: row for fault, row in ARCHIVE_2.items() if fault not in _OF_2}

# faults of the model description: (old, new, …) → rule
_CLOCK = (
    "<ModelVariables>",
    '<ModelVariables><Clock name="tick" valueReference="900" causality="input" intervalVariability="constant" intervalDecimal="0.1"/>',
)
XML = {
    "unknown attribute": (('modelName="Probe"', 'modelName="Probe" colour="red"'), "xml-schema"),
    "empty token": (('instantiationToken="{8c4e810f-3df3-4a00-8276-176fa3c9f001}"', 'instantiationToken=""'), "guid"),
    "no kind": (("<ModelExchange", "<!--<ModelExchange", 'hasEventMode="true"/>', 'hasEventMode="true"/-->'), "kind"),
    "serializes without saving": (('canGetAndSetFMUState="true" canSerializeFMUState="true"', 'canSerializeFMUState="true"'), "flags"),
    "name of an alias twice": (('<Alias name="stop"', '<Alias name="u"'), "variable-names"),
    "alias in a foreign unit": (('<Alias name="stop" displayUnit="mm"', '<Alias name="stop" displayUnit="km"'), "alias-units"),
    "reference twice": (('name="wall" valueReference="10"', 'name="wall" valueReference="6"'), "value-references"),
    "dimension of nothing": (('<Dimension start="2"/>', '<Dimension valueReference="999"/>'), "dimensions"),
    "dimension of a Float64": (('<Dimension start="2"/>', '<Dimension valueReference="5"/>'), "dimensions"),
    "an empty array": (('start="1 2"><Dimension start="2"/>', 'start="1 2"><Dimension start="0"/>'), "dimension-sizes"),
    "three start values of two": (('start="1 2"', 'start="1 2 3"'), "start-count"),
    "derivative of another shape": (('derivative="30"><Dimension start="2"/>', 'derivative="30"><Dimension start="3"/>'), "derivative-shape"),
    "a structural array": (('causality="parameter" variability="tunable" start="1 2"', 'causality="structuralParameter" variability="tunable" start="1 2"'), "structural-parameters"),
    "a discrete intermediate variable": (('causality="output" variability="discrete" unit="m"', 'causality="output" variability="discrete" unit="m" intermediateUpdate="true"'), "intermediate-variables"),
    "set more than once, a parameter": (('variability="tunable" start="0.1"', 'variability="tunable" start="0.1" canHandleMultipleSetPerTimeInstant="false"'), "multiple-set"),
    "a category without a name": (('<Category name="logEvents"/>', '<Category name=""/>'), "names-not-empty"),
    "calculated input": (('variability="continuous" start="0"', 'variability="continuous" initial="calculated" start="0"'), "initial"),
    "continuous parameter": (('causality="parameter" variability="fixed" start="4"', 'causality="parameter" variability="continuous" start="4"'), "causality-variability"),
    "continuous Boolean": (('causality="output" variability="discrete"/>\n<String', 'causality="output" variability="continuous"/>\n<String'), "continuous-reals"),
    "input without start": (('variability="continuous" start="0"', 'variability="continuous"'), "start-given"),
    "calculated with start": (('causality="calculatedParameter" variability="fixed"', 'causality="calculatedParameter" variability="fixed" start="1"'), "start-absent"),
    "no independent variable": (('causality="independent"', 'causality="local"'), "independent"),
    "start out of range": (('start="4" min="0.1"', 'start="4" min="5"'), "start-range"),
    "unknown type": (('declaredType="Mode"', 'declaredType="Moder"'), "declared-type"),
    "unknown unit": (('unit="s"', 'unit="furlong"'), "unit-defined"),
    "item twice": (('<Item name="heavy" value="2"/>', '<Item name="heavy" value="1"/>'), "enumerations"),
    "start that is not an item": (('declaredType="Mode" start="1"', 'declaredType="Mode" start="7"'), "enumeration-start"),
    "output not listed": (('<Output valueReference="40" dependencies="0"/>', ""), "structure-outputs"),
    "reference of no variable": (('<Output valueReference="40"', '<Output valueReference="444"'), "structure-indices"),
    "derivative of nothing": (('initial="calculated" derivative="30"', 'initial="calculated"'), "structure-derivatives"),
    "initial unknown missing": (('<InitialUnknown valueReference="7" dependencies="5"/>', ""), "structure-initial"),
    "too few kinds": (('dependenciesKind="constant dependent"', 'dependenciesKind="constant"'), "dependency-kinds"),
    "depends on an output": (('<Output valueReference="40" dependencies="0"/>', '<Output valueReference="40" dependencies="8"/>'), "dependency-knowns"),
    "reinit of no state": (('variability="continuous" start="0"', 'variability="continuous" start="0" reinit="true"'), "reinit"),
    "a state that is an input": (('derivative="30"', 'derivative="4"'), "state-causality"),
    "another identifier than the library": (('<ModelExchange modelIdentifier="Probe"', '<ModelExchange modelIdentifier="Other"'), "binary-name"),
    "early return without updates": (('providesIntermediateUpdate="true"', 'providesIntermediateUpdate="false"'), "intermediate-flags"),
    "a clock that is a parameter": ((_CLOCK[0], _CLOCK[1].replace('causality="input"', 'causality="parameter"')), "clock-causality"),
    "an output clock with an interval": ((_CLOCK[0], _CLOCK[1].replace('causality="input"', 'causality="output"')), "clock-causality"),
    "a clock without interval": ((_CLOCK[0], _CLOCK[1].replace(' intervalDecimal="0.1"', "")), "clock-interval"),
    "a clock that waits backward": ((_CLOCK[0], _CLOCK[1].replace('Decimal="0.1"', 'Decimal="0.1" shiftDecimal="-1"')), "clock-shift"),
    "a clock without event mode": ((*_CLOCK, 'hasEventMode="true"', 'hasEventMode="false"'), "clock-event-mode"),
    "an output clock with a priority": ((_CLOCK[0], _CLOCK[1].replace('causality="input"', 'causality="output" priority="1"')), "clock-priority"),
    "clocked by no clock": (('name="count" valueReference="40"', 'name="count" valueReference="40" clocks="4"'), "clocked-variables"),
    "previous of itself": ((*_CLOCK, 'name="count" valueReference="40"', 'name="count" valueReference="40" clocks="900" previous="40"'), "previous"),
    "latin-1": (('encoding="UTF-8"', 'encoding="ISO-8859-1"'), "xml-encoding"),
    "not closed": (("</fmiModelDescription>", ""), "xml-well-formed"),
    "a bomb of entities": (("<fmiModelDescription ", '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]><fmiModelDescription '), "xml-entities"),
    "identifier with a dot": (('<ModelExchange modelIdentifier="Probe"', '<ModelExchange modelIdentifier="Pro.be"'), "model-identifier"),
    "category twice": (('<Category name="logEvents"/>', '<Category name="logEvents"/><Category name="logEvents"/>'), "log-categories"),
    "own category": (('<Category name="logEvents"/>', '<Category name="log_events"/>'), "log-names"),
    "stops before it starts": (('stopTime="2"', 'stopTime="-2"'), "experiment"),
    "FMPy stumbles": (('<InitialUnknown valueReference="7" dependencies="5"/>', ""), "fmpy"),
    "date of another form": (("2026-01-01T00:00:00Z", "1 January 2026"), "generation-date"),
    "unit twice": (('<Unit name="s">', '<Unit name="m"/><Unit name="s">'), "unit-names"),
    "factor zero": (('factor="1000"', 'factor="0"'), "unit-factors"),
    "name with a blank": (('name="sampled"', 'name="sampled x"'), "structured-names"),
    "nominal zero": (('nominal="1"', 'nominal="0"'), "nominal"),
    "display unit without unit": (('start="0.1"/>', 'start="0.1" displayUnit="mm"/>'), "display-unit"),
    "without descriptions": (('description="force"', ""), "descriptions"),
    "silent on dependencies": (('<Output valueReference="40" dependencies="0"/>', '<Output valueReference="40"/>'), "dependencies-said"),
    "clocked state not listed": ((*_CLOCK, 'name="count" valueReference="40"', 'name="count" valueReference="40" clocks="900" previous="40"'), "clocked-states"),
}  # fmt: skip

# faults of other files: (file, old, new) → rule
_T, _B = "terminalsAndIcons/terminalsAndIcons.xml", "sources/buildDescription.xml"
FILES = {
    "terminals of another version": ((_T, 'fmiVersion="3.0"', 'fmiVersion="2.0"'), "terminal-schema"),
    "terminal with an unknown attribute": ((_T, 'name="port"', 'name="port" colour="red"'), "terminal-schema"),
    "terminal twice": ((_T, "</Terminals>", '<Terminal name="port" matchingRule="none"/></Terminals>'), "terminal-names"),
    "own matching rule": ((_T, 'matchingRule="plug"', 'matchingRule="socket"'), "terminal-matching"),
    "member of no variable": ((_T, 'variableName="u"', 'variableName="w"'), "terminal-members"),
    "member without a name": ((_T, ' memberName="force"', ""), "terminal-member-names"),
    "member twice": ((_T, 'memberName="force"', 'memberName="position"'), "terminal-member-names"),
    "a local signal": ((_T, 'variableName="u"', 'variableName="gap"'), "terminal-kinds"),
    "two flows beside a stream": ((_T, "</Terminal>", '<TerminalStreamMemberVariable inStreamVariableName="u" outStreamVariableName="y" inStreamMemberName="a" outStreamMemberName="b"/></Terminal>', 'variableKind="signal"', 'variableKind="inflow"', 'variableKind="signal"', 'variableKind="outflow"'), "terminal-streams"),
    "streams of two sizes": ((_T, "</Terminal>", '<TerminalStreamMemberVariable inStreamVariableName="u" outStreamVariableName="pair" inStreamMemberName="a" outStreamMemberName="b"/></Terminal>'), "terminal-streams"),
    "icon that is not there": ((_T, "</Terminal>", '<TerminalGraphicalRepresentation x1="0" y1="0" x2="1" y2="1" iconBaseName="port"/></Terminal>'), "terminal-icons"),
    "kind without a domain": ((_T, "org.example.port", "port"), "terminal-kind-names"),
    "build of another version": ((_B, 'fmiVersion="3.0"', 'fmiVersion="2.0"'), "build-schema"),
    "build of another model": ((_B, 'modelIdentifier="Probe"', 'modelIdentifier="Other"'), "build-identifier"),
    "a source that is not there": ((_B, "all.c", "none.c"), "source-files"),
    "a source that is not listed": ((_B, '<SourceFile name="all.c"/>', '<SourceFile name="buildDescription.xml"/>'), "source-listed"),
}  # fmt: skip

# faults by files that are there or not: (file, content; None: not there) → rule
EXTRA = {
    "sources without description": ((_B, None), "build-description"),
    "headers of the standard": (("sources/fmi3Functions.h", b""), "headers-absent"),
    "folder of FMI 2.0": (("binaries/linux64/Probe.so", b""), "binary-platform"),
    "picture of FMI 2.0": (("model.png", b""), "zip-layout"),
    "library that is none": (("binaries/x86_64-linux/Probe.so", b"none"), "binary-format"),
}  # fmt: skip

# the promise is changed, the library is sound
PROMISES = {
    "early return not promised": (('mightReturnEarlyFromDoStep="true"', 'mightReturnEarlyFromDoStep="false"'), "early-promised"),
    "no event mode, and it is taken": (('hasEventMode="true"', 'hasEventMode="false"'), "event-mode-refused"),
    "jumps without reinit": (('reinit="true"', 'reinit="false"'), "reinit-said"),
    "a kink as a fixed factor": (('dependenciesKind="constant dependent"', 'dependenciesKind="constant fixed"'), "dependency-factors"),
    "dependency not said": (('dependencies="30 4" dependenciesKind="constant dependent"', 'dependencies="4"'), "dependencies"),
    "another start value": (('start="4" min="0.1"', 'start="3" min="0.1"'), "start-values"),
    "initial dependency not said": (('<InitialUnknown valueReference="7" dependencies="5"/>', '<InitialUnknown valueReference="7" dependencies=""/>'), "initial-dependencies"),
    "another nominal value": (('reinit="true" intermediateUpdate', 'reinit="true" nominal="5" intermediateUpdate'), "nominals-agree"),
    "one indicator less": (('<EventIndicator valueReference="70"/>', ""), "counts-agree"),
}  # fmt: skip


def planted() -> list[str]:
    """The rule that has to find each fault."""
    return list(BEHAVIOUR.values()) + [
        rule for table in (ARCHIVE, CARRIED, XML, FILES, EXTRA, PROMISES) for _, rule in table.values()
    ]
