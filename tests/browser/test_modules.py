"""The pages' scripts are ES modules: each names what it takes from which other, and nothing of them is global.

`make lint-js` holds them to ESLint's rules besides, undeclared names above all; it needs npm.
"""

from __future__ import annotations

import re
from graphlib import TopologicalSorter

import pytest

from spacefmu.fmu_src.view.modules import bundled, policy_hash
from spacefmu.fmu_src.view.page import ENTRY
from tests.browser.test_pages import opened
from tests.cli.command import ROOT

FOLDER = ROOT / "fmu_src/view"
MODULES = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.js")}
IMPORT = re.compile(r'^import \{ ([^}]+) \} from "\./(\w+\.js)";$', re.M)
PAGE_S_OWN = {"view", "THREE", "__THREE__"}  # the only names that a view leaves in its window


def imports(text: str) -> dict[str, set[str]]:
    return {module: set(names.split(", ")) for names, module in IMPORT.findall(text)}


def exports(text: str) -> set[str]:
    """Of `export function f`, `export class C` and `export const a = …, b = …;`."""
    found = set(re.findall(r"^export (?:function|class) (\w+)", text, re.M))
    for declared in re.findall(r"^export const ([^;]*);", text, re.M):
        found |= set(re.findall(r"(?:^|[\])}], )(\w+) = ", declared))
    return found


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_are_exported_and_used(name):
    text = MODULES[name]
    assert text.count("import ") == len(IMPORT.findall(text)), "an import of another form"
    body = IMPORT.sub("", text)
    for module, names in imports(text).items():
        assert names <= exports(MODULES[module]), module
        assert [each for each in names if not re.search(rf"(?<![\w.]){each}\b", body)] == []


def test_every_export_is_imported():
    taken: dict[str, set[str]] = {}
    for text in MODULES.values():
        for module, names in imports(text).items():
            taken.setdefault(module, set()).update(names)
    left = {name: exports(text) - taken.get(name, set()) for name, text in MODULES.items()}
    assert {name: names for name, names in left.items() if names} == {}


def test_no_module_needs_itself():
    order = list(TopologicalSorter({name: imports(text) for name, text in MODULES.items()}).static_order())
    assert order[-1] == ENTRY  # which is the one that is run


def test_nothing_of_them_is_global(browser, tmp_path, hinged_page):
    blank = tmp_path / "blank.html"
    blank.write_text("<!DOCTYPE html><title>blank</title>")
    browser.open(blank)
    before = set(browser.evaluate("Object.getOwnPropertyNames(window)"))
    opened(browser, tmp_path / "view.html", hinged_page)
    assert set(browser.evaluate("Object.getOwnPropertyNames(window)")) - before == PAGE_S_OWN
    names = {name for text in MODULES.values() for name in re.findall(r"^(?:export )?(?:const|let|function|class) (\w+)", text, re.M)}  # fmt: skip
    seen = browser.evaluate(
        f"{sorted(names - PAGE_S_OWN)}.filter((name) => !(eval(`typeof ${{name}}`) === 'undefined' || window[name] instanceof HTMLElement))"
    )
    assert seen == []  # elements are known by their ids


def test_the_text_of_a_module_is_the_file_s_own(hinged_page):
    """What is in the page is what the files have, line by line, but for imports and the word export."""
    for text in MODULES.values():
        body = re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.M)
        missing = [line for line in body.splitlines() if line not in hinged_page]
        assert missing == []


def test_modules_in_one_script_are_what_they_are_apart(browser, tmp_path):
    """Names of one module are not seen in another, and what is not reached from the entry is left out."""
    texts = {
        "first.js": 'import { twice } from "./second.js";\nconst own = 1;\nwindow.found = [own, twice(own), typeof hidden];\n',
        "second.js": "const own = 2, hidden = 3;\nexport function twice(x) { return own * x + 0 * hidden; }\n",
        "other.js": "window.found = null;\n",
    }
    script = bundled("first.js", texts)
    page = tmp_path / "page.html"
    policy = f"default-src 'none'; script-src {policy_hash(script)}"
    page.write_text(
        f'<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="{policy}"><script type="module">{script}</script>'
    )
    browser.open(page)
    browser.wait("window.found")
    assert browser.evaluate("window.found") == [1, 2, "undefined"]
    assert browser.complaints == []
