"""From a System to an .fmu file: generate C, compile it for each platform, describe it, pack it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

from spacefmu.dynamics.overview import overview
from spacefmu.dynamics.system.contract import System

from .archive.members import DESCRIPTION
from .interface import fmi3, licences
from .interface.arrays import arrays_of, scalars_of
from .interface.description import model_description, model_identifier
from .interface.documentation import documentation
from .interface.drawing import drawing_of
from .interface.overview import page as overview_page
from .interface.references import smoke_test
from .interface.terminals import terminal_icons, terminals_and_icons, terminals_of
from .interface.variables import variables_of
from .native.c.generator import generate
from .native.platforms.cache import kept
from .native.platforms.compile import (
    allowed_to_stop,
    cached_library,
    compiler_commands,
    compiler_identity,
    fmi_headers,
    runtime_sources,
    stop_compilers,
    systems_by_zig,
)
from .native.platforms.table import FOLDERS, PLATFORMS, host_platform, note, rows, suffix
from .native.trace.fast import fast
from .native.trace.sparsity import dependencies
from .native.trace.traces import Traces
from .package import archive_bytes, guid_of, write_archive, write_bytes
from .python.contents import CAPABILITIES, FmuContents, contents, libraries
from .python.contents import PLATFORMS as PYTHON_PLATFORMS
from .python.limits import limits_page
from .python.own import NO_EQUATION, Anything, read_block, theirs
from .python.stored import dumps

# Stands for the GUID while the content it is made of is written: it is part of the C and of the XML itself.
_NO_GUID = "{00000000-0000-0000-0000-000000000000}"


def build_native(
    system: System,
    path: Path | str,
    platforms: Sequence[str] = FOLDERS,
    on_message: Callable[[str], None] | None = None,
    drawing: bytes | None = None,
    fmi: int = 2,
    scalars: bool = False,
) -> Path:
    """Make the native FMU of a System at `path`, and return the path. The same System gives the same bytes.

    platforms: names of FMI 2.0 (the folders in binaries/), or "host" for the one this runs on.
    on_message: called with a few words as each part of the work begins.
    drawing: a PNG that shows the model; without one the spacecraft is drawn from its mass properties.
    fmi: the version of FMI, 2 or 3; both run the same equations by the same solver, to the bit.
    scalars: FMI 3.0 without arrays, for importers that read none: one variable per entry, named as in FMI 2.0.
    Raises ValueError for what FMI cannot describe or a platform that is not one, CompileError if nothing compiles for it.
    """
    if fmi not in VERSIONS:
        raise ValueError(f"FMI version is {fmi}, expected {' or '.join(map(str, VERSIONS))}")
    platforms = sorted({each for name in platforms for each in _platforms(name, fmi)})
    for name in platforms:
        compiler_commands(name)  # raises if there is no compiler: before the long work, not after it
    on_message = on_message or (lambda words: None)
    pack = _packed_scalars if scalars and fmi == 3 else VERSIONS[fmi]
    parts = _made_of(system, platforms, drawing)
    if parts is None:
        return write_bytes(path, pack(system, platforms, on_message, drawing))
    return write_bytes(
        path,
        kept(
            [f"FMI {fmi}{' of scalars' if scalars else ''}", *parts],
            lambda: pack(system, platforms, on_message, drawing),
        ),
    )


def _packed_fmi2(
    system: System, platforms: Sequence[str], on_message: Callable[[str], None], drawing: bytes | None
) -> bytes:
    """The bytes of a native FMU of FMI 2.0: C, libraries, pages."""
    variables = variables_of(system)
    on_message("writing C")
    traces = Traces(system)
    sources = generate(system, variables, _NO_GUID, traces) | runtime_sources() | fmi_headers()
    compiled = sorted(name for name in sources if name.endswith(".c"))
    xml = model_description(system, variables, _NO_GUID, dependencies(system, traces), source_files=compiled)
    made = _compiled(system, variables, xml, sources, platforms, on_message, drawing, traces)
    content: dict[str, bytes | str] = {"modelDescription.xml": made.xml, "model.png": made.drawing}
    return _archived(content, made)


def _packed_fmi3(
    system: System,
    platforms: Sequence[str],
    on_message: Callable[[str], None],
    drawing: bytes | None,
    whole: bool = True,
) -> bytes:
    """The same of FMI 3.0: arrays whole or cut into scalars, folders by platform tuple, and a description of how to build the sources."""
    scalars = scalars_of(system)
    arrays = arrays_of(system, scalars, whole)
    on_message("writing C")
    traces = Traces(system)
    sources = generate(system, scalars, _NO_GUID, traces, arrays) | runtime_sources(3) | fmi_headers(3)
    compiled = sorted(name for name in sources if name.endswith(".c"))
    xml = fmi3.model_description(system, arrays, _NO_GUID, dependencies(system, traces))
    made = _compiled(system, scalars, xml, sources, platforms, on_message, drawing, traces)
    # importers have FMI's headers (section 2.5.1.3)
    own = {name: text for name, text in made.sources.items() if name not in fmi_headers(3)}
    made = replace(made, sources=own)
    terminals = terminals_of(arrays)
    content: dict[str, bytes | str] = {"modelDescription.xml": made.xml, "terminalsAndIcons/icon.png": made.drawing}
    content["terminalsAndIcons/terminalsAndIcons.xml"] = terminals_and_icons(terminals)
    content |= {f"terminalsAndIcons/{name}": picture for name, picture in terminal_icons(terminals).items()}
    content["sources/buildDescription.xml"] = fmi3.build_description(system, compiled)
    return _archived(content, made)


_packed_scalars = partial(_packed_fmi3, whole=False)
VERSIONS = {2: _packed_fmi2, 3: _packed_fmi3}


@dataclass(frozen=True)
class _Made:
    """What both versions pack: texts with the GUID, libraries by path, pages, the description and the smoke test by path."""

    xml: str
    drawing: bytes
    libraries: dict[str, bytes]
    sources: dict[str, str]
    pages: Mapping[str, bytes | str]
    described: Mapping[str, bytes | str]


def _compiled(system, variables, xml, sources, platforms, on_message, drawing, traces) -> _Made:
    guid = guid_of({"modelDescription.xml": xml} | sources)
    sources = {name: text.replace(_NO_GUID, guid) for name, text in sources.items()}
    on_message(f"compiling for {', '.join(platforms)}")
    with allowed_to_stop(), ThreadPoolExecutor() as workers:
        try:
            compiling = workers.map(lambda name: cached_library(sources, name), platforms)
            drawing = drawing or drawing_of(system)  # compilers have processes of their own
            fmi = 3 if "fmi3Functions.h" in sources else 2
            parts = licences.of_native(systems_by_zig(platforms), fmi)
            pages = documentation(system, variables, guid, drawing, [name + note(name) for name in platforms], parts)
            described = _description(system) | smoke_test(system, fast(system, traces))
            libraries = dict(zip(platforms, compiling, strict=True))
        except BaseException:
            workers.shutdown(wait=False, cancel_futures=True)
            stop_compilers()
            raise
    on_message("packing")
    library = model_identifier(system)
    named = {f"binaries/{p}/{library}{suffix(p)}": data for p, data in libraries.items()}
    return _Made(xml.replace(_NO_GUID, guid), drawing, named, sources, pages, described)


def _archived(content: dict[str, bytes | str], made: _Made) -> bytes:
    content |= made.libraries
    content |= {f"sources/{name}": text for name, text in made.sources.items()}
    content |= {f"documentation/{name}": text for name, text in made.pages.items()}
    return archive_bytes({**content, **made.described})


def _made_of(system: System, platforms: Sequence[str], drawing: bytes | None) -> list[str] | None:
    """Texts that say all that a native FMU is made of; None of a System that is not made of data, or is drawn by more than data."""
    if system.made_by is None:
        return None
    shapes = system.about.picture.shapes if system.about.picture is not None else ()
    if any(shape.file is not None for shape in shapes):  # a mesh, which may be anywhere
        return None
    try:
        data = dumps(*system.made_by)
    except (TypeError, ValueError):
        return None
    about = system.about
    said = (system.name, about.description, about.documentation, about.experiment, about.fixed_at_build, about.origin)
    files = [hashlib.sha256(content).hexdigest() + name for name, content in system.about.described_by]
    signals = [repr(entry) for group in system.signals.GROUPS for entry in getattr(system.signals, group)]
    compilers = [f"{name}: {compiler_identity(name)}" for name in platforms]
    picture = hashlib.sha256(drawing or b"").hexdigest()
    day = os.environ.get("SOURCE_DATE_EPOCH", "")
    return ["native FMU", own_code(), day, *compilers, data, repr(said), repr(shapes), picture, *files, *signals]


@cache
def own_code() -> str:
    """A digest of all code that FMUs are made by: this project's, and the versions of what it builds with."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256(
        repr([version(name) for name in ("spacefmu", "numpy", "casadi", "fmpy", "pillow")]).encode()
    )
    for folder in ("dynamics", "fmu_src"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".c", ".h"):
                digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def build_python(
    system: System, path: Path | str, on_message: Callable[[str], None] | None = None, drawing: bytes | None = None
) -> Path:
    """Make the Python FMU of a System at `path`, and return the path: same variables, same solver, code to read.

    progress, drawing: as for `build_native`. ValueError if the System does not say what data it was made of.
    """
    on_message = on_message or (lambda words: None)
    on_message("collecting code and data")
    traces = Traces(system)
    smoke = smoke_test(system, fast(system, traces))
    return _pack_python(system, contents(system), dependencies(system, traces), path, on_message, drawing, smoke)


