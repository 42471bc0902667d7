"""host3.c for any platform: what an FMI 3.0 library gives there, beside what it gives here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fmpy
import pytest

from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.platforms.compile import fmi_headers

SOURCE = Path(__file__).parent / "host3.c"
HERE = ("x86_64-linux", "x86_64-linux-gnu", [])


def host3(folder: Path, target: str, start: list[str]) -> list[str]:
    """The line that starts the host, made by zig for a target."""
    for name, text in fmi_headers(3).items():
        (folder / name).write_text(text)
    program = folder / f"host3-{target}.exe"
    libraries = [] if "windows" in target else ["-ldl"]
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target, "-O1", f"-I{folder}", str(SOURCE)]
    subprocess.run([*command, "-o", str(program), *libraries], check=True)
    return [*start, str(program)]


def compare(system, folder: Path, platform: str, target: str, start: list[str], environment: dict[str, str]) -> None:
    """A run on the platform, and one here, agree to 1e-12: two C libraries' sin and exp may differ in their last bit."""
    path = build_native(system, folder / "model.fmu", [HERE[0], platform], fmi=3)
    unpacked = Path(fmpy.extract(str(path), unzipdir=str(folder / "unpacked")))
    description = fmpy.read_model_description(str(path))
    shown = [v for v in description.modelVariables if v.type == "Float64" and v.name != "event_indicators"]
    sizes = [f"{v.valueReference}:{_size(v)}" for v in shown]
    values = {}
    for name, of, before in (HERE, (platform, target, start)):
        library = next((unpacked / "binaries" / name).iterdir())
        line = [*host3(folder, of, before), str(library), description.guid, "1.2", "0.1", *sizes]
        result = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
        assert result.returncode == 0, result.stderr
        values[name] = [float.fromhex(value) for value in result.stdout.split()]
    assert len(values[platform]) == sum(map(_size, shown)) > 10
    assert values[platform] == pytest.approx(values[HERE[0]], rel=1e-12, abs=1e-12)


def _size(variable) -> int:
    size = 1
    for each in variable.dimensions:
        size *= int(each.start)
    return size
