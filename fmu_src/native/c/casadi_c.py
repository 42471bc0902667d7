"""CasADi's C of functions without what an FMU has no use for: exported wrappers, reflection, sparsity tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import casadi

_FUNCTION = re.compile(
    r"^/\* (?P<name>\w+):[^\n]* \*/\nstatic int (?P<number>casadi_f\d+)\(.*?^\}\n", re.MULTILINE | re.DOTALL
)
_HELPER = re.compile(r"^(?:casadi_real|void) casadi_\w+\(.*?\}\n$\n", re.MULTILINE | re.DOTALL)
_PRODUCT = re.compile(r"^void casadi_mtimes\w*\([^)]*\)")
_TABLE = re.compile(r"^static const casadi_(?:int|real) (?P<name>casadi_\w+)\[\d+\] =\s+\{[^}]*\};\n", re.MULTILINE)
_COMMENT = re.compile(r"^  /\* #\d+: .*?\*/\n", re.MULTILINE | re.DOTALL)

PROLOGUE = """\
#if defined(__clang__)
#define SELDOM __attribute__((optnone, noinline))
#elif defined(__GNUC__)
#define SELDOM __attribute__((optimize("O0"), noinline))
#else
#define SELDOM
#endif
#define casadi_real double
#define casadi_int long long
#define casadi_inf HUGE_VAL
#define CASADI_CAST(type, value) ((type)(value))
"""


# z += x y, or xᵀ y, of dense matrices, by columns: CasADi's own loops go across those of x, and no compiler takes four numbers at once then.
_DENSE_PRODUCT = """\
WITHIN void casadi_mtimes_dense(const casadi_real* x, casadi_int nrow_x, casadi_int ncol_x,
    const casadi_real* y, casadi_int ncol_y, casadi_real* restrict z, casadi_int tr) {
  casadi_int i, j, k;
  for (i=0; i<ncol_y; ++i, y+=tr ? nrow_x : ncol_x, z+=tr ? ncol_x : nrow_x) {
    if (tr) {
      for (j=0; j<ncol_x; ++j) for (k=0; k<nrow_x; ++k) z[j] += x[k + j*nrow_x] * y[k];
      continue;
    }
    for (k=0; k+4<=ncol_x; k+=4) {
      const casadi_real *a=x+k*nrow_x, *b=a+nrow_x, *c=b+nrow_x, *d=c+nrow_x;
      const casadi_real ya=y[k], yb=y[k+1], yc=y[k+2], yd=y[k+3];
      for (j=0; j<nrow_x; ++j) z[j] = z[j] + a[j]*ya + b[j]*yb + c[j]*yc + d[j]*yd;
    }
    for (; k<ncol_x; ++k) for (j=0; j<nrow_x; ++j) z[j] += x[j + k*nrow_x] * y[k];
  }
}

"""


@dataclass(frozen=True)
class Written:
    """C of functions by name, those that they call before them; tables and helpers that all of it needs."""

    functions: dict[str, str]
    shared: list[str]


def written(functions: Sequence[casadi.Function]) -> Written:
    generator = casadi.CodeGenerator("model", {"with_header": False})
    for function in functions:
        generator.add(function)
    text = generator.dump()
    name_of = {match["number"]: match["name"] for match in _FUNCTION.finditer(text)}
    missing = {function.name() for function in functions} - set(name_of.values())
    if missing:
        raise RuntimeError(
            f"CasADi {casadi.CasadiMeta.version()} wrote C in an unexpected form: found no {', '.join(sorted(missing))}"
        )
    bodies = {match["name"]: _COMMENT.sub("", match.group()) for match in _FUNCTION.finditer(text)}
    bodies = {
        name: re.sub(r"\bcasadi_f\d+\b", lambda match: name_of[match.group()], body) for name, body in bodies.items()
    }
    used = {name for body in bodies.values() for name in re.findall(r"\bcasadi_\w+", body)}
    tables = [match.group() for match in _TABLE.finditer(text) if match["name"] in used]
    helpers = [_helper(match.group()) for match in _HELPER.finditer(text)]
    return Written(bodies, [*tables, *helpers])


def _helper(text: str) -> str:
    """CasADi's text of a helper, or ours that does the same."""
    return _DENSE_PRODUCT if text.startswith("void casadi_mtimes_dense(") else "static " + _PRODUCT.sub(_apart, text)


_GIVEN = re.compile(r"\barg\[(\d+)\]\? arg\[\1\]\[")
_GIVEN_END = re.compile(r"(\bgiven\d+\[\d+\]) : 0;")
_LEFT = re.compile(r"if \(res\[(\d+)\]!=0\) res\[\1\]\[")


def unasked(body: str) -> str:
    """C of a function all of whose arguments and results there are: CasADi asks whether, at every entry that is read or left."""
    body = _LEFT.sub(r"left\1[", _GIVEN_END.sub(r"\1;", _GIVEN.sub(r"given\1[", body)))
    given, left = (sorted(set(re.findall(rf"\b{name}(\d+)\[", body)), key=int) for name in ("given", "left"))
    arrays = [f"  const casadi_real *given{i} = arg[{i}];\n" for i in given]
    arrays += [f"  casadi_real *restrict left{i} = res[{i}];\n" for i in left]
    return body.replace(") {\n", ") {\n" + "".join(arrays), 1)


def _apart(head: re.Match) -> str:
    """Results and room of a product of matrices lie apart from its factors: compilers need not store every sum at once."""
    return re.sub(r"casadi_real\* (?=[zw]\b)", "casadi_real* restrict ", head.group())
