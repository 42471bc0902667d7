"""Files that CalculiX itself wrote: its matrices, its modes, its effective masses; and the built-in plate."""

import numpy as np
import pytest

from spacefmu.dynamics.bodies.plate import Plate, isotropic, plate_body
from spacefmu.dynamics.modes.calculix import read_frd, read_matrices
from spacefmu.dynamics.modes.clamp import Clamped
from spacefmu.dynamics.modes.formats import FileOptions
from spacefmu.dynamics.modes.load import Wanted, load
from spacefmu.dynamics.modes.select import Selection, effective_masses
from spacefmu.dynamics.modes.units import SETS
from tests.modes import ccx

MM = SETS["mm-t-s"]


def wanted(panel, **keys) -> Wanted:
    return Wanted(FileOptions(MM), places={"tip": tuple(map(str, panel.tip))}, selection=Selection(first=6), **keys)


@pytest.fixture(scope="module")
def from_modes(panel):
    return load(panel.folder / "modes.frd", wanted(panel))


@pytest.fixture(scope="module")
def from_matrices(panel):
    return load(panel.folder / "free.sti", wanted(panel, root=tuple(map(str, panel.root))))


def test_matrices_and_modes_are_of_one_body(from_modes, from_matrices):
    """The .frd file has six digits, CalculiX' shapes are normalized to 0.12 % of our mass matrix (reduced integration)."""
    (modes, tip), (matrices, tip_too) = from_modes, from_matrices
    np.testing.assert_allclose(modes.frequencies, matrices.frequencies, rtol=2e-7)
    assert modes.integrals.mass == pytest.approx(0.4 * 0.15 * 0.008 * 2700.0, rel=1e-12)
    assert matrices.integrals.mass == pytest.approx(modes.integrals.mass, rel=1e-12)
    np.testing.assert_allclose(modes.integrals.inertia, matrices.integrals.inertia, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(effective_masses(modes), effective_masses(matrices), atol=2e-4)
    signs = np.sign(np.einsum("npi,npi->n", modes.translations, matrices.translations))
    np.testing.assert_allclose(signs * tip["tip"].shape, tip_too["tip"].shape, atol=3e-3)
    pair = np.outer(signs, signs)[:, :, None, None]
    np.testing.assert_allclose(pair * modes.integrals.h5, matrices.integrals.h5, atol=3e-3)
    assert matrices.distributed


def test_effective_masses_are_calculix_own(panel):
    """Printed for translations, and for rotations about the origin, which is the root. CalculiX leaves out what clamped nodes carry: 0.04 %."""
    lines = (panel.folder / "modes.dat").read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if "E F F E C T I V E   M O D A L" in line)
    printed = np.array([[float(c) for c in line.split()[1:]] for line in lines[start + 4 : start + 10]])
    structure = read_matrices(panel.folder / "free.sti", MM)
    clamped = Clamped(structure, [structure.names.index(str(node)) for node in panel.root])
    _, shapes = clamped.modes(6)
    free = clamped.free
    coupling = clamped.rigid[free].T @ (clamped.mass[free][:, free] @ shapes[free])
    units = np.array([MM.mass] * 3 + [MM.inertia] * 3)
    np.testing.assert_allclose(coupling.T**2, printed * units, rtol=1e-5, atol=1e-9)


@pytest.mark.slow
def test_the_built_in_plate_is_its_limit(tmp_path):
    """A panel 4 mm thick: the finest mesh is nearer to the thin plate than it is to the mesh before.

    Measured, relative to the plate, for meshes 4 × 2, 8 × 3, 16 × 6: first bending 2.7 %, 1.3 %, 0.58 %; torsion 0.83 %, 0.31 %, −0.39 %;
    second bending 3.6 %, 1.3 %, 0.56 %. (At 8 mm torsion ends at −1.4 %: a thin plate has no shear.)
    """
    bending = 70e9 * 0.004**3 / 12.0 / (1.0 - 0.3**2)
    plate = plate_body(
        "panel", Plate(0.4, 0.15, 0.4 * 0.15 * 0.004 * 2700.0, isotropic(bending, 0.3)), 3, {}, stiffening=False
    )
    found = []
    for cells in ((4, 2, 1), (8, 3, 1), (16, 6, 1)):
        nodes, elements = ccx.brick_mesh(cells, (400.0, 150.0, 4.0), (0.0, -75.0, -2.0))
        ccx.run(tmp_path, "panel", ccx.deck(nodes, elements, clamped=ccx.at(nodes, 0, 0.0)))
        found.append(read_frd(tmp_path / "panel.frd", MM).frequencies[:3])
    coarse, middle, fine = found
    assert np.all(
        np.abs(fine - middle)[[0, 2]] < 0.6 * np.abs(middle - coarse)[[0, 2]]
    )  # bending; torsion passes the plate
    assert np.all(np.abs(fine - plate.frequencies) < np.abs(fine - middle))


