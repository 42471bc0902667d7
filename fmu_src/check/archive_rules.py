"""The zip: safe to unpack, readable by every tool, laid out as the standard says."""

from __future__ import annotations

import re
import zlib
from collections import Counter

from spacefmu.dynamics.limits import ENTRIES, UNPACKED, in_words

from ..archive.members import XML, is_link, unsafe
from .rules import INTEROPERABILITY, ROBUSTNESS, VIOLATION, NotPossible, rule

_TOP = {3: {"modelDescription.xml", "documentation", "sources", "binaries", "resources", "extra", "terminalsAndIcons"}}
_TOP[2] = _TOP[3] | {"model.png"}
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{i}" for port in ("com", "lpt") for i in range(1, 10))}
_LARGEST_RATIO = 200  # unpacked to packed
_LONGEST_PATH = 160  # Windows allows paths of 260 characters, and the folder that a host unpacks to takes part of them


@rule(
    "zip",
    VIOLATION,
    "the file is a valid zip archive",
    "2.3",
    "All relevant files are stored in a ZIP file with a pre-defined structure.",
    fmi3=("2.5", "An FMU consists of several files, that are stored in a ZIP file with a pre-defined structure."),
)
def sound_zip(fmu):
    try:
        _ = fmu.zip
    except NotPossible as error:
        yield str(error)
        return
    member = None
    try:
        for member in fmu.members:
            with fmu.zip.open(member) as stream:
                left = fmu.unpacked_limit
                while chunk := stream.read(1 << 20):
                    left -= len(chunk)
                    if left < 0:
                        break  # rule zip-size reports it
    except (OSError, ValueError, NotImplementedError, RuntimeError, zlib.error, EOFError) as error:
        yield f"{member.filename if member else 'the directory'!r} can't be read: {error}"
    except Exception as error:  # zipfile has a class of its own for damaged archives, and struct's for damaged headers
        yield f"the archive is damaged: {error}"


@rule(
    "zip-extension",
    VIOLATION,
    "the file name ends with .fmu",
    "2.3",
    'The extension of the ZIP file must be ".fmu"',
    fmi3=("2.5", "The extension of the ZIP file must be .fmu"),
)
def extension(fmu):
    if fmu.path.suffix != ".fmu":
        yield f"the file name is {fmu.path.name!r}"


@rule(
    "zip-paths",
    VIOLATION,
    "no name points outside the folder to which the FMU is unpacked",
    "2.3",
    'section 4.4.17 states that backslashes "\\" are forbidden as path separator only forward slashes "/" are allowed',
    fmi3=("2.5", 'states that backslashes "\\" are forbidden as path separator, only forward slashes "/" are allowed.'),
)
def paths(fmu):
    for member in fmu.members:
        if why := unsafe(member.orig_filename):
            yield f"{member.orig_filename!r} {why}"


@rule("zip-names", INTEROPERABILITY, "every name can be a file on Windows, macOS and Linux")
def names(fmu):
    for member in fmu.members:
        name = member.filename
        if not name.isascii():
            yield f"{name!r} has characters that older unzip programs spell differently"
        if re.search(r'[<>:"|?*\x00-\x1f]', name) or any(
            part.partition(".")[0].lower() in _DEVICES or part.endswith((".", " ")) for part in name.split("/")
        ):
            yield f"{name!r} can't be a file on Windows"
        if len(name) > _LONGEST_PATH:
            yield f"{name[:60]!r}… has {len(name)} characters, Windows opens 260 with the folder it is in"


@rule("zip-duplicates", INTEROPERABILITY, "no file is in the archive twice, or under names that differ only in case")
def duplicates(fmu):
    for name, count in Counter(member.filename.lower() for member in fmu.members).items():
        if count > 1:
            yield f"{name!r} is there {count} times; which one is unpacked is left to chance"


@rule(
    "zip-compression",
    VIOLATION,
    "files are deflated or stored",
    "2.3",
    "The compression method for all files stored in the ZIP archive must be either 8 (deflate), or 0 (store).",
    fmi3=(
        "2.5",
        "The compression method for all files stored in the ZIP archive must be either 8 (deflate) or 0 (store).",
    ),
)
def compression(fmu):
    for member in fmu.members:
        if member.compress_type not in (0, 8):
            yield f"{member.filename!r} is packed by method {member.compress_type}"


