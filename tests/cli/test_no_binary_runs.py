"""Looking never runs a foreign binary: `info`, `view`, `check --static` of FMUs whose library leaves a mark as soon as it is loaded."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.archive.members import DESCRIPTION
from spacefmu.fmu_src.cli import main
from tests.catalogue_fmus import fmu_file
from tests.cli.command import spacefmu

SYSTEM = """kind = "system"
name = "Two"
step = 0.1
stop = 0.2

[units.plant]
model = "ours.fmu"
"""
REFUSAL = "contains no spacefmu description, and a view runs no foreign binary; "


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """ours.fmu has a description, foreign.fmu has none; both have a library that makes the file `mark`, and packed.ssp holds each of them."""
    folder = tmp_path_factory.mktemp("planted")
    source = '#include <stdio.h>\n__attribute__((constructor)) static void leave(void) { fclose(fopen("%s", "w")); }\n'
    (folder / "mark.c").write_text(source % (folder / "mark"))
    subprocess.run(["cc", "-shared", "-fPIC", "mark.c", "-o", "mark.so"], cwd=folder, check=True)
    with zipfile.ZipFile(fmu_file("FourBar")) as sound:
        for name, described in (("ours.fmu", True), ("foreign.fmu", False)):
            with zipfile.ZipFile(folder / name, "w") as planted:
                for member in sound.namelist():
                    if described or not member.startswith(DESCRIPTION):
                        binary = member.startswith("binaries/")
                        planted.writestr(member, (folder / "mark.so").read_bytes() if binary else sound.read(member))
    for name in ("ours", "foreign"):
        (folder / f"{name}.toml").write_text(SYSTEM.replace("ours.fmu", f"{name}.fmu"))
        api.pack(folder / f"{name}.toml", folder / f"{name}.ssp")
    return folder


def test_the_mark_is_left_by_a_run(folder):
    """Otherwise the tests below would prove nothing."""
    for name in ("ours.fmu", "foreign.fmu"):
        assert spacefmu("simulate", name, "--stop", "0.01", folder=folder).returncode != 0
        (folder / "mark").unlink()


SEEN = {
    "info ours.fmu": 0,
    "info foreign.fmu": 0,
    "check ours.fmu --static": 1,  # the planted library has no functions of FMI
    "check foreign.fmu --static": 1,
    "view ours.fmu --stop 0.1": 0,
    "view ours.fmu --still": 0,
    "view ours.fmu --modes": 0,
    "view ours.toml --stop 0.1": 0,
    "view ours.ssp --stop 0.1": 0,
}
REFUSED = {
    "view foreign.fmu": "spacefmu: foreign.fmu: " + REFUSAL + "spacefmu simulate foreign.fmu -o run.csv",
    "view foreign.fmu --model ours.fmu": "spacefmu: foreign.fmu: " + REFUSAL + "spacefmu simulate foreign.fmu -o run.csv",
    "view foreign.toml": "spacefmu: unit plant, foreign.fmu, " + REFUSAL + "spacefmu system run -o run.csv",
    "view foreign.ssp": "spacefmu: unit plant, ",
}  # fmt: skip


@pytest.mark.parametrize("line", [*SEEN, *REFUSED])
def test_looking_leaves_no_mark(line, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    page = Path(line.replace(" ", "_") + ".html")
    with pytest.raises(SystemExit) as end:
        main([*line.split(), *(("-o", str(page)) if line.startswith("view") else ())])
    said = capfd.readouterr().err
    if line in SEEN:
        assert end.value.code == SEEN[line], said
        assert page.is_file() == line.startswith("view")
    else:
        assert (end.value.code, said.count("\n")) == (2, 1)
        assert said.startswith(REFUSED[line])
        assert REFUSAL in said
        assert not page.exists()
    assert not Path("mark").exists()
