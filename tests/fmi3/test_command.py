"""spacefmu build --fmi: versions, names of files and of platforms, refusals."""

from __future__ import annotations

import zipfile

import pytest

from tests.cli.command import in_this_process


def platforms_of(path) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        return {name.split("/")[1] for name in archive.namelist() if name.startswith("binaries/")}


def test_both_versions_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_this_process("spacefmu build AttitudeController --fmi 2,3 --platform host")
    assert platforms_of("AttitudeController_fmi2.fmu") == {"linux64"}
    assert platforms_of("AttitudeController_fmi3.fmu") == {"x86_64-linux"}


def test_names_of_platforms_of_either_version(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_this_process("spacefmu build AttitudeController --fmi 3 --platform linux64,aarch64-linux -o c.fmu")
    assert platforms_of("c.fmu") == {"x86_64-linux", "aarch64-linux"}


@pytest.mark.parametrize(
    "options, message",
    [
        ("--fmi 4", "--fmi: version '4' is unknown; write 2, 3 or 2,3"),
        ("--scalars", "--scalars is an option of FMI 3.0 (FMI 2.0 has no arrays); add --fmi 3"),
        ("--fmi 3 --flavour python", "a Python FMU can only be FMI 2.0"),
        ("--platform aarch64-linux", "FMI 2.0 has no platform for aarch64-linux"),
        ("--fmi 3 --platform beos", "platform 'beos' is unknown"),
    ],
)
def test_refusals(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    in_this_process(f"spacefmu build AttitudeController {options}", code=2)
    assert message in capsys.readouterr().err