def test_files_of_different_runs_are_refused(panel, tmp_path):
    for ending in (".frd", ".inp"):
        (tmp_path / f"modes{ending}").write_bytes((panel.folder / f"modes{ending}").read_bytes())
    (tmp_path / "modes.dat").write_text((panel.folder / "modes.dat").read_text().replace("0.4251", "0.4351"))
    with pytest.raises(ValueError, match="different runs"):
        read_frd(tmp_path / "modes.frd", MM)


@pytest.mark.parametrize(
    ("ending", "change", "words"),
    [
        ("frd", lambda text: text[: len(text) // 2], "truncated"),
        ("frd", lambda text: text.replace("E+01", "E+zz", 1), "expected a number"),
        ("frd", lambda text: "", "truncated"),
        ("frd", lambda text: text.replace(" DISP ", " STRE "), "no displacements"),
        (
            "frd",
            lambda text: text.replace(" -1         1    4    0", " -1         1   10    0", 1),
            "kind qu8, a shell, expected solids",
        ),
        ("inp", lambda text: text.replace("*DENSITY", "*EXPANSION"), "no \\*DENSITY of the material 'ALU'"),
        ("inp", lambda text: text.replace("2.7e-09", "2.9e-09"), "expected 1"),
        ("inp", lambda text: "*INCLUDE, INPUT=../../../etc/passwd\n", "which must be a file in the same folder"),
        ("inp", None, "does not exist"),
    ],
)
def test_damaged_files_get_one_sentence(ending, change, words, panel, tmp_path):
    for kind in ("frd", "dat", "inp"):
        text = (panel.folder / f"modes.{kind}").read_text()
        if kind != ending:
            (tmp_path / f"modes.{kind}").write_text(text)
        elif change is not None:
            (tmp_path / f"modes.{kind}").write_text(change(text))
    with pytest.raises(ValueError, match=words) as caught:
        load(tmp_path / "modes.frd", Wanted(FileOptions(MM)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("ending", "change", "words"),
    [
        ("mas", lambda text: text.replace("1 1 ", "1 x ", 1), "line 1 has"),
        ("sti", lambda text: text + "9999999 1 2.0\n", "outside its 678"),
        ("dof", lambda text: text.replace("1.1", "1.7", 1), "expected NODE.1"),
        ("mas", lambda text: "", "outside its|has entries"),
    ],
)
def test_damaged_matrices_get_one_sentence(ending, change, words, panel, tmp_path):
    for kind in ("sti", "mas", "dof", "inp"):
        text = (panel.folder / f"free.{kind}").read_text()
        (tmp_path / f"free.{kind}").write_text(change(text) if kind == ending else text)
    with pytest.raises(ValueError, match=words):
        read_matrices(tmp_path / "free.sti", MM)


def test_supports_in_the_matrices_are_refused(panel, tmp_path):
    """A clamped model resists rigid motion: its frame would hang on the ground."""
    ccx.run(
        tmp_path,
        "held",
        ccx.deck(panel.nodes, panel.elements, clamped=panel.root, step="*FREQUENCY, SOLVER=MATRIXSTORAGE"),
    )
    with pytest.raises(ValueError, match="resists rigid motion"):
        load(tmp_path / "held.sti", wanted(panel, root=tuple(map(str, panel.tip))))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "give root ="),
        ({"root": ("1",)}, "does not hold the body"),
        ({"root": ("1", "99999")}, "no node '99999'"),
    ],
)
def test_roots_that_hold_nothing(keys, words, panel):
    with pytest.raises(ValueError, match=words):
        load(panel.folder / "free.sti", wanted(panel, **keys))


def test_a_place_of_one_solid_node_has_no_turn(panel):
    with pytest.raises(ValueError, match="give a patch"):
        load(panel.folder / "modes.frd", Wanted(FileOptions(MM), places={"tip": (str(panel.tip[0]),)}))
