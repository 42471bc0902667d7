"""The word list of STYLE.md: nothing of it stands in the project, and what would is found."""

from __future__ import annotations

from docs.words import PHRASES, found


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
