"""Geometric stiffness from files: CalculiX's matrices under loads against its own frequencies and the built-in beam, Nastran's forms against a frame program."""

from __future__ import annotations

import numpy as np
import pytest
from pyyeti.nastran import op4
from scipy.linalg import eigh

from spacefmu.dynamics.bodies.beam import Beam, beam_body
from spacefmu.dynamics.bodies.geometric import Loading
from spacefmu.dynamics.description import DescriptionError, load
from spacefmu.dynamics.modes.formats import FileOptions
from spacefmu.dynamics.modes.load import Wanted
from spacefmu.dynamics.modes.load import load as load_body
from spacefmu.dynamics.modes.preload import PreloadRun
from spacefmu.dynamics.modes.select import Selection
from spacefmu.dynamics.modes.units import SETS, Units
from tests.flexible.test_lines import stiffness_under
from tests.modes import ccx, frames
from tests.modes.nastran_files import grid_cards, write_dmig, write_superelement

MM = SETS["mm-t-s"]
LENGTH, HUB, SPEED = 0.4, 0.1, 300.0  # [m], from the axis to the root [m], [rad/s]
CENTRIF = "EALL, CENTRIF, {square}, {x}, 0., 0., {axis}"
LOADS = {
    "pulled": "EALL, GRAV, 1e4, 1., 0., 0.",
    "aside": "EALL, GRAV, 1e4, 0., 1., 0.",
    "spun": CENTRIF.format(square=1e4, x=0.0, axis="0., 0., 1."),
}
AT_SPEED = CENTRIF.format(square=SPEED**2, x=-1e3 * HUB, axis="0., 0., 2.")


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    """The folder with CalculiX's runs of a bar of 400 × 20 × 10 mm along x: free, under each load, and its frequencies at speed on a hub."""
    folder = tmp_path_factory.mktemp("bar")
    nodes, elements = ccx.brick_mesh((10, 1, 1), (400.0, 20.0, 10.0), (0.0, -10.0, -5.0))
    root = ccx.at(nodes, 0, 0.0)
    store = "*FREQUENCY, SOLVER=MATRIXSTORAGE"
    ccx.run(folder, "free", ccx.deck(nodes, elements, kind="C3D20", step=store, modes=1))

    def loaded(load, step, modes):
        before, after = ccx.deck(nodes, elements, clamped=root, kind="C3D20", step=step, modes=modes).split("*STEP\n")
        return before + f"*STEP\n*STATIC\n*DLOAD\n{load}\n*END STEP\n*STEP, PERTURBATION\n" + after

    for name, load_ in LOADS.items():
        ccx.run(folder, name, loaded(load_, store, 1))
    ccx.run(folder, "at_speed", loaded(AT_SPEED, "*FREQUENCY", 5))
    (folder / "bar.toml").write_text(BAR.format(root=root, runs=RUNS))
    return folder, tuple(map(str, root))


RUNS = "\n".join(f'[[bodies.bar.geometric_stiffness]]\nfile = "{name}.sti"' for name in LOADS)
BAR = """
name = "Bar"
[bodies.bar]
file = "free.sti"
units = "mm-t-s"
root = {root}
modes = 4
{runs}
"""


def wanted(root, runs, first=30):
    return Wanted(FileOptions(MM), root=root, selection=Selection(first=first), runs=tuple(runs))


def runs(folder):
    return [PreloadRun(Loading(), file=folder / f"{name}.sti") for name in LOADS]


def printed_frequencies(path):
    lines = path.read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if "E I G E N V A L U E   O U T P U T" in line)
    rows = [line.split() for line in lines[start:]]
    return np.array([float(cells[3]) for cells in rows if cells and cells[0].isdigit()][:5])


def test_frequencies_at_speed_are_calculix_own(bar):
    """On a hub of 0.1 m at 300 rad/s, softening counted once: 30 modes with the matrices of other loads against CalculiX's frequencies there.

    Measured 8e-5 (digits of the stored matrices); without geometric stiffness the first two are 34 % and 16 % off.
    """
    folder, root = bar
    body, _ = load_body(folder / "free.sti", wanted(root, runs(folder)))
    spin = np.array([0.0, 0.0, SPEED])
    a = np.array([-(SPEED**2) * HUB, 0.0, 0.0])
    loaded = body.stiffness + stiffness_under(body.integrals, a, np.zeros(3), spin)
    found = np.sqrt(eigh(loaded, body.integrals.modal_mass, eigvals_only=True)[:5]) / (2.0 * np.pi)
    np.testing.assert_allclose(found, printed_frequencies(folder / "at_speed.dat"), rtol=3e-4)


def test_the_bar_stiffens_as_the_built_in_beam(bar):
    """Flapwise and chordwise ω² over Ω² of the first modes: to 1.5 % of the beam, which has no shear and no clamped section. Measured 0.9 %."""
    folder, root = bar
    body, _ = load_body(folder / "free.sti", wanted(root, runs(folder), first=4))
    young, width, height = 70e9, 0.02, 0.01
    beam = Beam(
        LENGTH,
        2700.0 * width * height,
        bending_y=young * height * width**3 / 12,
        bending_z=young * width * height**3 / 12,
    )
    own = beam_body("beam", beam, {"bending_y": 2, "bending_z": 2}, 0.0, {})
    spin, none = np.array([0.0, 0.0, 1.0]), np.zeros(3)

    def per_spin(integrals):
        """∂ω²/∂Ω² of each mode."""
        return np.diag(stiffness_under(integrals, none, none, spin)) / np.diag(integrals.modal_mass)

    np.testing.assert_allclose(per_spin(body.integrals), per_spin(own.integrals_at_build), rtol=0.015, atol=0.015)


