"""The reading room: what is in an FMU file, whoever made it and whatever is wrong with it."""

import zipfile
from pathlib import Path

import pytest

from spacefmu.dynamics.description import load, load_text
from spacefmu.fmu_src import api
from spacefmu.fmu_src.archive.members import DESCRIPTION, described_by, platforms_of, read_member, variable_names
from spacefmu.fmu_src.build import build_python
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT, in_this_process


@pytest.mark.parametrize("flavour", ["native", "python"])
def test_every_fmu_carries_its_description(flavour):
    """The text as a person wrote it, comments included."""
    carried = described_by(fmu_file("HingedPanel", flavour))
    assert carried == {"HingedPanel.toml": (ROOT / "fmu_src/catalogue/HingedPanel.toml").read_bytes()}


def test_the_carried_description_gives_the_same_system(tmp_path):
    """With a table in a folder beside that of the description, which has to travel along."""
    (tmp_path / "crafts").mkdir()
    (tmp_path / "tables").mkdir()
    text = (ROOT / "examples/nodal_table.toml").read_text("utf-8")
    assert 'nodal_table = "' in text
    table = text.split('nodal_table = "')[1].split('"')[0]
    (tmp_path / "tables" / "t.csv").write_bytes((ROOT / "examples" / table).read_bytes())
    (tmp_path / "crafts" / "craft.toml").write_text(text.replace(table, "../tables/t.csv"), "utf-8")
    system = load(tmp_path / "crafts" / "craft.toml")
    assert [name for name, _ in system.about.described_by] == ["crafts/craft.toml", "tables/t.csv"]
    fmu = build_python(system, tmp_path / "craft.fmu")
    again = api.load(fmu)
    for group in system.signals.GROUPS:
        assert getattr(again.signals, group) == getattr(system.signals, group)
    assert again.about.described_by == system.about.described_by


def test_only_what_a_key_declares_as_a_file_travels(tmp_path, monkeypatch, capsys):
    """A text that happens to be the name of a file is a text; a table is found from a relative path, and stays inside the FMU."""
    for folder in ("crafts", "tables"):
        (tmp_path / folder).mkdir()
    text = (ROOT / "examples/nodal_table.toml").read_text("utf-8")
    table = text.split('nodal_table = "')[1].split('"')[0]
    (tmp_path / "tables" / "t.csv").write_bytes((ROOT / "examples" / table).read_bytes())
    (tmp_path / "id_rsa").write_text("secret")
    text = text.replace(table, "../tables/t.csv")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("description"))
    (tmp_path / "crafts" / "craft.toml").write_text(f'description = "../id_rsa"\nauthor = "../id_rsa"\n{text}', "utf-8")
    monkeypatch.chdir(tmp_path / "crafts")
    in_this_process("spacefmu build craft.toml --flavour python -o craft.fmu")
    assert list(described_by("craft.fmu")) == ["crafts/craft.toml", "tables/t.csv"]
    assert "packed with craft.toml, readable by everyone who gets the FMU: tables/t.csv" in capsys.readouterr().err
    with zipfile.ZipFile("craft.fmu") as archive:
        assert not any(b"secret" in archive.read(name) or ".." in name for name in archive.namelist())
    in_this_process("spacefmu view craft.fmu --still -o craft.html")  # the table is found again, inside
    in_this_process("spacefmu check craft.fmu --static")


def test_a_text_has_no_place_but_travels():
    text = (ROOT / "examples/couplings_gear.toml").read_text("utf-8")
    assert load_text(text).about.described_by == (("description.toml", text.encode()),)


def test_an_fmu_of_another_tool_carries_none(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", "<a/>")
    with pytest.raises(ValueError, match="contains no description"):
        api.load(tmp_path / "a.fmu")


def test_a_description_does_not_leave_its_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.fmu", "w") as archive:
        archive.writestr(f"{DESCRIPTION}../../../evil.toml", "")
    with pytest.raises(ValueError, match="would leave the folder"):
        api.load(tmp_path / "a.fmu")


def test_sizes_are_bounded_whatever_the_archive_says(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.fmu", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large", bytes(1 << 20))
    with zipfile.ZipFile(tmp_path / "a.fmu") as archive, pytest.raises(ValueError, match="more than 1000 bytes"):
        read_member(archive, "large", 1000)


def test_platforms_and_names():
    fmu = fmu_file("HingedPanel", "python")
    assert platforms_of(fmu) == ["linux64", "win64"]
    assert "hub.mass" in variable_names(fmu)
    assert variable_names(Path(__file__)) == []
