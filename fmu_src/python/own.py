"""A user's block, from its Python file: a class derived from spacefmu.dynamics.blocks.block.Block."""

from __future__ import annotations

import importlib.util
import linecache
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.contract import System


@dataclass(frozen=True)
class OwnBlock:
    """The System of the block, the text of its module, the name of its class."""

    system: System
    text: str
    class_name: str


def read_block(path: Path | str) -> OwnBlock:
    """The one block in a Python file, tried once at its start values. ValueError if there is not exactly one."""
    path = Path(path)
    text = path.read_text("utf-8")
    spec = importlib.util.spec_from_file_location(f"own_block_{path.stem}", path)
    assert spec is not None  # a path that ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with theirs(path):
        try:
            spec.loader.exec_module(module)
        except ModuleNotFoundError as error:
            _say_renamed(error)
            raise
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Block) and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        names = ", ".join(each.__name__ for each in found) or "none"
        raise ValueError(f"{path}: expected one class derived from Block, found {names}")
    with theirs(path):
        system = found[0]().system()
        x, u, k, d = evaluate.start(system)
        evaluate.motion(system, 0.0, x, u, k, d)
    return OwnBlock(system, text, found[0].__name__)


_ROOMS = {
    **dict.fromkeys(("scalar", "dual", "rotation", "newton"), "algebra"),
    **dict.fromkeys(("signals", "pieces", "evaluate", "recording", "reference", "fold"), "system"),
}


def _say_renamed(error: ModuleNotFoundError) -> None:
    """For a module that has moved in 0.2.0, the error names its new place (docs/moving.md)."""
    old = error.name or ""
    package, _, module = old.rpartition(".")
    if old.partition(".")[0] in ("dynamics", "fmu_src"):
        error.msg = f"since spacefmu 0.2.0, {old} is spacefmu.{old}: change the import"
    elif package == "spacefmu.dynamics" and module in _ROOMS:
        error.msg = f"since spacefmu 0.2.0, {old} is {package}.{_ROOMS[module]}.{module}: change the import"


@contextmanager
def theirs(path: Path | str, advice: str = "") -> Iterator[None]:
    """An error inside the user's file becomes a ValueError with its line. advice: a remedy for code that is not an equation."""
    try:
        yield
    except SyntaxError as error:
        raise ValueError(f"{path}, line {error.lineno}: {error.msg}") from error
    except Exception as error:
        file = Path(path).resolve()  # Python's frames have absolute paths
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).resolve() == file]
        if not own:
            raise
        line = linecache.getline(own[-1].filename, own[-1].lineno or 0).strip()
        raise ValueError(f"{path}, line {own[-1].lineno}: {line!r}: {type(error).__name__}: {error}{advice}") from error


NO_EQUATION = "; a native FMU needs equations: write it with where, maximum, both of spacefmu.dynamics.algebra.scalar, or build it with --flavour python"


@dataclass(frozen=True)
class Anything:
    """Dependencies of a block in plain Python: they are unknown, so everything may depend on everything."""

    system: System

    def _rows(self, count: int, *groups: str) -> list[list[str]]:
        names = [signal.name for group in groups for signal in getattr(self.system.signals, group)]
        return [["time", *names]] * count

    @property
    def derivatives(self):
        return self._rows(self.system.nx, "states", "inputs")

    @property
    def outputs(self):
        return self._rows(self.system.ny, "states", "inputs")

    @property
    def initial_states(self):
        return self._rows(self.system.nx, "states")

    @property
    def initial_derivatives(self):
        return self._rows(self.system.nx, "states", "inputs", "parameters", "discretes")

    @property
    def initial_outputs(self):
        return self._rows(self.system.ny, "states", "inputs", "parameters", "discretes")

    @property
    def initial_discretes(self):
        return self._rows(self.system.nd, "states", "inputs", "parameters", "discretes")
