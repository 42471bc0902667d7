"""What goes with a release says the same version everywhere, and names what there is."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from importlib.metadata import version

import yaml

import spacefmu
from spacefmu.fmu_src.api.renamed import GONE
from spacefmu.fmu_src.cli.versions import EXTRAS, PACKAGES
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT, in_this_process
from tests.fmi3.units import fmu3_file

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_one_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert str(citation["version"]) == PROJECT["version"] == spacefmu.__version__
    assert (citation["cff-version"], citation["license"]) == ("1.2.0", PROJECT["license"])
    assert set(citation) >= {"message", "title", "authors"}  # what the format asks for
    newest = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)[1]
    assert newest == f"{PROJECT['version']} ({citation['date-released']})"


def test_fmus_name_the_version_that_made_them():
    for path in (fmu_file("FourBar"), fmu3_file("FourBar")):
        assert spacefmu.info(path).generated_by == f"spacefmu {PROJECT['version']}"


def test_version_prints_what_a_bug_report_needs(capsys):
    in_this_process("spacefmu --version")
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == f"spacefmu {version('spacefmu')}"
    rows = dict(line.split(" ", 1) for line in rest)
    assert {"Python", "platform", "installed"} <= set(rows)
    assert {name: rows[name] for name in PACKAGES} == {name: version(name) for name in PACKAGES}
    needed = {re.split(r"[<>=\[; ]", each)[0] for each in PROJECT["dependencies"]}
    assert set(PACKAGES) <= needed  # a name that is not a package of ours would never be there
    more = {re.split(r"[<>=\[; ]", each)[0] for extra, own in PROJECT["optional-dependencies"].items() if extra != "test" for each in own}  # fmt: skip
    assert set(EXTRAS) <= more


def test_a_package_that_is_missing_is_said(capsys, monkeypatch):
    monkeypatch.setattr("spacefmu.fmu_src.cli.versions.EXTRAS", ("no_such_package",))
    in_this_process("spacefmu --version")
    assert "no_such_package not installed" in capsys.readouterr().out


def test_the_workflow_calls_what_there_is():
    work = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))
    steps = [step.get("run", "") for job in work["jobs"].values() for step in job["steps"]]
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    assert {target for run in steps for target in re.findall(r"make ([\w-]+)", run)} <= targets
    assert work["jobs"]["wheel"]["strategy"]["matrix"]["os"] == ["windows-latest", "macos-latest"]
    assert any("spacefmu demo" in run for run in steps)


def _cells(page: str, header: str) -> list[list[str]]:
    """Rows of the table with this header, each a list of cells."""
    rows = page.partition(header)[2].split("\n\n")[0].strip().splitlines()[1:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def test_new_names_of_the_page_on_moving_exist():
    page = (ROOT / "docs/moving.md").read_text("utf-8")
    modules = [
        row
        for row in _cells(page, "| before 0.2 | since 0.2 |\n")
        if row[1].startswith("`spacefmu.dynamics.") and "import" not in row[1]
    ]
    assert len(modules) == 5
    for old, new in modules:
        before, since = ([name.rpartition(".")[2] for name in re.findall(r"`(.*?)`", cell)] for cell in (old, new))
        room = re.match(r"`(.*)\.\w+`", new.partition(",")[0])[1]
        names = before if new.endswith("…") else since  # "…": the other names stay
        assert len(names) == len(before)
        for name in names:
            import_module(f"{room}.{name}")
    classes = _cells(page, "| in `spacefmu.dynamics.` |\n")
    assert len(classes) == 12
    for _, new, places in classes:
        names, rooms = re.findall(r"`(.*?)`", new), re.findall(r"`(.*?)`", places)
        for number, name in enumerate(names):
            owner, _, attribute = name.partition(".")
            kind = getattr(import_module(f"spacefmu.dynamics.{rooms[min(number, len(rooms) - 1)]}"), owner)
            assert not attribute or attribute in {*dir(kind), *getattr(kind, "__annotations__", ())}, name


def test_the_page_names_the_version_in_which_old_names_go():
    page = (ROOT / "docs/versions.md").read_text("utf-8")
    assert f"| 0.2 | {GONE} |" in page
    assert f"until version {GONE}" in (ROOT / "docs/moving.md").read_text("utf-8")
