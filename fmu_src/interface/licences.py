"""Licences of the parts of an FMU or a page, one row per part; texts come from the packages of the parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import distribution
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True)
class Licensed:
    """what: the part, its owner and its licence; name: of the file with the text, "" if none is needed."""

    what: str
    name: str = ""
    text: Callable[[], str] = str


def _own() -> str:
    return (files(__package__) / "licenses" / "spacefmu.txt").read_text("utf-8")


def _mit(holder: str) -> str:
    """The MIT licence of another holder: the same text as for spacefmu."""
    return re.sub(r"(?m)^Copyright .*$", f"Copyright {holder}", _own(), count=1)


def _header(fmi: int) -> str:
    """The text from the copyright on, as in the header."""
    text = (files("fmpy") / "c-code" / f"fmi{fmi}Functions.h").read_text("utf-8")
    return "\n".join(line.strip() for line in text[text.index("Copyright (C)") : text.index("*/")].splitlines())


def _of_package(package: str, name: str) -> str:
    found = [file for file in distribution(package).files or () if file.name == name]
    return Path(str(found[0].locate())).read_text("utf-8")


def _of_zig(path: str) -> str:
    found = find_spec("ziglang")
    return Path((found and found.origin) or "", "..", path).resolve().read_text("utf-8")


MODEL = Licensed("The model itself: its description, parameters and the code made of them belong to whoever built it.")
RUNTIME = Licensed(
    "The runtime, in sources/ and compiled into binaries/, is part of spacefmu: MIT", "spacefmu.txt", _own
)
PYTHON = Licensed("The Python code in resources/ is part of spacefmu: MIT", "spacefmu.txt", _own)
HEADERS = {
    fmi: Licensed(
        f"The headers fmi{fmi}*.h, which the C is compiled with, are the Modelica Association's: BSD-2-Clause",
        "fmi-headers.txt",
        partial(_header, fmi),
    )
    for fmi in (2, 3)
}
PYTHONFMU = Licensed(
    "The libraries in binaries/ and resources/*/pythonfmu are PythonFMU's: MIT",
    "pythonfmu.txt",
    lambda: _of_package("pythonfmu", "LICENSE"),
)
NUMBERS = Licensed(
    "Numbers of published models, in models that use them: EGM2008 (US National Geospatial-Intelligence Agency) and IGRF-14 (IAGA) "
    "are in the public domain; IAU 2000B nutation, leap seconds (IERS), the Moon after ELP 2000-82, densities of the air (US Standard "
    "Atmosphere, CIRA-72, Harris-Priester) are facts from the publications that spacefmu's documentation names."
)
ZIG = Licensed("The compiler's own functions, linked into binaries by Zig: MIT", "zig.txt", lambda: _of_zig("LICENSE"))
SYSTEMS = {  # parts of a system's C library that Zig links in
    "Linux": Licensed(
        "Start-up objects of the GNU C library in Linux libraries: LGPL-2.1-or-later, whose exception lets them be linked with anything",
        "glibc.txt",
        lambda: _of_zig("lib/libc/glibc/LICENSES"),
    ),
    "Windows": Licensed(
        "Headers and import libraries of mingw-w64, with which Windows libraries are made: ZPL-2.1",
        "mingw-w64.txt",
        lambda: _of_zig("lib/libc/mingw/COPYING"),
    ),
}
THREE = Licensed(
    "three.js with its GLTFLoader and TrackballControls: MIT", "three.txt", lambda: _mit("2010-2022 Three.js Authors")
)
BOKEH = Licensed(
    "BokehJS: BSD-3-Clause; what it bundles is named in comments of its script",
    "bokeh.txt",
    lambda: _of_package("bokeh", "LICENSE.txt"),
)
SCRIPTS = Licensed("The page's other scripts, and the C runtime of a model in it, are part of spacefmu: MIT", "spacefmu.txt", _own)  # fmt: skip
WASM = (
    Licensed("wasi-libc in the WebAssembly module: MIT", "wasi-libc.txt", lambda: _of_zig("lib/libc/wasi/LICENSE-MIT")),
    Licensed(
        "musl in the WebAssembly module, as wasi-libc has it: MIT",
        "musl.txt",
        lambda: _of_zig("lib/libc/wasi/libc-top-half/musl/COPYRIGHT"),
    ),
    Licensed(
        "cloudlibc in the WebAssembly module, as wasi-libc has it: BSD-2-Clause",
        "cloudlibc.txt",
        lambda: _of_zig("lib/libc/wasi/libc-bottom-half/cloudlibc/LICENSE"),
    ),
    ZIG,
)


def of_native(systems: Collection[str], fmi: int) -> list[Licensed]:
    """The parts of a native FMU. systems: those for which Zig linked its libraries; a compiler of the host names its own parts."""
    linked = [SYSTEMS[name] for name in sorted(systems) if name in SYSTEMS]
    return [MODEL, RUNTIME, HEADERS[fmi], *([ZIG] if systems else ()), *linked, NUMBERS]


OF_PYTHON = (MODEL, PYTHON, PYTHONFMU, HEADERS[2], NUMBERS)
OF_VIEW = (MODEL, SCRIPTS, THREE)
OF_REPORT = (*OF_VIEW, BOKEH)
OF_LIVE = (*OF_VIEW, HEADERS[2], *WASM, NUMBERS)


def licence_files(parts: Iterable[Licensed]) -> dict[str, str]:
    """Files of documentation/licenses/, name → text; license.txt lists the parts."""
    parts = list(parts)
    lines = [f"  {part.what}{f', {part.name}.' if part.name else ''}" for part in parts]
    listed = "\n".join(["Licences of what is in this FMU", "", *lines, ""])
    return {"license.txt": listed} | {part.name: part.text() for part in parts if part.name}


def licence_block(parts: Iterable[Licensed]) -> str:
    """The same for the end of a page, as an element that browsers neither show nor run."""
    parts = list(parts)
    lines = ["Licences of what is in this page", *(f"  {part.what}" for part in parts)]
    texts = [f"{part.name.removesuffix('.txt')}:\n\n{part.text().strip()}" for part in parts if part.name]
    whole = "\n\n\n".join(["\n".join(lines), *dict.fromkeys(texts)])
    return f'<script id="licences" type="text/plain">\n{whole.replace("<", "&lt;")}\n</script>'
