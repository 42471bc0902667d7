"""Pages that are made from the definitions: each has all of what it is made from, and what it shows as an example can be typed."""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections import Counter

import pytest

from docs import catalogue, change_point_table, commands, python_api, small_motions, validation
from docs.validation_tables import SECTIONS
from spacefmu.dynamics.references import REFERENCES
from spacefmu.fmu_src import api
from spacefmu.fmu_src.catalogue import entries
from spacefmu.fmu_src.check.rules import all_rules
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.results.names import array_name
from tests.cli.command import ROOT

ENTRIES = {entry.name: entry for entry in entries()}
COMMANDS = commands.commands()
EXAMPLES = [line for command in COMMANDS.values() for line in commands.examples(command)]
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
VARIABLES = ("settings", "variables", "inputs", "outputs", "trim")  # arguments that name variables


def typed() -> list[str]:
    """Commands in the prose and in the blocks of all pages."""
    found = set()
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"`(spacefmu [^`]+)`", text))
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            found |= set(re.findall(r"^spacefmu .*$", block, re.MULTILINE))
    return sorted(found)


def test_every_command_and_option_is_on_its_page():
    text = commands.page()
    assert len(COMMANDS) > 15
    for name, command in COMMANDS.items():
        assert f"## {name} {{" in text
        for parameter in command.params:
            assert all(f"`{option}`" in text for option in parameter.opts if option.startswith("-"))


def test_every_command_gives_examples():
    assert [name for name, command in COMMANDS.items() if not commands.examples(command)] == []


@pytest.mark.parametrize("line", [*EXAMPLES, *typed()])
def test_a_command_in_help_or_prose_can_be_typed(line, names_of):
    """Its options exist and take such values; catalogue names and the variables that are asked of them exist."""
    program, *words = shlex.split(line.split(" | ")[0])
    name = max((name for name in COMMANDS if words[: len(name.split())] == name.split()), key=len, default="")
    assert program == "spacefmu"
    if not name:
        assert words[0] in ("--version", "--install-completion", "COMMAND")
        return
    words = words[len(name.split()) :]
    if all(word.startswith("--") for word in words):  # prose that names a command, or an option of it, alone
        assert set(words) <= {
            option for parameter in COMMANDS[name].params for option in (*parameter.opts, *parameter.secondary_opts)
        }
        return
    given = COMMANDS[name].make_context(name, words).params
    model = str(given.get("model") or given.get("source") or given.get("description") or "")
    assert "." in model or "/" in model or model.isupper() or model in {*ENTRIES, "", "SlewSpread"}
    if model in ENTRIES and ENTRIES[model].kind == "spacecraft":
        for text in (text for key in VARIABLES for text in given.get(key) or ()):
            assert fnmatch.filter(names_of(model), text.split("=")[0].replace("[", "[[]")), text


@pytest.fixture(scope="module")
def names_of():
    """Names of the variables of an entry's FMU, of arrays and their elements, and the small angles of its linear model."""
    found: dict[str, list[str]] = {}

    def names(model: str) -> list[str]:
        if model not in found:
            every = [variable.name for variable in variables_of(api.load(model))]
            turned = [n.replace("quaternion", "rotation") for n in every if "quaternion" in n]
            found[model] = [*every, *turned, *map(array_name, [*every, *turned])]
        return found[model]

    return names


def test_the_readme_counts_the_rules():
    assert f" {len(all_rules())} [rules](docs/rules.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_page_of_validation_is_what_its_command_writes(monkeypatch):
    """But for the numbers, which would take as long as they did."""
    monkeypatch.setattr(validation, "ROWS", [(what, lambda: 1.0, unit) for what, _, unit in validation.ROWS])
    measured = re.compile(r"(?<=\| )\d\.\de[+-]\d\d(?= \|)")
    monkeypatch.setattr(validation, "SECTIONS", ())
    written, *sections = re.split(r"(?m)^(?=## )", validation.PAGE.read_text(encoding="utf-8"))
    assert len(sections) == len(SECTIONS)
    assert len(measured.findall(written)) == len(validation.ROWS)
    assert measured.sub("", written.strip()) == measured.sub("", validation.page().strip())


def told(text: str) -> tuple[list[str], set[str]]:
    """Prose with its numbers masked, and the first cells of the rows of tables."""
    lines = [line for line in text.splitlines() if line]
    prose = [re.sub(r"\d[\d,.e+-]*\b", "0", line) for line in lines if not line.startswith("|")]
    return prose, {line.split(" | ")[0] for line in lines if line.startswith("| ")}


class Still:
    """Of an entry whose every vector is exact."""

    away = slice(None)

    def __init__(self, name):
        self.name = name

    def worst(self, found, where=None):
        return 0.0, "vector"


@pytest.mark.parametrize(
    "section", [change_point_table.change_points, pytest.param(small_motions.small_motions, marks=pytest.mark.ci)]
)
def test_a_section_on_motion_is_what_its_command_writes(section, monkeypatch):
    """Prose and rows, but for the numbers: an entry, a rate or a host that is not on the page is seen, as is what was put in by hand."""
    monkeypatch.setattr(small_motions, "Judged", Still)
    monkeypatch.setattr(small_motions, "run", lambda *_: None)
    monkeypatch.setattr(small_motions, "run_exchanged", lambda *_: None)
    table = change_point_table
    exact = {(*row, n, rate, t): 1.0 for row in table.ROWS for n in table.COUNTS for rate in table.RATES for t in table.TOLERANCES}  # fmt: skip
    monkeypatch.setattr(table, "measured", lambda *_, **__: exact)
    page = re.split(r"(?m)^(?=## )", validation.PAGE.read_text(encoding="utf-8"))
    written = {part.split("\n")[0]: part for part in page}
    made = section().strip()
    assert told(made) == told(written[made.split("\n")[0]])
    assert len(told(made)[1]) > 10


def test_a_section_can_be_measured_by_itself():
    """The kept figures: nothing is measured for them, so the page stays as it is."""
    page = validation.PAGE.read_text(encoding="utf-8")
    assert validation.renewed(page, ["trust"]) == page
    with pytest.raises(
        ValueError, match="there is no section 'small', expected samples, orbits, small_motions, change_points, trust"
    ):
        validation.renewed(page, ["small"])


def test_every_function_is_on_its_page():
    text = python_api.page()
    for name in set(api.__all__) - {"System", "Source", "catalogue", "linearized"}:  # no functions
        assert re.search(rf"^### {name} ", text, re.IGNORECASE | re.MULTILINE), name


def test_every_entry_is_in_the_catalogue_with_its_picture():
    text = catalogue.page()
    for entry in ENTRIES.values():
        assert f"### {entry.name} {{" in text
        assert (f"images/catalogue/{entry.name}.png" in text) == (entry.kind in catalogue.SHOWN)
    shown = {name for name, entry in ENTRIES.items() if entry.kind in catalogue.SHOWN}
    assert {path.stem for path in (ROOT / "docs/images/catalogue").iterdir()} == shown
    assert all(f"[{key}]" in catalogue.references() for key in REFERENCES)


def test_no_two_headings_have_the_same_address(site):
    for page in site.rglob("*.html"):
        names = Counter(re.findall(r'<h\d id="([^"]+)"', page.read_text(encoding="utf-8")))
        assert [name for name, count in names.items() if count > 1] == [], page.name
