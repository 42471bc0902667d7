"""A person's own block as FMUs of both flavours, and what is said when it can't be one."""

from pathlib import Path

import numpy as np
import pytest

from spacefmu.fmu_src import api
from tests.cli.command import in_this_process

NOISY = '''
import numpy as np

from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.blocks.noise import normals
from spacefmu.dynamics.algebra.scalar import where
from spacefmu.dynamics.system.signals import Signal


class Noisy(Block):
    """Arrays, a name with dots, seeded noise."""

    inputs = (Signal("hub.rate", "true rate", "rad/s", (0.1, 0.2, 0.3)),)
    parameters = (Signal("limit", "of the reading", "rad/s", 0.25),)
    sampled = (Signal("held", "last", "rad/s", (0.0, 0.0, 0.0)),)
    outputs = (Signal("rate", "measured", "rad/s", (0.0, 0.0, 0.0), sampled=True),)
    sample_time = 0.1

    def sample(self, now):
        read = now["hub.rate"] + 1e-3 * normals(11, now.tick, 3)
        return {"held": where(read[2] > now.limit, 0.5 * read, read)}

    def results(self, now):
        return {"rate": now.held}
'''


@pytest.fixture
def block(tmp_path):
    def write(text=NOISY):
        path = tmp_path / "noisy.py"
        path.write_text(text)
        return path

    return write


def test_both_flavours_draw_the_same_numbers(block, tmp_path):
    runs = [
        api.simulate(api.build(block(), tmp_path / f"{flavour}.fmu", flavour=flavour), stop=1.0, step=0.1)
        for flavour in ("native", "python")
    ]
    assert np.array_equal(runs[0]["rate"], runs[1]["rate"])
    assert runs[0]["rate"].mean(axis=0) == pytest.approx([0.05, 0.1, 0.15], abs=1e-3)  # halved: above the limit
    assert len(np.unique(runs[0]["rate"][:, 0])) > 8


def test_what_is_no_equation_is_refused_with_its_line(block, tmp_path):
    branching = NOISY.replace("        read =", "        if now.limit > 1.0:\n            pass\n        read =")
    path = block(branching)
    line = 1 + branching.splitlines().index("        if now.limit > 1.0:")
    with pytest.raises(ValueError, match=rf"noisy\.py, line {line}: 'if now.limit > 1.0:'.*--flavour python"):
        api.build(path, tmp_path / "own.fmu")
    assert api.build(path, tmp_path / "own.fmu", flavour="python").exists()


def test_an_error_inside_is_called_theirs(block, tmp_path):
    with pytest.raises(ValueError, match=r"noisy\.py, line \d+: .*ZeroDivisionError"):
        api.build(block(NOISY.replace("1e-3 * normals", "1 / 0 * normals")), tmp_path / "own.fmu")
    with pytest.raises(ValueError, match=r"noisy\.py, line 2: .*invalid syntax"):
        api.build(block("\nclass : pass"), tmp_path / "own.fmu")


@pytest.mark.parametrize("typed", ["noisy.py", "./noisy.py", "../{folder}/noisy.py", "link.py", "{absolute}"])
def test_file_and_line_are_named_however_the_path_is_typed(block, tmp_path, monkeypatch, capfd, typed):
    """As docs/python_fmu.md has it: `spacefmu build noisy.py`, in the block's own folder."""
    text = NOISY.replace("1e-3 * normals", "1 / 0 * normals")
    (tmp_path / "link.py").symlink_to(block(text))
    monkeypatch.chdir(tmp_path)
    path = typed.format(folder=tmp_path.name, absolute=tmp_path / "noisy.py")
    in_this_process(f"spacefmu build {path} -o own.fmu", code=2)
    line = 1 + next(at for at, words in enumerate(text.splitlines()) if "1 / 0" in words)
    assert f"{Path(path).name}, line {line}: " in (said := capfd.readouterr().err)
    assert "ZeroDivisionError: division by zero" in said