def test_a_description_names_the_files(bar):
    folder, _ = bar
    body = load(folder / "bar.toml").made_by[1].tree.links[0].body
    assert body.stiffens
    text = (folder / "bar.toml").read_text()
    (folder / "wrong.toml").write_text(
        text.replace('file = "spun.sti"', 'file = "spun.sti"\nangular_velocity = [0.0, 0.0, 1.0]')
    )
    with pytest.raises(
        DescriptionError, match=r"spun\.sti, which has GRAV or CENTRIF loads in its deck; remove the motion"
    ):
        load(folder / "wrong.toml")


def test_a_run_of_another_mesh_is_refused(bar, tmp_path):
    folder, root = bar
    for ending in ("sti", "mas", "inp", "dof"):
        (tmp_path / f"other.{ending}").write_text((folder / f"spun.{ending}").read_text())
    dof = (tmp_path / "other.dof").read_text().split()
    (tmp_path / "other.dof").write_text("\n".join(["9999.1", *dof[1:]]) + "\n")
    with pytest.raises(
        ValueError, match=r"other\.sti, which lacks the degree of freedom|other\.sti, which has the degree of freedom"
    ):
        load_body(folder / "free.sti", wanted(root, [PreloadRun(Loading(), file=tmp_path / "other.sti")]))


PLACES = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.2, 0.1], [3.0, 0.2, 0.4]])
BARS = [(0, 1), (1, 2), (2, 3)]
GRIDS = [0, 1, 2, 3]


def frame_under(force):
    """Mass, stiffness and what a force (3,) at the last grid adds to the stiffness, of a small boom of bars."""
    mass, stiffness = frames.frame(PLACES, BARS)
    loads = np.zeros((4, 3))
    loads[-1] = force
    axial = frames.tensions(PLACES, BARS, stiffness, loads)
    return mass, stiffness, frames.geometric_stiffness(PLACES, BARS, axial)


FORCE = np.array([2e4, 0.0, 0.0])


def tip_run(path):
    return PreloadRun(Loading(forces={"tip": FORCE}), file=path)


def tip_of(path, run, geometry=None):
    wanted_ = Wanted(FileOptions(Units(), geometry), ("1",), None, {"tip": ("4",)}, Selection(first=6), runs=(run,))
    body, nodes = load_body(path, wanted_)
    return body, nodes["tip"].second @ FORCE


@pytest.mark.parametrize("form", ["added", "whole"])
@pytest.mark.parametrize("kind", ["dmig", "op4"])
def test_nastrans_forms(tmp_path, kind, form):
    """Differential stiffness alone (KDAA, KDGG), and stiffness that has it (KAAX, KXX): −f·H at the tip is the frame program's own, in the modes."""
    mass, stiffness, added = frame_under(FORCE)
    geometry = tmp_path / "boom.bdf"
    geometry.write_text("BEGIN BULK\n" + grid_cards(PLACES) + "\nENDDATA\n")
    if kind == "dmig":
        rows = np.array([[grid + 1, c] for grid in GRIDS for c in range(1, 7)])
        write_dmig(tmp_path / "boom.pch", rows, {"KAAX": stiffness, "MAAX": mass})
        matrices = {"KDGG": added} if form == "added" else {"KAAX": stiffness + added, "MAAX": mass}
        write_dmig(tmp_path / "loaded.pch", rows, matrices)
        base, loaded = tmp_path / "boom.pch", tmp_path / "loaded.pch"
    else:
        write_superelement(tmp_path / "boom.op4", GRIDS, PLACES, mass, stiffness)
        if form == "added":
            op4.write(str(tmp_path / "loaded.op4"), {"kdaa": added})
            (tmp_path / "loaded.asm").write_text((tmp_path / "boom.asm").read_text())
        else:
            write_superelement(tmp_path / "loaded.op4", GRIDS, PLACES, mass, stiffness + added)
        base, loaded = tmp_path / "boom.op4", tmp_path / "loaded.op4"
    body, found = tip_of(base, tip_run(loaded), geometry)
    shapes = body.shapes
    np.testing.assert_allclose(
        -found, shapes.T @ added @ shapes, rtol=0.0, atol=1e-7 * np.abs(added).max() * np.abs(shapes).max() ** 2
    )
    assert np.abs(found).max() > 0.0


def test_differential_stiffness_is_no_body(tmp_path):
    _, _, added = frame_under(FORCE)
    rows = np.array([[grid + 1, c] for grid in GRIDS for c in range(1, 7)])
    write_dmig(tmp_path / "boom.pch", rows, {"KDGG": added})
    (tmp_path / "boom.bdf").write_text("BEGIN BULK\n" + grid_cards(PLACES) + "\nENDDATA\n")
    with pytest.raises(ValueError, match="has only differential stiffness, which belongs to geometric_stiffness"):
        load_body(tmp_path / "boom.pch", Wanted(FileOptions(Units(), tmp_path / "boom.bdf"), ("1",)))
