"""The word list of STYLE.md: no phrase of it is in the project, and new ones are found; so are long paragraphs, skipped headings, pictures without text."""

from __future__ import annotations

import pytest

from docs.words import (
    PATTERNS,
    PHRASES,
    found,
    lists_in_paragraphs,
    long_paragraphs,
    misplaced_headings,
    pictures_without_text,
    repeated_classes,
)


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


@pytest.mark.parametrize(
    "text, bad",
    [
        ("A table with one row a run.", "one row a run"),
        ("This file is no SSP, and goes.", "is no ssp"),
        ("The FMU tells of its events.", "tells of"),
        ("An error that is judged by order 3.", "judged by"),
        ("Results until\nthen are kept.", "until then"),
        ("FMUs of ours need nothing.", "fmus of ours"),
        ("Two vectors square to it.", "square to"),
        ("Views show it, too.", ", too"),
        ("A person who writes it.", "a person who"),
    ],
)
def test_patterns_are_found(text, bad, tmp_path):
    (tmp_path / "README.md").write_text(f"# Title\n\n{text}\n")
    (sentence,) = found(tmp_path)
    assert sentence.startswith(f"README.md:3: {bad!r}; write ")


def test_plain_words_pass(tmp_path):
    (tmp_path / "README.md").write_text(
        "# Title\n\nThere is no file, too large or not. One case is a row of the table; the square to the right; it believes, and tells.\n"
    )
    assert found(tmp_path) == ["README.md:3: 'square to'; write 'perpendicular to, orthogonal to' (STYLE.md)"]
    assert len(PATTERNS) >= 20


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


def test_headings_are_in_order(tmp_path):
    (tmp_path / "README.md").write_text("# Title\n\n## Part\n\n```sh\n# a comment\n```\n\n### Piece\n\n## Part\n")
    assert misplaced_headings(tmp_path) == []
    (tmp_path / "README.md").write_text("# Title\n\n### Piece\n")
    assert misplaced_headings(tmp_path) == ["README.md: the heading 'Piece' of level 3 follows one of level 1"]
    (tmp_path / "README.md").write_text("## Part\n")
    assert misplaced_headings(tmp_path) == ["README.md: a page has one heading of level 1, at its top"]
    assert misplaced_headings() == []


def test_pictures_have_texts(tmp_path):
    (tmp_path / "README.md").write_text("# Title\n\n![A slew](a.png) ![](b.png)\n")
    assert pictures_without_text(tmp_path) == ["README.md: the picture b.png has no text"]
    assert pictures_without_text() == []


def test_lists_are_apart_from_paragraphs(tmp_path):
    (tmp_path / "README.md").write_text("# Title\n\nThese:\n\n- one\n- two\n\n```\ntext\n- code\n```\n")
    assert lists_in_paragraphs(tmp_path) == []
    (tmp_path / "README.md").write_text("# Title\n\nThese:\n- one\n- two\n")
    assert lists_in_paragraphs(tmp_path) == ["README.md: an empty line is missing above the list '- one'"]
    assert lists_in_paragraphs() == []
