"""Equations of the pages: TeX as GitHub shows it becomes MathML, which a browser shows by itself."""

from __future__ import annotations

import re

import pytest

from docs.equations import blocks, lines, mathml


@pytest.mark.parametrize("tex", [r"\unheard x", r"\left( a", "x^2^3", r"\begin{gather} a & b \end{gather}"])
def test_what_is_not_known_is_refused_with_the_equation(tex):
    with pytest.raises(ValueError, match=re.escape(repr(tex))):
        mathml(tex)


def test_equations_of_a_page():
    block = blocks("a\n```math\n\\dot x\n```\nb")
    assert re.fullmatch(r'a\n<div class="math"><math [^>]*display="block".*</math></div>\nb', block)
    assert "<mover><mi>x</mi>" in block
    line = lines("<p>$<code>x &lt; y</code>$ and <code>$5</code></p>")
    assert re.fullmatch(r'<p><math [^>]*display="inline">.*&(lt|#x0003C);.*</math> and <code>\$5</code></p>', line)


def test_no_tex_is_left_in_the_site(site):
    found = 0
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        found += text.count("<math ")
        assert not re.search(r"\$<code>|<code>[^<]*\\(?:frac|dot|sum|begin)", text), page.name
    assert found > 150
