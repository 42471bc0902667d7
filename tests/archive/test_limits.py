"""Archives that someone made to do harm: refused in one sentence that names the limit, by every command that opens FMUs."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from spacefmu.dynamics import limits
from spacefmu.dynamics.limits import DEPTH, TOML_SIZE, XML_DEPTH, in_words
from spacefmu.dynamics.modes import tables
from spacefmu.dynamics.modes.tables import read_nodal_table
from spacefmu.dynamics.texts import parse_json, parse_toml
from spacefmu.fmu_src.archive import members
from spacefmu.fmu_src.archive.members import unpack
from spacefmu.fmu_src.linearize.files import read as read_linear
from spacefmu.fmu_src.results.reading import read_table
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT, in_this_process

BOMB = """<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">
""" + "\n".join(f'<!ENTITY {b} "{10 * f"&{a};"}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))


def changed(tmp_path: Path, more: dict[str, str] | None = None, xml=lambda text: text, link: str = "") -> str:
    """HingedPanel's FMU with other files, another description, or a link in it."""
    path = tmp_path / "plant.fmu"
    with zipfile.ZipFile(fmu_file("HingedPanel")) as old, zipfile.ZipFile(path, "w") as new:
        for member in old.infolist():
            data = old.read(member)
            new.writestr(member, xml(data.decode()) if member.filename == "modelDescription.xml" else data)
        for name, text in (more or {}).items():
            new.writestr(name, text)
        if link:
            info = zipfile.ZipInfo(link)
            info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            new.writestr(info, "/etc/passwd")
    return str(path)


COMMANDS = ("simulate", "linearize")
HARM = {  # what is done to the FMU, and what every command says
    "absolute": ({"more": {"/tmp/evil": "x"}}, "'/tmp/evil' is absolute"),
    "upwards": ({"more": {"../evil": "x"}}, "'../evil' points outside the folder it is unpacked to"),
    "link": ({"link": "resources/link"}, "'resources/link' is a link"),
    "long name": ({"more": {f"resources/{'n' * 300}.txt": "x"}}, "a name in it is too long for a file of this machine"),
    "entities": ({"xml": lambda text: text.replace("<fmiModel", BOMB + "]><fmiModel", 1)}, "modelDescription.xml defines entities"),
    "depth": ({"xml": lambda text: text.replace("</VendorAnnotations>", "").replace("<ModelVariables>", f"<VendorAnnotations><Tool name='x'>{'<a>' * 300}{'</a>' * 300}</Tool></VendorAnnotations><ModelVariables>", 1)}, f"more than {XML_DEPTH} elements are within each other"),
}  # fmt: skip


@pytest.mark.parametrize("harm", HARM)
def test_it_is_refused_in_one_sentence_and_never_a_success(tmp_path, monkeypatch, capfd, harm):
    monkeypatch.chdir(tmp_path)
    how, words = HARM[harm]
    fmu = changed(tmp_path, **how)
    for command in COMMANDS:
        in_this_process(f"spacefmu {command} {fmu}", code=2)
        said = capfd.readouterr().err
        assert words in said
        assert len(said.splitlines()) == 1
    in_this_process(f"spacefmu check {fmu} {'' if harm == 'long name' else '--static'}", code=1)
    assert not list(tmp_path.glob("*.csv"))
    assert not Path("/tmp/evil").exists()


