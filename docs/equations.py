"""TeX of the pages → MathML, which browsers show without a script, a font or a network: $`…`$ in a line, ```math in a block, as GitHub has them.

Only what equations here need; what is not known is an error, and with it the build of the site.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable

WAYS = ("inline", "block")
TOKEN = re.compile(r"\\(?:text|mathrm|operatorname|begin|end)\{[^}]*\}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S", re.DOTALL)
SYMBOLS = {
    "times": "×", "cdot": "·", "partial": "∂", "int": "∫", "sum": "∑", "ldots": "…", "otimes": "⊗",
}  # fmt: skip
SPACES = {",": 0.17, ";": 0.28, "quad": 1.0, "qquad": 2.0}  # [em]
ACCENTS = {"dot": "˙", "ddot": "¨", "tilde": "˜", "hat": "ˆ", "bar": "¯", "mathring": "˚"}
GREEK = {"lambda": "LAMDA", "Lambda": "LAMDA"}  # as Unicode spells them
FUNCTIONS = ("sin", "cos", "exp", "max")
FENCES = {"matrix": ("", ""), "bmatrix": ("[", "]"), "pmatrix": ("(", ")"), "aligned": ("", "")}


def mathml(tex: str, block: bool = False) -> str:
    """An equation as a `math` element; ValueError: something in it is not known."""
    try:
        inside = "".join(_Reader(TOKEN.findall(tex)).row())
    except (KeyError, IndexError) as error:
        raise ValueError(f"an equation has {error}, which docs/equations.py does not know: {tex.strip()!r}") from error
    return f'<math display="{WAYS[block]}"><mrow>{inside}</mrow></math>'


def blocks(markdown: str) -> str:
    """A page as Markdown, whose blocks of equations are HTML."""
    fence = re.compile(r"^```math\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return fence.sub(lambda found: f'<div class="math">{mathml(found[1], True)}</div>', markdown)


def lines(page: str) -> str:
    """A page as HTML, whose equations within lines are MathML."""
    return re.sub(r"\$<code>(.*?)</code>\$", lambda found: mathml(html.unescape(found[1])), page, flags=re.DOTALL)


class _Reader:
    """Reads tokens from left to right; every method gives the MathML of what it has read."""

    def __init__(self, tokens: list[str]):
        self.tokens = tokens[::-1]

    def row(self, *ends: str) -> list[str]:
        """Until one of the ends, which is read too; without ends, all of it."""
        parts: list[str] = []
        while self.tokens and self.tokens[-1] not in ends:
            parts.append(self.scripted())
        if ends:
            self.last = self.tokens.pop()
        return parts

    def scripted(self) -> str:
        behind = '<mspace width="0.17em"/>' if self.tokens[-1][1:] in FUNCTIONS else ""
        base = self.atom()
        found: dict[str, str] = {}
        while self.tokens and self.tokens[-1] in "_^":
            sign = self.tokens.pop()
            found[sign] = self.atom()
        if not found:
            return base + behind
        limits = "∑" in base
        name = {"_": ("munder", "msub"), "^": ("mover", "msup"), "_^": ("munderover", "msubsup")}["".join(sorted(found, reverse=True))][not limits]  # fmt: skip
        return f"<{name}>{base}{''.join(found[sign] for sign in '_^' if sign in found)}</{name}>{behind}"

    def atom(self) -> str:
        token = self.tokens.pop()
        if token == "{":
            return f"<mrow>{''.join(self.row('}'))}</mrow>"
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in "&}_^":
            raise KeyError(token)
        return f'<mo stretchy="false">{html.escape({"-": "−", "*": "∗"}.get(token, token))}</mo>'

    def command(self, name: str) -> str:
        name, _, words = name.partition("{")
        if words:
            return self.worded(name, words.removesuffix("}"))
        if name in self.special():
            return self.special()[name]()
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}em"/>'
        if name in ACCENTS:
            return f'<mover accent="true">{self.atom()}<mo stretchy="false">{ACCENTS[name]}</mo></mover>'
        if name in FUNCTIONS:
            return f'<mi mathvariant="normal">{name}</mi>'
        if name in SYMBOLS:
            return f"<mo>{html.escape(SYMBOLS[name])}</mo>"
        size = "CAPITAL" if name[0].isupper() else "SMALL"
        return f"<mi>{unicodedata.lookup(f'GREEK {size} LETTER {GREEK.get(name, name.upper())}')}</mi>"

    def special(self) -> dict[str, Callable[[], str]]:
        """Commands with arguments of their own."""
        return {
            "frac": lambda: f"<mfrac>{self.atom()}{self.atom()}</mfrac>",
            "sqrt": lambda: f"<msqrt>{self.atom()}</msqrt>",
            "widetilde": lambda: f'<mover accent="true">{self.atom()}<mo>~</mo></mover>',
            "left": self.fenced,
        }

    def worded(self, name: str, words: str) -> str:
        """Commands whose argument is a word."""
        if name == "begin":
            return self.table(words)
        words = html.escape(words).replace(" ", "\N{NO-BREAK SPACE}")
        return f"<mtext>{words}</mtext>" if name == "text" else f'<mi mathvariant="normal">{words}</mi>'

    def fenced(self) -> str:
        left = self.tokens.pop()
        inside = "".join(self.row("\\right"))
        return f"<mrow><mo>{left}</mo>{inside}<mo>{self.tokens.pop()}</mo></mrow>"

    def table(self, name: str) -> str:
        """Cells between & and \\\\; of `aligned` columns are alternately right and left (extra.css)."""
        left, right = FENCES[name]
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append("".join(self.row("&", "\\\\", f"\\end{{{name}}}")))
            if self.last.startswith("\\end"):
                break
            if self.last == "\\\\":
                rows.append([])
        cells = ("".join(f"<mtd><mrow>{cell}</mrow></mtd>" for cell in row) for row in rows)
        body = "".join(f"<mtr>{row}</mtr>" for row in cells)
        table = f'<mtable class="{name}">{body}</mtable>'
        return f"<mrow><mo>{left}</mo>{table}<mo>{right}</mo></mrow>" if left else table