def build_block(
    file: Path | str,
    path: Path | str,
    on_message: Callable[[str], None] | None = None,
    drawing: bytes | None = None,
    flavour: str = "python",
    platforms: Sequence[str] = ("host",),
    fmi: int = 2,
    scalars: bool = False,
) -> Path:
    """Make the FMU of a user's block: of the class in `file` derived from spacefmu.dynamics.blocks.block.Block.

    A native one needs equations: ValueError has the file and the line of what is none.
    """
    on_message = on_message or (lambda words: None)
    own = read_block(file)
    if flavour == "native":
        with theirs(file, NO_EQUATION):
            return build_native(own.system, path, platforms, on_message, drawing, fmi, scalars)
    on_message("collecting code")
    inside = contents(own.system, own.text, own.class_name)
    return _pack_python(own.system, inside, Anything(own.system), path, on_message, drawing)


def _pack_python(system: System, inside: FmuContents, depends, path, on_message, drawing, smoke=None) -> Path:
    variables = variables_of(system)
    drawing = drawing or drawing_of(system)
    xml = model_description(system, variables, _NO_GUID, depends, CAPABILITIES)
    guid = guid_of({"modelDescription.xml": xml} | inside.resources)
    on_message("packing")
    content: dict[str, bytes | str] = {"modelDescription.xml": xml.replace(_NO_GUID, guid), "model.png": drawing}
    library = model_identifier(system)
    content |= {f"binaries/{p}/{library}{PYTHON_PLATFORMS[p]}": data for p, data in libraries().items()}
    content |= {f"resources/{name}": text for name, text in inside.resources.items()}
    pages = documentation(system, variables, guid, drawing, sorted(PYTHON_PLATFORMS), licences.OF_PYTHON)
    pages |= {"python.txt": limits_page()}
    content |= {f"documentation/{name}": text for name, text in pages.items()}
    return write_archive(path, {**content, **_description(system), **(smoke or {})})


def _description(system: System) -> dict[str, bytes | str]:
    """What the System was read from, for views and reports, and a page on what it is: of Systems that were read from something."""
    if not system.about.described_by:
        return {}
    found = overview(system.unfolded or system)  # frequencies take seconds: spacefmu check gives them
    page: dict[str, bytes | str] = {"documentation/overview.html": overview_page(found).encode()}
    return page | {DESCRIPTION + name: data for name, data in system.about.described_by}


def _platforms(name: str, fmi: int) -> list[str]:
    """The folders in binaries/ that a name stands for, a platform of FMI 2.0 or 3.0, or "host"."""
    platform = host_platform() if name == "host" else name
    found = rows(platform)
    folders = {row.folder if fmi == 2 else row.name for row in found if row.folder or fmi == 3}
    if folders:
        return sorted(folder for folder in folders if folder)
    known = FOLDERS if fmi == 2 else tuple(row.name for row in PLATFORMS)
    if name == "host" or found:
        raise ValueError(f"FMI {fmi}.0 has no platform for {platform}; name those to build for: {', '.join(known)}")
    raise ValueError(f"platform {platform!r} is unknown, expected one of {', '.join(known)} or host")
