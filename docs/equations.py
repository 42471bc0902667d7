"""TeX of the pages → MathML, which browsers show without a script, a font or a network: $`…`$ in a line, ```math in a block, as GitHub has them."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert


def mathml(tex: str, block: bool = False) -> str:
    """An equation as a `math` element; ValueError: something in it is not known, and with that the site is not built."""
    try:
        # GitHub knows `aligned` alone within its blocks, the converter the same by another name
        found = convert(tex.replace("{aligned}", "{align*}"), display="block" if block else "inline")
    except Exception as error:  # it raises what it meets
        raise ValueError(f"an equation can't be read ({type(error).__name__}): {tex.strip()!r}") from error
    if re.search(r"[\\&]", html.unescape(found)):  # commands and tables that it does not know are left as they are
        raise ValueError(f"an equation has a command that is not known: {tex.strip()!r}")
    return found


def blocks(markdown: str) -> str:
    """A page as Markdown, whose blocks of equations are HTML."""
    fence = re.compile(r"^```math\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return fence.sub(lambda found: f'<div class="math">{mathml(found[1].strip(), True)}</div>', markdown)


def lines(page: str) -> str:
    """A page as HTML, whose equations within lines are MathML."""
    return re.sub(r"\$<code>(.*?)</code>\$", lambda found: mathml(html.unescape(found[1])), page, flags=re.DOTALL)
