"""Files that are cut off, mangled or made to do harm, in every format: read whole or refused in one sentence, whatever the bytes."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.modes.formats import FileOptions
from spacefmu.dynamics.modes.load import Wanted, load
from spacefmu.dynamics.modes.select import Selection
from spacefmu.dynamics.modes.units import SETS
from tests.modes.bodies import plate
from tests.modes.test_flex42 import flex_text, nodes_text
from tests.modes.test_nastran import superelement, write_modes  # noqa: F401  a fixture
from tests.modes.test_sid import sid_text

SI, MM = SETS["SI"], SETS["mm-t-s"]
FORMATS = {
    "frd": ("frd", "dat", "inp"),
    "sti": ("sti", "mas", "dof", "inp"),
    "op2": ("op2", "bdf"),
    "f06": ("f06", "bdf"),
    "op4": ("op4", "asm", "pch"),
    "SID_FEM": ("SID_FEM",),
    "txt": ("txt",),
}


def made(ending: str, folder: Path, request) -> tuple[Path, Wanted]:
    """A good file of the format with all that is read beside it."""
    if ending in ("frd", "sti"):
        panel, name = request.getfixturevalue("panel"), "modes" if ending == "frd" else "free"
        for kind in FORMATS[ending]:
            (folder / f"body.{kind}").write_bytes((panel.folder / f"{name}.{kind}").read_bytes())
        root = tuple(map(str, panel.root)) if ending == "sti" else None
        return folder / f"body.{ending}", Wanted(FileOptions(MM), root=root, selection=Selection(first=6))
    if ending in ("op2", "f06"):
        return write_modes(folder, ending), Wanted(FileOptions(SI))
    if ending == "op4":
        return request.getfixturevalue("superelement")[0], Wanted(FileOptions(SI), root=("1",))
    path = folder / f"body.{ending}"
    if ending == "txt":
        (folder / "nodes.txt").write_text(nodes_text(plate()))
        path.write_text(flex_text(plate()))
        return path, Wanted(FileOptions(SI, folder / "nodes.txt", 3.0, (0.0, 0.0, 0.0), np.eye(3)))
    path.write_text(sid_text(plate()))
    return path, Wanted(FileOptions(SI))


def mangled(raw: bytes, rng) -> list[bytes]:
    """Cut off, with bytes changed, with a piece lost or said twice, with numbers that are far too large, with another file's bytes."""
    cuts = [raw[: int(len(raw) * share)] for share in (0.03, 0.3, 0.7, 0.97)]
    changed = []
    for _ in range(4):
        bytes_ = np.frombuffer(raw, np.uint8).copy()
        bytes_[rng.integers(len(raw), size=5)] = rng.integers(256, size=5)
        changed.append(bytes_.tobytes())
    a, b = sorted(rng.integers(len(raw), size=2))
    digits = [i for i, byte in enumerate(raw[:20000]) if 48 <= byte <= 57]
    at = digits[int(rng.integers(len(digits)))] if digits else 0
    large = raw[:at] + b"999999999" + raw[at + 9 :]
    return [*cuts, *changed, raw[:a] + raw[b:], raw[:b] + raw[a:], large, b"\x00" * 200, b"PK\x03\x04" + raw[:500]]


@pytest.mark.parametrize("ending", [pytest.param(e, marks=[] if e == "frd" else pytest.mark.slow) for e in FORMATS])
def test_whatever_the_bytes(ending, tmp_path, request):
    """ValueError of one line, or a body: nothing else may come of a file."""
    path, wanted = made(ending, tmp_path, request)
    load(path, wanted)
    said = []
    for kind in FORMATS[ending]:
        target = path.with_suffix(f".{kind}")
        raw, rng = target.read_bytes(), np.random.default_rng(len(kind))
        for bad in mangled(raw, rng):
            target.write_bytes(bad)
            try:
                load(path, wanted)
            except ValueError as error:
                said.append(str(error))
        target.write_bytes(raw)
    assert len(said) > 5
    assert all(words.strip() and "\n" not in words for words in said)


class Harm:
    """Unpickled, it would write a file."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_pickle_is_not_opened(tmp_path):
    """An archive whose arrays are objects is refused, and nothing of it is run."""
    path = tmp_path / "body.npz"
    np.savez(path, nodes=np.array([Harm(tmp_path / "harm")], dtype=object))
    with pytest.raises(ValueError, match=r"pickle|object|lacks|expected") as caught:
        load(path, Wanted(FileOptions()))
    assert "\n" not in str(caught.value)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("nodes.npy", pickle.dumps(Harm(tmp_path / "harm")))
    with pytest.raises(ValueError, match=r"\w") as caught:
        load(path, Wanted(FileOptions()))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "harm").exists()
