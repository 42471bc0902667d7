"""Nastran's files as pyyeti reads them: the one module that needs the extra spacefmu[nastran].

pyyeti's readers run nothing from a file; includes are not followed, so only the named files are opened. (pyNastran requires numpy < 2,
which spacefmu does not support; pyyeti reads every Nastran format.)
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

from .text import LARGEST

MISSING = "requires the package pyyeti; pip install 'spacefmu[nastran]'"


@contextmanager
def _reading(path: Path, what: str):
    """Converts any exception of pyyeti for a damaged file to one sentence."""
    if not path.is_file():
        raise ValueError(f"requires {path.name} in the same folder, where it does not exist")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path.name} has {path.stat().st_size / 1e9:.1f} GB, expected at most {LARGEST / 1e9:g}")
    try:
        yield
    except ImportError:
        raise ValueError(MISSING) from None
    except ValueError as error:
        if "expected" in str(error):  # a sentence of spacefmu
            raise
        raise ValueError(
            f"{path.name} can't be read as {what}: it is damaged, or another kind of file ({_short(error)})"
        ) from None
    except Exception as error:  # of a dozen kinds, with the words of its authors
        raise ValueError(
            f"{path.name} can't be read as {what}: it is damaged, or another kind of file ({_short(error)})"
        ) from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__


@dataclass(frozen=True)
class Grids:
    """Degrees of freedom in the order of matrices: id (n,), component (n,) 0 … 5, −1 for scalar points; places {id: (3,)} in the
    basic system, and axes {id: (3, 3)}, rows the displacement axes of the grid in the basic system."""

    ids: np.ndarray
    components: np.ndarray
    places: dict[int, np.ndarray]
    axes: dict[int, np.ndarray]


def matrices(path: Path) -> dict[str, np.ndarray]:
    """All matrices of an OP4 file, dense, names in lower case."""
    with _reading(path, "an OP4 file"):
        from pyyeti.nastran import op4

        found = op4.read(str(path))
        return {
            str(name).lower(): np.asarray(getattr(m, "toarray", lambda m=m: m)(), float) for name, m in found.items()
        }


def assembly(path: Path) -> Grids:
    """Boundary grids and generalized coordinates of an .asm file, trimmed by EXTRN of the .pch file beside it."""
    with _reading(path, "the .asm file of an external superelement"):
        from pyyeti.nastran import bulk

        punched = "pv_only" if path.with_suffix(".pch").is_file() else False
        uset, _, _, *kept = bulk.asm2uset(str(path), try_rdextrn=punched, follow_includes=False, encoding="latin-1")
        return _grids(uset, *kept)


def _grids(uset, kept=None) -> Grids:
    """Places and displacement axes from a USET table of pyyeti: rigid motion about the origin has the axes in its rows."""
    from pyyeti.nastran import n2p

    ids, dofs = (np.array(level) for level in zip(*uset.index, strict=True))
    motion = n2p.rbgeom_uset(uset)
    places, axes = {}, {}
    for start in np.flatnonzero(dofs == 1):
        places[int(ids[start])] = np.asarray(uset.iloc[start, 1:4], float)
        axes[int(ids[start])] = motion[start : start + 3, :3]
    chosen = np.arange(len(ids)) if kept is None else np.flatnonzero(kept)
    return Grids(ids[chosen], dofs[chosen] - 1, places, axes)


def recovered_rows(path: Path) -> np.ndarray | None:
    """(id, component) of the rows of MUG1, from DTI TUG1 of a .pch file; None where there is none."""
    with _reading(path, "the .pch file of an external superelement"):
        from pyyeti.nastran import bulk

        text = path.read_text(encoding="latin-1")
        if "TUG1" not in text:
            return None
        table = np.asarray(bulk.rddtipch(str(path), "TUG1"), int)
        return np.column_stack([table[:, 0], table[:, 1] - 1])


def bulk_grids(path: Path) -> Grids:
    """Grids of a bulk data file, six degrees of freedom each."""
    with _reading(path, "bulk data"):
        from pyyeti.nastran import bulk

        return _grids(bulk.bulk2uset(StringIO(_flat(path)), follow_includes=False)[0])


def dmig(path: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """{name: (id and component (n, 2), matrix (n, n))} of the square DMIG entries of a bulk data file."""
    with _reading(path, "bulk data with DMIG"):
        from pyyeti.nastran import bulk

        found = bulk.rddmig(str(path), square=True, follow_includes=False, encoding="latin-1")
        return {
            name.lower(): (np.array([(i, max(d - 1, -1)) for i, d in frame.index]), frame.to_numpy(float))
            for name, frame in found.items()
            if frame.shape[0] == frame.shape[1]
        }


def _flat(path: Path, depth: int = 0) -> str:
    """Bulk data with its includes, which may lie in its own folder and below."""
    found = []
    for line in path.read_text(encoding="latin-1").splitlines():
        words = line.split()
        if words and words[0].upper() == "INCLUDE":
            name = line.strip()[len("INCLUDE") :].strip().strip("'\"")
            target = (path.parent / name).resolve()
            if depth > 8 or not target.is_relative_to(path.parent.resolve()) or not target.is_file():
                raise ValueError(f"includes {name!r}, which must be a file in the same folder")
            found.append(_flat(target, depth + 1))
        else:
            found.append(line)
    return "\n".join(found) + "\n"


def bulk_cards(path: Path):
    """Name → all cards of exactly that name, as lists of fields."""
    with _reading(path, "bulk data"):
        from pyyeti.nastran import bulk

        text = _flat(path)

    def cards(name: str) -> list[list]:
        with _reading(path, f"bulk data ({name})"):
            # a pattern, so that PBAR finds PBARL (sections by name) and CBAR does not find CBARAO
            pattern = rf"{name}[L*]?[ ,\t*]" if name in ("PBAR", "PBEAM") else rf"{name}[ ,\t*]"
            return bulk.rdcards(
                StringIO(text), pattern, regex=True, return_var="list", no_data_return=[], follow_includes=False
            )

    return cards


def eigenvectors(path: Path) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Grids (P,), frequencies (N,) [1/time] and shapes (N, P, 6), in the grids' displacement axes, of an OP2 file."""
    with _reading(path, "an OP2 file"):
        from pyyeti.nastran import op2

        with op2.OP2(str(path)) as file:
            names = [name for name in file.dbnames if name.startswith(("OUGV1", "OUG1", "BOPHIG", "OPHIG"))]
            table = file.rdop2oug(names[0]) if names else None
    if table is None or table.shape[1] == 0:
        raise ValueError("has no displacements (OUGV1), expected SOL 103 with DISP = ALL and PARAM, POST, -1")
    with _reading(path, "an OP2 file"):
        grids = table[np.isin(table.index.get_level_values(1), range(1, 7))]
        ids = list(dict.fromkeys(int(node) for node in grids.index.get_level_values(0)))
        values = grids.to_numpy()
        if np.iscomplexobj(values) or len(values) != 6 * len(ids) or not np.all(np.isfinite(values)):
            raise ValueError("expected real displacements of six components a grid")
        frequencies = np.array([float(column[1]) for column in grids.columns])
        return ids, frequencies, values.astype(float).reshape(len(ids), 6, -1).transpose(2, 0, 1)


def weighed(path: Path) -> tuple[float, np.ndarray] | None:
    """Mass, and moments of inertia about the mass centre (3,), of the grid point weight generator, in the file's units, or None."""
    with _reading(path, "an OP2 file"):
        from pyyeti.nastran import op2

        with op2.OP2(str(path)) as file:
            found = file.rdop2gpwg() if "OGPWG" in file.dbnames else None
            return None if found is None else (float(found["mass"]), np.diag(found["Is"]).astype(float))
