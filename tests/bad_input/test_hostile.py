"""Names that no file can have, texts that are code elsewhere, and tables whose matrices can't be solved."""

import json
from pathlib import Path

import fmpy
import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from tests.cli.command import ROOT, in_this_process

TEXT = (ROOT / "fmu_src/catalogue/HingedPanel.toml").read_text("utf-8")


def test_a_name_is_short_enough_for_a_file():
    with pytest.raises(DescriptionError, match="expected a name of at most 100 letters"):
        load_text(TEXT.replace('name = "HingedPanel"', f'name = "{"n" * 300}"', 1))


def test_a_matrix_that_cant_be_solved_is_a_problem_of_the_description(monkeypatch):
    def damaged(*_):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setitem(
        __import__("spacefmu.dynamics.description.reader", fromlist=["BUILDERS"]).BUILDERS, "spacecraft", damaged
    )
    with pytest.raises(
        DescriptionError, match=r"can't be solved \(Singular matrix\): check that its tables are complete"
    ):
        load_text(TEXT)


# Texts that would be code in C, XML, HTML, TOML, a shell, a path or a format, if someone pasted them there.
CODE = (
    '"); system("touch evil"); //', "*/ int evil; /*", "\\", "\\x41\\", "??/", "%s%n%p", "#r1#", "line\nline", "\r\n#define evil",
    "]]><evil/>", "<!--", "<?evil?>", "&lt;", "&#0;", '" evil="1', "'''", '"""', "$(touch evil)", "`touch evil`", "; touch evil", "| evil",
    "../../evil", "/evil", "C:evil", "tab\tevil", "{0.__class__}", "__import__('os')", "\u202eevil", "\u2028",
)  # fmt: skip


def quoted(text: str) -> str:
    return json.dumps(text)  # basic strings of TOML have the escapes of JSON


def test_texts_are_texts_everywhere(tmp_path, monkeypatch):
    """All of them in one native FMU: its C compiles, its XML says them as they are, and it runs."""
    text = "".join(CODE)
    lines = [line for line in TEXT.splitlines() if not line.startswith("description")]
    keys = ("description", "author", "copyright", "license")
    monkeypatch.chdir(tmp_path)
    Path("craft.toml").write_text("\n".join([*(f"{key} = {quoted(text)}" for key in keys), *lines]))
    in_this_process("spacefmu build craft.toml -p host -o craft.fmu")
    found = fmpy.read_model_description("craft.fmu")
    for key in keys:
        assert getattr(found, key).split() == text.split()  # white space of an attribute is blanks
    in_this_process("spacefmu simulate craft.fmu --stop 0.1")
    assert not list(tmp_path.rglob("*evil*"))


@pytest.mark.parametrize("code", CODE, ids=ascii)
def test_names_are_never_code(code):
    with pytest.raises(DescriptionError, match="name"):
        load_text(TEXT.replace('name = "HingedPanel"', f"name = {quoted(code)}", 1))
    with pytest.raises(DescriptionError):
        load_text(TEXT.replace("[bodies.panel", f"[bodies.{quoted(code)}"))
