"""FMUs for the checker's tests: probe_fmu/probe.c with its model description, as it should be or with one fault planted."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from spacefmu.fmu_src.native.platforms.compile import fmi_headers
from tests.session import once, session_folder

GUID = "{8c4e810f-3df3-4a00-8276-176fa3c9f001}"
LIBRARY = "binaries/linux64/Probe.so"
SOURCE = Path(__file__).with_name("probe_fmu") / "probe.c"

XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Probe" guid="{GUID}" description="a mass that bounces off a wall"
  generationTool="by hand" generationDateAndTime="2026-01-01T00:00:00Z" variableNamingConvention="structured" numberOfEventIndicators="1">
<ModelExchange modelIdentifier="Probe" canGetAndSetFMUstate="true" canSerializeFMUstate="true" providesDirectionalDerivative="true"/>
<CoSimulation modelIdentifier="Probe" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true" canSerializeFMUstate="true"
  providesDirectionalDerivative="true" canInterpolateInputs="true" maxOutputDerivativeOrder="1"/>
<UnitDefinitions>
  <Unit name="s"><BaseUnit s="1"/></Unit>
  <Unit name="m"><BaseUnit m="1"/><DisplayUnit name="mm" factor="1000"/></Unit>
  <Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit>
</UnitDefinitions>
<TypeDefinitions>
  <SimpleType name="Length"><Real unit="m" displayUnit="mm"/></SimpleType>
  <SimpleType name="Mode"><Enumeration><Item name="light" value="1"/><Item name="heavy" value="2"/></Enumeration></SimpleType>
</TypeDefinitions>
<LogCategories><Category name="logEvents"/><Category name="logStatusError"/></LogCategories>
<DefaultExperiment startTime="0" stopTime="2" tolerance="1e-6" stepSize="0.02"/>
<ModelVariables>
<ScalarVariable name="time" valueReference="0" causality="independent" variability="continuous"><Real unit="s"/></ScalarVariable>
<ScalarVariable name="x" valueReference="1" description="position" causality="output" variability="continuous" initial="exact"><Real declaredType="Length" start="0.2" reinit="false"/></ScalarVariable>
<ScalarVariable name="v" valueReference="2" description="velocity" causality="output" variability="continuous" initial="exact"><Real unit="m/s" start="1" derivative="2" reinit="true"/></ScalarVariable>
<ScalarVariable name="der(v)" valueReference="3" causality="local" variability="continuous" initial="calculated"><Real derivative="3"/></ScalarVariable>
<ScalarVariable name="u" valueReference="4" description="force" causality="input" variability="continuous"><Real start="0"/></ScalarVariable>
<ScalarVariable name="k" valueReference="5" description="stiffness" causality="parameter" variability="fixed"><Real start="4" min="0.1"/></ScalarVariable>
<ScalarVariable name="c" valueReference="6" description="damping" causality="parameter" variability="tunable"><Real start="0.1"/></ScalarVariable>
<ScalarVariable name="omega" valueReference="7" causality="calculatedParameter" variability="fixed"><Real/></ScalarVariable>
<ScalarVariable name="y" valueReference="8" description="what is measured" causality="output" variability="continuous"><Real unit="m" min="-100" max="100" nominal="1"/></ScalarVariable>
<ScalarVariable name="sampled" valueReference="9" description="position at the last sample" causality="output" variability="discrete"><Real unit="m"/></ScalarVariable>
<ScalarVariable name="wall" valueReference="10" description="where the wall is" causality="parameter" variability="fixed"><Real unit="m" start="0.45"/></ScalarVariable>
<ScalarVariable name="count" valueReference="0" description="samples" causality="output" variability="discrete"><Integer/></ScalarVariable>
<ScalarVariable name="mode" valueReference="1" description="how it is damped" causality="parameter" variability="fixed"><Enumeration declaredType="Mode" start="1"/></ScalarVariable>
<ScalarVariable name="high" valueReference="0" description="at the wall" causality="output" variability="discrete"><Boolean/></ScalarVariable>
<ScalarVariable name="label" valueReference="0" description="a text" causality="parameter" variability="fixed"><String start="probe"/></ScalarVariable>
</ModelVariables>
<ModelStructure>
<Outputs>
  <Unknown index="2" dependencies="2"/><Unknown index="3" dependencies="3"/><Unknown index="9" dependencies="2 5" dependenciesKind="constant dependent"/>
  <Unknown index="10" dependencies="1 2"/><Unknown index="12" dependencies="1"/><Unknown index="14" dependencies="2"/>
</Outputs>
<Derivatives><Unknown index="3" dependencies="3"/><Unknown index="4" dependencies="2 3 5"/></Derivatives>
<InitialUnknowns>
  <Unknown index="4" dependencies="2 3 5 6 7 13"/><Unknown index="8" dependencies="6"/><Unknown index="9" dependencies="2 5"/>
  <Unknown index="10" dependencies="2"/><Unknown index="12" dependencies=""/><Unknown index="14" dependencies="2 11"/>
</InitialUnknowns>
</ModelStructure>
</fmiModelDescription>
"""


@cache
def library(fault: str = "clean", *flags: str, source: str = "probe.c") -> bytes:
    """probe.c as a library of Linux, compiled once a test session."""

    def make(path: Path) -> None:
        headers = path.parent / "headers"
        headers.mkdir(exist_ok=True)
        for name, text in (fmi_headers() | fmi_headers(3)).items():
            (headers / name).write_text(text, "utf-8")
        command = [
            "cc",
            "-std=gnu99",
            "-O0",
            "-fPIC",
            "-shared",
            "-fvisibility=hidden",
            "-Wl,-z,relro",
            f"-DFAULT={fault}",
            *flags,
        ]
        subprocess.run([*command, f"-I{headers}", str(SOURCE.with_name(source)), "-o", str(path), "-lm"], check=True)

    name = "_".join((source, fault, *flags)).replace("/", "_")
    return once(session_folder() / "probe" / f"{name}.so", make).read_bytes()


def files(fault: str = "clean", xml: Callable[[str], str] = lambda text: text, *flags: str) -> dict[str, bytes]:
    """What is in the archive."""
    changed = xml(XML)
    return {
        "modelDescription.xml": changed.encode(),
        LIBRARY: library(fault, *flags),
        "documentation/index.html": b"<p>a mass that bounces off a wall</p>",
        "resources/table.txt": b"1 2 3",
    }


def pack(path: Path, content: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path
