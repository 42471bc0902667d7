"""Equations of the pages: TeX as GitHub shows it becomes MathML, which a browser shows by itself."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from docs.equations import blocks, lines, mathml


def shape(tex: str) -> str:
    """The elements and texts of an equation as nested brackets, attributes left out."""

    def told(element) -> str:
        return f"{element.tag}({(element.text or '') + ' '.join(map(told, element))})"

    return told(ElementTree.fromstring(mathml(tex))[0])


@pytest.mark.parametrize(
    "tex, expected",
    [
        (r"\dot\omega_i", "mrow(msub(mover(mi(ω) mo(˙)) mi(i)))"),
        (r"r_i^{12}", "mrow(msubsup(mi(r) mi(i) mrow(mn(12))))"),
        (r"r^T_i", "mrow(msubsup(mi(r) mi(i) mi(T)))"),  # TeX takes them in either order
        (r"\sum_j S_j", "mrow(munder(mo(∑) mi(j)) msub(mi(S) mi(j)))"),
        (r"\cos^2\theta", "mrow(msup(mi(cos) mn(2)) mspace() mi(θ))"),
        (r"\frac{1}{l^2} - 2\Lambda", "mrow(mfrac(mrow(mn(1)) mrow(msup(mi(l) mn(2)))) mo(−) mn(2) mi(Λ))"),
        (r"\left[ a \right]", "mrow(mrow(mo([) mi(a) mo(])))"),
        (r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}", "mrow(mrow(mo([) mtable(mtr(mtd(mrow(mi(a))) mtd(mrow(mi(b)))) mtr(mtd(mrow(mi(c))) mtd(mrow(mi(d))))) mo(])))"),
        (r"\text{a < b}", "mrow(mtext(a\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}b))"),
    ],
)  # fmt: skip
def test_tex_becomes_mathml(tex, expected):
    assert shape(tex) == expected


@pytest.mark.parametrize(
    "tex", [r"\unheard x", "{a", "a & b", r"\left( a", r"\begin{cases} a \end{cases}", "a }", r"\frac{1}"]
)
def test_what_is_not_known_is_refused_with_the_equation(tex):
    with pytest.raises(ValueError, match=re.escape(repr(tex))):
        mathml(tex)


def test_equations_of_a_page():
    assert (
        blocks("a\n```math\nx\n```\nb")
        == 'a\n<div class="math"><math display="block"><mrow><mi>x</mi></mrow></math></div>\nb'
    )
    assert lines("<p>$<code>x &lt; y</code>$ and <code>$5</code></p>").startswith(
        '<p><math display="inline"><mrow><mi>x</mi><mo stretchy="false">&lt;'
    )


def test_no_tex_is_left_in_the_site(site):
    found = 0
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        found += text.count("<math ")
        assert not re.search(r"\$<code>|<code>[^<]*\\(?:frac|dot|sum|begin)", text), page.name
    assert found > 150