@rule(
    "zip-version",
    VIOLATION,
    "the archive needs neither a newer zip version than 2.0 nor a password",
    "2.3",
    "The field version needed to extract of the archive must not be higher than 2.0, and encryption must not be employed.",
    fmi3=(
        "2.5",
        "The field version needed to extract of the archive must not be higher than 2.0 and encryption must not be employed.",
    ),
)
def version(fmu):
    for member in fmu.members:
        if member.extract_version > 20:
            yield f"{member.filename!r} needs version {member.extract_version / 10:.1f} to extract"
        if member.flag_bits & 1:
            yield f"{member.filename!r} is encrypted"


@rule(
    "zip-streamed",
    VIOLATION,
    "only deflated files have their sizes after their data",
    "2.3",
    "Only files stored using compression method 8 (deflate) may be stored with general purpose bit 3 set.",
    fmi3=(
        "2.5",
        "Only files stored using compression method 8 (deflate) may be stored with general purpose bit 3 set.",
    ),
)
def streamed(fmu):
    for member in fmu.members:
        if member.flag_bits & 8 and member.compress_type != 8:
            yield f"{member.filename!r} is stored, but has bit 3 set"


@rule(
    "zip-links",
    VIOLATION,
    "the archive has no links",
    "2.3",
    "Links must not be used inside the ZIP archive.",
    fmi3=("2.5", "Links must not be used inside the ZIP archive."),
)
def links(fmu):
    for member in fmu.members:
        if is_link(member):
            yield f"{member.filename!r} is a link"


@rule("zip-size", ROBUSTNESS, "the unpacked size is in proportion to the file")
def size(fmu):
    total = sum(member.file_size for member in fmu.members)
    if total > UNPACKED:
        yield f"unpacked it has {total / 2**30:.1f} GiB, the limit of this check is {in_words(UNPACKED)}"
    if len(fmu.members) > ENTRIES:
        yield f"it has {len(fmu.members)} entries, the limit of this check is {ENTRIES}"
    for member in fmu.members:
        if member.file_size > _LARGEST_RATIO * max(member.compress_size, 1 << 16):
            yield f"{member.filename!r} grows from {member.compress_size} to {member.file_size} bytes"


@rule(
    "zip-description",
    VIOLATION,
    "modelDescription.xml is at the top of the archive",
    "2.3",
    "modelDescription.xml // Description of FMU (required file)",
    fmi3=("2.5.1", "modelDescription.xml // description of FMU (required file)"),
)
def description(fmu):
    if XML not in fmu.names:
        inside = next((name for name in fmu.names if name.endswith("/" + XML)), None)
        yield f"it is not there{f', but {inside} is' if inside else ''}"


@rule(
    "zip-implementation",
    VIOLATION,
    "the FMU has binaries or sources",
    "2.3",
    "The FMU must be distributed with at least one implementation, in other words, either sources or one of the binaries for a particular machine.",
    fmi3=(
        "2.5",
        "The FMU must be distributed with at least one implementation, in other words, either sources or one of the binaries for a particular machine.",
    ),
)
def implementation(fmu):
    if not any(name.startswith(("binaries/", "sources/")) and not name.endswith("/") for name in fmu.names):
        yield "neither binaries/ nor sources/ has a file"


@rule("zip-layout", INTEROPERABILITY, "the top level of the archive has only entries defined by the standard")
def layout(fmu):
    for top in sorted({name.partition("/")[0] for name in fmu.names} - _TOP[fmu.version]):
        yield f"{top!r} is not of the standard's layout; tools may drop it: resources/ and extra/ are for your own"


@rule(
    "documentation-entry", INTEROPERABILITY, "documentation/ has an index.html, the licences have license.txt or .html"
)
def documentation(fmu):
    pages = [name for name in fmu.names if name.startswith("documentation/") and not name.endswith("/")]
    if pages and "documentation/index.html" not in pages:
        yield "documentation/ has files, but no index.html to begin with"
    licences = [name for name in pages if name.startswith("documentation/licenses/")]
    if licences and not {
        f"documentation/licenses/license.{kind}" for kind in ("txt", "html", *(("spdx",) if fmu.version == 3 else ()))
    } & set(licences):
        yield "documentation/licenses/ has files, but neither license.txt nor license.html"
