"""The win64 libraries run: the C host of tests/fmi, compiled for Windows too, loads them under Debian's wine.

Values agree with the linux64 library to 1e-12: the code is the same, the two C libraries' sin and exp may differ in
their last bit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import fmpy
import pytest

from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.platforms.compile import fmi_headers
from tests.catalogue_fmus import system_of
from tests.fmi3.c_host import compare
from tests.systems_small import ALL

HOST = Path(__file__).parent.parent / "fmi" / "host.c"
PLANTS = [*ALL, *map(system_of, ("HingedPanel", "FourBar", "TetheredMasses"))]


@pytest.fixture(scope="session")
def hosts(tmp_path_factory):
    """The C host for both platforms, made by zig."""
    folder = tmp_path_factory.mktemp("hosts")
    for name, text in fmi_headers().items():
        (folder / name).write_text(text)
    targets = {
        "linux64": ("x86_64-linux-gnu", "host", ["-lpthread", "-lm"]),
        "win64": ("x86_64-windows-gnu", "host.exe", []),
    }
    for target, program, libraries in targets.values():
        command = [sys.executable, "-m", "ziglang", "cc", "-target", target, "-O1", f"-I{folder}", str(HOST)]
        subprocess.run([*command, "-o", str(folder / program), *libraries], check=True)
    return {"linux64": [str(folder / "host")], "win64": ["wine", str(folder / "host.exe")]}


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """A fresh wine prefix, so that nothing of the person's own is touched."""
    environment = os.environ | {"WINEPREFIX": str(tmp_path_factory.mktemp("wine")), "WINEDEBUG": "-all", "DISPLAY": ""}
    subprocess.run(["wine", "wineboot", "--init"], env=environment, check=True, capture_output=True)
    return environment


@pytest.mark.parametrize("system", PLANTS, ids=lambda s: s.name)
def test_windows_library_runs(system, hosts, prefix, tmp_path):
    path = build_native(system, tmp_path / "model.fmu", ["linux64", "win64"])
    folder = Path(fmpy.extract(str(path), unzipdir=str(tmp_path / "unpacked")))
    description = fmpy.read_model_description(str(path))
    references = [str(v.reference) for v in variables_of(system) if v.signal.kind == "real"]
    values = {}
    for platform, host in hosts.items():
        library = next((folder / "binaries" / platform).iterdir())
        line = [*host, str(library), description.guid, "run", "1.2", "0.1", *references]
        result = subprocess.run(line, capture_output=True, text=True, env=prefix, check=False)
        assert result.returncode == 0, result.stderr
        values[platform] = [float.fromhex(value) for value in result.stdout.split()]
    assert len(values["win64"]) == len(references)
    for windows, linux in zip(values["win64"], values["linux64"], strict=True):
        assert windows == pytest.approx(linux, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["HingedPanel", "FourBar", "TetheredMasses"])
def test_windows_library_of_fmi3_runs(name, prefix, tmp_path):
    compare(system_of(name), tmp_path, "x86_64-windows", "x86_64-windows-gnu", ["wine"], prefix)
