"""names.h: unique names for everything that the C files of an FMU share, so that several FMUs can be linked into one program.

(The functions of FMI themselves are renamed by the standard's headers, with FMI2_FUNCTION_PREFIX.)
"""

from __future__ import annotations

import re
from pathlib import Path

_DECLARED = re.compile(r"^(?!static |typedef )(?:extern )?[A-Za-z][\w ]*[ *](\w+)(?:\([^;{]*\)|\[\])?;", re.MULTILINE)


def names_header(identifier: str) -> str:
    """Text of names.h for an FMU with this model identifier: a macro for every name that the runtime's headers declare."""
    headers = sorted((Path(__file__).parents[1] / "runtime").rglob("*.h"))
    names = sorted({name for path in headers for name in _DECLARED.findall(path.read_text(encoding="utf-8"))})
    return "".join(f"#define {name} {identifier}_{name}\n" for name in names)
