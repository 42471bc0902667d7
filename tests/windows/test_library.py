"""The win64 library as a file; what tests/native/test_compile.py asks of the other platforms'."""

from __future__ import annotations

import struct

import lief
import pytest

from tests.native.test_compile import assert_nothing_of_this_machine, compiled_again, darwin_exports, library_of

LIBRARY = "win64"


@pytest.mark.parametrize("runtime", ["kept", pytest.param("anew", marks=pytest.mark.slow)])
def test_the_same_sources_give_the_same_bytes(runtime, monkeypatch, tmp_path):
    assert compiled_again(LIBRARY, runtime, monkeypatch, tmp_path) == library_of(LIBRARY)


def test_nothing_of_this_machine_is_in_it():
    assert_nothing_of_this_machine(library_of(LIBRARY))


def windows_exports(library: bytes) -> set[str]:
    """Names in the export directory of a 64-bit PE file."""
    (header,) = struct.unpack_from("<I", library, 0x3C)
    count, size = struct.unpack_from("<H", library, header + 6)[0], struct.unpack_from("<H", library, header + 20)[0]
    (address,) = struct.unpack_from("<I", library, header + 24 + 112)
    sections = [struct.unpack_from("<8sIIII", library, header + 24 + size + 40 * i) for i in range(count)]

    def offset(virtual):
        return next(virtual - start + raw for _, length, start, _, raw in sections if start <= virtual < start + length)

    number, _, names = struct.unpack_from("<III", library, offset(address) + 24)
    pointers = struct.unpack_from(f"<{number}I", library, offset(names))
    return {library[offset(p) :].split(b"\0", 1)[0].decode() for p in pointers}


def test_it_exports_what_the_macos_library_does():
    exports = windows_exports(library_of(LIBRARY))
    assert len(exports) == 44
    assert all(name.startswith("fmi2") for name in exports)
    for names in darwin_exports(library_of("darwin64")).values():
        assert {f"_{name}" for name in exports} <= names


def test_it_needs_nothing_but_windows_itself():
    """The UCRT, which Windows has had since version 10: no C library of a compiler, whose 400 files zig would compile first."""
    binary = lief.parse(list(library_of(LIBRARY)))
    needed = {module.name for module in binary.imports}
    assert needed
    assert all(name.startswith("api-ms-win-crt-") for name in needed), needed
    functions = {entry.name for module in binary.imports for entry in module.entries}
    assert "__stdio_common_vsprintf" in functions  # behind messages
    assert not functions & {"sin", "cos", "exp", "log"}  # of compiler-rt: the same numbers on every version of Windows
