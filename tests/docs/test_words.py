"""The word list of STYLE.md: nothing of it stands in the project, and what would is found."""

from __future__ import annotations

from docs.words import PHRASES, found, long_paragraphs, repeated_classes


def test_nothing_of_the_list_is_used():
    assert found() == []


def test_what_is_used_is_found_with_its_line(tmp_path):
    """Also over the end of a line, and in capitals."""
    (tmp_path / "README.md").write_text("# Title\n\nA fine text, one\nan axis.\nTurns a minute.\n")
    assert found(tmp_path) == [
        "README.md:3: 'one an axis'; write 'one per axis' (STYLE.md)",
        "README.md:5: 'turns a minute'; write 'rpm' (STYLE.md)",
    ]
    assert len(PHRASES) >= 20


def test_a_class_name_has_one_meaning(tmp_path):
    (tmp_path / "dynamics").mkdir()
    (tmp_path / "dynamics" / "joints.py").write_text("class Kind:\n    pass\n")
    assert repeated_classes(tmp_path) == []
    (tmp_path / "fmu_src").mkdir()
    (tmp_path / "fmu_src" / "pages.py").write_text("def f():\n    class Kind:\n        pass\n")
    assert repeated_classes(tmp_path) == [
        "fmu_src/pages.py:2: class Kind is also in dynamics/joints.py:1; one name has one meaning"
    ]
    assert repeated_classes() == []


def test_paragraphs_are_short(tmp_path):
    """Code, tables and items of lists are no part of a paragraph."""
    text = "x " * 299
    (tmp_path / "README.md").write_text(
        f"{text}\n\n- {text}\n- {text}\n\n| {text} | {text} |\n\n```\n{text * 3}\n```\n"
    )
    assert long_paragraphs(tmp_path) == []
    (tmp_path / "README.md").write_text(f"{text}{text}\n")
    (sentence,) = long_paragraphs(tmp_path)
    assert sentence.startswith("README.md: 'x x x")
    assert sentence.endswith("has 1197 characters, at most 600")
    assert long_paragraphs() == []