def test_sizes_and_entries_are_limited(tmp_path, monkeypatch):
    """Numbers small enough to be met by a small archive; the true ones are in the docs."""
    monkeypatch.setattr(members, "UNPACKED", 3 << 20)
    monkeypatch.setattr(members, "ENTRIES", 4)
    with zipfile.ZipFile(tmp_path / "large.fmu", "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(4):
            archive.writestr(f"resources/{i}", bytes(1 << 20))
    with pytest.raises(ValueError, match=r"more than 3 MiB on disk, the limit"):
        unpack(tmp_path / "large.fmu", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with zipfile.ZipFile(tmp_path / "many.fmu", "w") as archive:
        for i in range(5):
            archive.writestr(f"resources/{i}", b"")
    with pytest.raises(ValueError, match=r"it has 5 entries, the limit is 4"):
        unpack(tmp_path / "many.fmu", tmp_path / "out")


def test_what_the_archive_says_of_sizes_is_not_believed(tmp_path, monkeypatch):
    """The directory says 1 byte each, and zipfile then reads no more; names are what is left, and CRCs tell."""
    monkeypatch.setattr(members, "UNPACKED", 1 << 20)
    path = tmp_path / "lies.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("resources/large", bytes(64 << 20))
    data = path.read_bytes()
    path.write_bytes(data.replace((64 << 20).to_bytes(4, "little"), (1).to_bytes(4, "little")))
    with pytest.raises(ValueError, match="can't be unpacked"), members.unpacked(path):
        pass


DEEP = f"more than {DEPTH} tables and lists are within each other, the limit"
BRACKETS = 10_000 * "[" + 10_000 * "]"
TEXTS = {  # file: its content, the command that reads it, and what it says
    "lists.toml": (f'name = "x"\nbodies = {BRACKETS}\n', "build lists.toml", DEEP),
    "keys.toml": (f"{'a.' * 10_000}a = 1\n", "check keys.toml", DEEP),
    "header.toml": (f"[{'a.' * 10_000}a]\n", "view header.toml", DEEP),
    "large.toml": (f'name = "{"x" * TOML_SIZE}"\n', "simulate large.toml", f"has more than {in_words(TOML_SIZE)}, the limit"),
    "system.toml": (f'kind = "system"\nunits = {BRACKETS}\n', "system run system.toml", DEEP),
    "plan.toml": (f'kind = "sweep"\nparameters = {BRACKETS}\n', "sweep plan.toml", DEEP),
    "modes.toml": (f"bodies = {BRACKETS}\n", "modes modes.toml", DEEP),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_limited(tmp_path, monkeypatch, capfd, name):
    """10,000 brackets ended in a RecursionError; 10,000 dots of a key make tables without one."""
    monkeypatch.chdir(tmp_path)
    content, command, words = TEXTS[name]
    Path(name).write_text(content)
    in_this_process(f"spacefmu {command}", code=2)
    said = capfd.readouterr().err
    assert len(said.splitlines()) == 1
    assert name in said
    assert words in said


def test_a_text_may_be_as_deep_as_the_limit():
    for parse, text in ((parse_json, "[{}]"), (parse_toml, "a = {}")):
        parse(text.format(DEPTH * "[" + DEPTH * "]"))
        with pytest.raises(ValueError, match=DEEP):
            parse(text.format((DEPTH + 1) * "[" + (DEPTH + 1) * "]"))


def test_tables_are_limited(tmp_path, monkeypatch):
    """A body's table that is too deep, and one of a device without an end."""
    (tmp_path / "dish.json").write_text(BRACKETS)
    with pytest.raises(ValueError, match=DEEP):
        read_nodal_table(tmp_path / "dish.json")
    monkeypatch.setattr(tables, "TABLE_SIZE", 1 << 20)
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match=r"has more than 1 MiB, the limit of such a file"):
        read_nodal_table(tmp_path / "endless.csv")


def test_linear_models_and_sidecars_are_limited(tmp_path):
    (tmp_path / "linear.json").write_text(BRACKETS)
    with pytest.raises(ValueError, match=rf"linear\.json: {DEEP}"):
        read_linear(tmp_path / "linear.json")
    (tmp_path / "run.csv").write_text("time,x\n0,1\n1,2\n")
    (tmp_path / "run.csv.json").write_text(BRACKETS)
    with pytest.raises(ValueError, match=DEEP):
        read_table(tmp_path / "run.csv")


def test_the_depth_of_an_ssp_is_limited(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("deep.ssp", "w") as archive:
        archive.writestr("SystemStructure.ssd", 300 * "<a>" + 300 * "</a>")
    in_this_process("spacefmu system run deep.ssp", code=2)
    assert f"more than {XML_DEPTH} elements are within each other, the limit" in capfd.readouterr().err


def test_the_docs_have_the_numbers():
    """Every number of dynamics/limits.py, in the order of the file."""
    page = (ROOT / "docs/check.md").read_text("utf-8")
    numbers = {name: value for name, value in vars(limits).items() if name.isupper()}
    counts = ("ENTRIES", "XML_DEPTH", "DEPTH")
    cells = [f"{value:,}" if name in counts else in_words(value) for name, value in numbers.items()]
    table = page[page.index("| input | limit |") :].split("\n\n")[0].splitlines()
    found = [line.split(" | ")[1].removesuffix(" |") for line in table[2:]]
    assert [cell for cell in found if cell != "none"] == cells
