"""Nastran's files: superelements, DMIG, and eigenvectors with bulk data, written here and read; damaged ones refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh

from spacefmu.dynamics.algebra.rotation import skew
from spacefmu.dynamics.bodies.integrals import integrals_of_points
from spacefmu.dynamics.modes.clamp import Clamped, modal_body
from spacefmu.dynamics.modes.formats import FileOptions
from spacefmu.dynamics.modes.load import Wanted, flexible_body, load
from spacefmu.dynamics.modes.neutral import Structure
from spacefmu.dynamics.modes.select import Selection
from spacefmu.dynamics.modes.units import SETS
from tests.modes.frames import BARS, PLACES, craig_bampton, frame, lumped_mass
from tests.modes.nastran_files import (
    bar_cards,
    grid_cards,
    turning,
    write_dmig,
    write_f06,
    write_op2,
    write_superelement,
)
from tests.modes.test_coupled import BOUNDARY, MASS, NAMES, STIFFNESS, reduced

SI = SETS["SI"]
MODES = 9


@pytest.fixture
def superelement(tmp_path):
    """The frame with interfaces 1 and 5, the latter in axes of its own, 9 modes, and the displacements of every grid."""
    mass, stiffness, T = craig_bampton(MASS, STIFFNESS, BOUNDARY, MODES)
    C = np.eye(len(mass))
    C[:12, :12] = turning([1], 2)
    damping = 1e-3 * stiffness + 0.4 * mass
    rows = np.array([(p + 1, c + 1) for p in range(len(PLACES)) for c in range(6)])
    local = {"mass": C @ mass @ C.T, "stiffness": C @ stiffness @ C.T, "damping": C @ damping @ C.T}
    path = tmp_path / "boom.op4"
    write_superelement(path, [0, 4], PLACES, **local, turned=[4], mug1=turning([4], len(PLACES)) @ T @ C.T, tug1=rows)
    (tmp_path / "boom.bdf").write_text(grid_cards(PLACES, [4]))
    return path, damping


def test_a_superelement_is_what_was_reduced(superelement):
    path, damping = superelement
    wanted = Wanted(FileOptions(SI, path.with_suffix(".bdf")), root=("1",), places={"end": ("5",), "middle": ("3",)})
    body, nodes = load(path, wanted)
    structure = replace(reduced(MODES), damping=damping)
    clamped = Clamped(structure, [0])
    expected = modal_body(clamped, *clamped.modes())
    np.testing.assert_allclose(body.frequencies, expected.frequencies, rtol=1e-9)
    for key in ("mass", "first", "inertia"):
        np.testing.assert_allclose(getattr(body.integrals, key), getattr(expected.integrals, key), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.abs(body.integrals.s1), np.abs(expected.integrals.s1), atol=1e-8)
    np.testing.assert_allclose(np.diag(body.damping), np.diag(expected.damping), rtol=1e-7)
    # grid 3 is recovered: the transformation of the reduction, applied to the modes
    _, _, T = craig_bampton(MASS, STIFFNESS, BOUNDARY, MODES)
    recovered = (T @ clamped.modes()[1])[12:18]
    found = np.vstack([nodes["middle"].shape, nodes["middle"].turn])
    np.testing.assert_allclose(np.abs(found), np.abs(recovered), atol=1e-7 * np.abs(recovered).max())
    assert not body.distributed


def test_masses_of_its_bulk_data_tell_the_loads_of_spin(superelement):
    """Every grid is recovered, and the bulk data has the masses: h³, h⁴, h⁵ are sums over the points that move with the modes."""
    path, _ = superelement
    geometry = path.with_suffix(".bdf")
    geometry.write_text(geometry.read_text() + bar_cards(BARS, 4e-4, 2700.0))
    body, _ = load(path, Wanted(FileOptions(SI, geometry), root=("1",)))
    assert body.distributed
    masses = np.diag(lumped_mass(PLACES, BARS))[::6]
    order = [int(name) - 1 for name in body.names]
    expected = integrals_of_points(PLACES[order], masses[order], body.translations)
    np.testing.assert_allclose(body.integrals.h5, expected.h5, atol=1e-12)
    np.testing.assert_allclose(body.integrals.h4, expected.h4, atol=1e-12)
    assert any("largest difference" in note for note in body.notes)  # consistent mass there, lumped mass here


def test_its_full_damping_reaches_the_engine(superelement):
    """Rayleigh damping is diagonal in the modes; without its mass part on one coordinate it is not."""
    path, _ = superelement
    body, nodes = load(path, Wanted(FileOptions(SI), root=("1",), places={"end": ("5",)}))
    assert flexible_body("boom", body, nodes).damping_matrix is None
    mixed = np.array(body.damping)
    mixed[0, 1] = mixed[1, 0] = 0.2 * np.sqrt(mixed[0, 0] * mixed[1, 1])
    assert flexible_body("boom", replace(body, damping=mixed), nodes).damping_matrix is not None


def test_dmig(tmp_path):
    structure = reduced(MODES)
    index = [(1, c) for c in range(1, 7)] + [(5, c) for c in range(1, 7)] + [(9000 + k, 0) for k in range(1, MODES + 1)]
    path = tmp_path / "boom.dmig"
    write_dmig(path, index, {"KAAX": structure.stiffness, "MAAX": structure.mass})
    path.write_text(path.read_text() + grid_cards(PLACES))
    body, _ = load(path, Wanted(FileOptions(SI), root=("1",)))
    clamped = Clamped(structure, [0])
    np.testing.assert_allclose(body.frequencies, np.sqrt(clamped.modes()[0]) / (2 * np.pi), rtol=1e-8)
    path.write_text(grid_cards(PLACES))
    with pytest.raises(ValueError, match="can't be read as bulk data with DMIG"):
        load(path, Wanted(FileOptions(SI), root=("1",)))


OFFSET, INERTIA = (
    np.array([0.05, -0.02, 0.03]),
    np.array([[0.02, 0.002, 0.0], [0.002, 0.03, -0.001], [0.0, -0.001, 0.04]]),
)


def lumped_frame() -> Structure:
    """The frame with masses at its nodes, and a body of 1.5 kg on node 5 (index 4) beside it."""
    _, stiffness = frame(PLACES, BARS)
    mass = lumped_mass(PLACES, BARS)
    at = slice(24, 30)
    d = skew(OFFSET)
    mass[at, at] += np.block([[1.5 * np.eye(3), -1.5 * d], [1.5 * d, INERTIA - 1.5 * d @ d]])
    dofs = np.arange(36)
    return Structure("lumped", NAMES, PLACES, dofs // 6, dofs % 6, mass, stiffness)


def write_modes(tmp_path, ending):
    """SOL 103 of the clamped frame: eigenvectors (single precision or printed, one grid in axes of its own) and bulk data."""
    structure = lumped_frame()
    square, shapes = Clamped(structure, [0]).modes(7)
    local = (turning([2], len(PLACES)) @ shapes).T.reshape(7, len(PLACES), 6)
    path = tmp_path / f"boom.{ending}"
    write = write_op2 if ending == "op2" else write_f06
    write(path, range(1, 7), np.sqrt(square) / (2 * np.pi), local)
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = INERTIA
    conm2 = f"CONM2,900,5,0,1.5,{OFFSET[0]},{OFFSET[1]},{OFFSET[2]}\n,{ixx},{-ixy},{iyy},{-ixz},{-iyz},{izz}\n"
    (tmp_path / "boom.bdf").write_text(
        "SOL 103\nCEND\nDISP = ALL\nBEGIN BULK\nINCLUDE 'mesh.inc'\n" + conm2 + "ENDDATA\n"
    )
    (tmp_path / "mesh.inc").write_text(grid_cards(PLACES, [2]) + bar_cards(BARS, 4e-4, 2700.0))
    return path


@pytest.mark.parametrize("ending", ["op2", "f06"])
def test_eigenvectors_with_bulk_data(tmp_path, ending):
    """Everything that mass and displacements tell, against the lumped mass matrix itself."""
    body, _ = load(write_modes(tmp_path, ending), Wanted(FileOptions(SI)))
    clamped = Clamped(lumped_frame(), [0])
    expected = modal_body(clamped, *clamped.modes(7))
    np.testing.assert_allclose(body.frequencies, expected.frequencies, rtol=1e-6)
    for key in ("mass", "first", "inertia"):
        np.testing.assert_allclose(
            getattr(body.integrals, key), getattr(expected.integrals, key), rtol=1e-12, atol=1e-13
        )
    np.testing.assert_allclose(np.abs(body.integrals.s1), np.abs(expected.integrals.s1), atol=1e-5)
    np.testing.assert_allclose(np.abs(body.integrals.h1), np.abs(expected.integrals.h1), atol=1e-5)
    assert body.stated["orthogonality"] < 1e-5  # single precision
    assert body.distributed


def test_free_modes_are_clamped_at_a_root(tmp_path):
    """All free–free modes span what clamped modes span where the root has mass in all six directions, as node 5 has; rigid-body modes go."""
    structure = lumped_frame()
    inverse, shapes = eigh(structure.mass, structure.stiffness + 1e3 * structure.mass)  # shifted: K alone is singular
    moving = np.flatnonzero(inverse > 1e-9 * inverse[-1])[::-1]
    square, shapes = 1.0 / inverse[moving] - 1e3, shapes[:, moving] / np.sqrt(inverse[moving])
    write_op2(tmp_path / "free.op2", range(1, 7), np.sqrt(np.abs(square)) / (2 * np.pi), shapes.T.reshape(-1, 6, 6))
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = INERTIA
    conm2 = f"CONM2,900,5,0,1.5,{OFFSET[0]},{OFFSET[1]},{OFFSET[2]}\n,{ixx},{-ixy},{iyy},{-ixz},{-iyz},{izz}\n"
    (tmp_path / "free.bdf").write_text(grid_cards(PLACES) + bar_cards(BARS, 4e-4, 2700.0) + conm2)
    body, _ = load(tmp_path / "free.op2", Wanted(FileOptions(SI), root=("5",), selection=Selection(first=5)))
    expected = np.sqrt(Clamped(structure, [4]).modes(5)[0]) / (2 * np.pi)
    assert any("6 rigid-body modes" in note for note in body.notes)
    assert any("free at the root" in note for note in body.notes)
    np.testing.assert_allclose(body.frequencies, expected, rtol=1e-4)  # single precision of high modes


@pytest.mark.parametrize(
    ("ending", "change", "words"),
    [
        ("op2", lambda raw: raw[: len(raw) // 2], "damaged|expected"),
        ("op2", lambda raw: b"", "damaged|expected"),
        ("op2", lambda raw: b"\xff" * 4000, "damaged|expected"),
        ("op2", lambda raw: raw.replace(b"OUGV1", b"OQGV1"), "no displacements"),
        ("f06", lambda raw: raw[: len(raw) // 2], "displacements, expected six|cut off|expected a number"),
        ("f06", lambda raw: raw[: raw.index(b"N O .          7") + 350], "grids of mode 7 and 6 of the first"),
        ("f06", lambda raw: b"", "has no eigenvectors"),
        ("f06", lambda raw: raw.replace(b"E-0", b"E-X", 1), "expected a number"),
        ("f06", lambda raw: raw + raw, "expected one subcase"),
        ("bdf", lambda raw: raw.replace(b"mesh.inc", b"/etc/passwd"), "which must be a file in the same folder"),
        ("bdf", lambda raw: raw.replace(b"1.5,", b"9.5,"), "not orthogonal"),
        ("bdf", lambda raw: raw + b"CQUAD8,7,1,1,2,3,4,5,6,7,8\n", "has CQUAD8"),
        ("bdf", lambda raw: raw.replace(b"CONM2,900,5,0", b"CONM2,900,5,3"), "coordinate system 3"),
        ("bdf", lambda raw: raw.replace(b"CONM2,900,5", b"CONM2,900,77"), "grid 77"),
        ("bdf", None, "put its bulk data"),
    ],
)
def test_damaged_modes_get_one_sentence(ending, change, words, tmp_path):
    modes_file = write_modes(tmp_path, "f06" if ending == "f06" else "op2")
    target = modes_file.with_suffix(f".{ending}")
    if change is None:
        target.unlink()
    else:
        target.write_bytes(change(target.read_bytes()))
    with pytest.raises(ValueError, match=words) as caught:
        load(modes_file, Wanted(FileOptions(SI)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("ending", "change", "words"),
    [
        ("op4", lambda raw: raw[: len(raw) // 3], "damaged|expected"),
        ("op4", lambda raw: b"", "damaged|expected"),
        ("op4", lambda raw: b"not at all an OP4 file", "damaged|expected"),
        ("asm", lambda raw: raw.replace(b"GRID", b"GRXD"), "damaged|expected"),
        ("asm", None, "requires boom.asm in the same folder, where it does not exist"),
        ("pch", lambda raw: raw.replace(b"EXTRN", b"EXTRX"), "damaged|expected|degrees of freedom"),
    ],
)
def test_damaged_superelements_get_one_sentence(ending, change, words, superelement):
    path, _ = superelement
    target = path.with_suffix(f".{ending}")
    if change is None:
        target.unlink()
    else:
        target.write_bytes(change(target.read_bytes()))
    with pytest.raises(ValueError, match=words) as caught:
        load(path, Wanted(FileOptions(SI), root=("1",)))
    assert "\n" not in str(caught.value)


def test_the_missing_extra_is_named(superelement, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyyeti.nastran", None)  # as where pyyeti is not installed
    with pytest.raises(ValueError, match=r"pip install 'spacefmu\[nastran\]'"):
        load(superelement[0], Wanted(FileOptions(SI), root=("1",)))
