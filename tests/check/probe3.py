"""The probe as an FMU of FMI 3.0: probe_fmu/probe3.c, its description, a terminal and a build description; with one fault planted if asked."""

from __future__ import annotations

from collections.abc import Callable

from tests.check import probe

LIBRARY = "binaries/x86_64-linux/Probe.so"
GUID = probe.GUID
TERMINALS = """<?xml version="1.0" encoding="UTF-8"?>
<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals>
<Terminal name="port" matchingRule="plug" terminalKind="org.example.port">
<TerminalMemberVariable variableName="u" memberName="force" variableKind="signal"/><TerminalMemberVariable variableName="y" memberName="position" variableKind="signal"/>
</Terminal>
</Terminals></fmiTerminalsAndIcons>
"""
BUILD = """<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="Probe"><SourceFileSet language="C99"><SourceFile name="all.c"/></SourceFileSet></BuildConfiguration></fmiBuildDescription>
"""
XML = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Probe" instantiationToken="{GUID}" description="a mass that bounces off a wall"
  generationTool="by hand" generationDateAndTime="2026-01-01T00:00:00Z" variableNamingConvention="structured">
<ModelExchange modelIdentifier="Probe" canGetAndSetFMUState="true" canSerializeFMUState="true" providesDirectionalDerivatives="true" providesAdjointDerivatives="true" needsCompletedIntegratorStep="true"/>
<CoSimulation modelIdentifier="Probe" canGetAndSetFMUState="true" canSerializeFMUState="true" providesDirectionalDerivatives="true" providesAdjointDerivatives="true"
  canHandleVariableCommunicationStepSize="true" maxOutputDerivativeOrder="1" providesIntermediateUpdate="true" mightReturnEarlyFromDoStep="true" canReturnEarlyAfterIntermediateUpdate="true" hasEventMode="true"/>
<UnitDefinitions>
  <Unit name="s"><BaseUnit s="1"/></Unit>
  <Unit name="m"><BaseUnit m="1"/><DisplayUnit name="mm" factor="1000"/></Unit>
  <Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit>
</UnitDefinitions>
<TypeDefinitions>
  <Float64Type name="Length" unit="m" displayUnit="mm"/>
  <EnumerationType name="Mode"><Item name="light" value="1"/><Item name="heavy" value="2"/></EnumerationType>
</TypeDefinitions>
<LogCategories><Category name="logEvents"/><Category name="logStatusError"/></LogCategories>
<DefaultExperiment startTime="0" stopTime="2" tolerance="1e-6" stepSize="0.02"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous" unit="s"/>
<Float64 name="u" valueReference="4" description="force" causality="input" variability="continuous" start="0" intermediateUpdate="true"/>
<Float64 name="k" valueReference="5" description="stiffness" causality="parameter" variability="fixed" start="4" min="0.1"/>
<Float64 name="c" valueReference="6" description="damping" causality="parameter" variability="tunable" start="0.1"/>
<Float64 name="omega" valueReference="7" causality="calculatedParameter" variability="fixed"/>
<Float64 name="y" valueReference="8" description="what is measured" causality="output" variability="continuous" unit="m" min="-100" max="100" nominal="1" intermediateUpdate="true"></Float64>
<Float64 name="sampled" valueReference="9" description="position at the last sample" causality="output" variability="discrete" unit="m"/>
<Float64 name="wall" valueReference="10" description="where the wall is" causality="parameter" variability="fixed" unit="m" start="0.45"><Alias name="stop" displayUnit="mm"/></Float64>
<Float64 name="pair" valueReference="30" description="position and velocity" causality="output" variability="continuous" initial="exact" start="0.2 1" reinit="true" intermediateUpdate="true"><Dimension start="2"/></Float64>
<Float64 name="der(pair)" valueReference="31" causality="local" variability="continuous" initial="calculated" derivative="30"><Dimension start="2"/></Float64>
<Float64 name="gain" valueReference="32" description="two numbers" causality="parameter" variability="tunable" start="1 2"><Dimension start="2"/></Float64>
<Int32 name="count" valueReference="40" description="samples" causality="output" variability="discrete"/>
<Enumeration name="mode" valueReference="41" description="how it is damped" causality="parameter" variability="fixed" declaredType="Mode" start="1"/>
<Boolean name="high" valueReference="50" description="at the wall" causality="output" variability="discrete"/>
<String name="label" valueReference="60" description="a text" causality="parameter" variability="fixed"><Start value="probe"/></String>
<Float64 name="gap" valueReference="70" causality="local" variability="continuous" initial="calculated"/>
</ModelVariables>
<ModelStructure>
<Output valueReference="8" dependencies="30 4" dependenciesKind="constant dependent"/><Output valueReference="9" dependencies="0 30"/><Output valueReference="30" dependencies="30"/>
<Output valueReference="40" dependencies="0"/><Output valueReference="50" dependencies="30"/>
<ContinuousStateDerivative valueReference="31" dependencies="30 4"/>
<InitialUnknown valueReference="7" dependencies="5"/><InitialUnknown valueReference="8" dependencies="30 4"/><InitialUnknown valueReference="9" dependencies="30"/>
<InitialUnknown valueReference="31" dependencies="30 4 5 6 41"/><InitialUnknown valueReference="40" dependencies=""/><InitialUnknown valueReference="50" dependencies="30 10"/>
<EventIndicator valueReference="70"/>
</ModelStructure>
</fmiModelDescription>
""".replace("{GUID}", GUID)


def files(fault: str = "clean", xml: Callable[[str], str] = lambda text: text, *flags: str) -> dict[str, bytes]:
    """What is in the archive. xml: a change of the model description."""
    return {
        "modelDescription.xml": xml(XML).encode(),
        LIBRARY: probe.library(fault, *flags, source="probe3.c"),
        "documentation/index.html": b"<p>a mass that bounces off a wall</p>",
        "resources/table.txt": b"1 2 3",
        "sources/buildDescription.xml": BUILD.encode(),
        "sources/all.c": b"",
        "terminalsAndIcons/terminalsAndIcons.xml": TERMINALS.encode(),
    }
