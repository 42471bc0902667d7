"""Flexible bodies from files: the formats agree, modes are made orthogonal or refused, given integrals reproduce the table's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.bodies.beam import Beam, beam_body
from spacefmu.dynamics.bodies.integrals import SUMS, integrals_of_points
from spacefmu.dynamics.bodies.nodal import NodalTable, coupling_of_modes, modal_integrals, nodal_body
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.modes.tables import read_modal_file, read_nodal_table
from spacefmu.dynamics.system.evaluate import motion, start

EXAMPLES = Path(__file__).parents[2] / "examples"
PANEL = read_nodal_table(EXAMPLES / "panel.csv")


def same(a, b, rtol):
    """All integrals agree."""
    for name in SUMS:
        x, y = getattr(a, name), getattr(b, name)
        np.testing.assert_allclose(
            x, y, rtol=rtol, atol=rtol * max(np.max(np.abs(y), initial=0.0), 1e-12), err_msg=name
        )


def test_csv_json_and_npz_are_one_table(tmp_path):
    data = json.loads((EXAMPLES / "panel.json").read_text())
    np.savez(tmp_path / "panel.npz", **{key: np.array(value) for key, value in data.items()})
    for other in (read_nodal_table(EXAMPLES / "panel.json"), read_nodal_table(tmp_path / "panel.npz")):
        assert other.names == PANEL.names
        for key in ("positions", "masses", "translations", "rotations", "damping"):
            np.testing.assert_array_equal(getattr(other, key), getattr(PANEL, key))
        np.testing.assert_allclose(other.frequencies, PANEL.frequencies, rtol=1e-5)  # six digits in the CSV


def test_a_sampled_beam_is_the_beam():
    """A beam's exact shapes at 4000 points of equal mass (midpoint rule): integrals as by Gauss quadrature.

    Expected error of the midpoint rule is (βh)²/24 with β = 4.7 of the second mode, h = 1/4000: 6e-8; measured 1.0e-7 of the largest entry.
    """
    count, length = 4000, 3.0
    middle = (np.arange(count) + 0.5) / count
    made = "b", Beam(length, 2.0, bending_y=50.0, bending_z=80.0), {"bending_y": 2, "bending_z": 1}, 0.0
    beam = beam_body(*made, {f"n{i}": s for i, s in enumerate(middle)}, stiffening=False)
    stiffening = beam_body(*made, {}).integrals_at_build  # as nodes on a line do
    nodes = list(beam.nodes.values())
    shapes = np.array([node.shape.T for node in nodes]).transpose(1, 0, 2)
    turns = np.array([node.turn.T for node in nodes]).transpose(1, 0, 2)
    positions = np.array([node.position for node in nodes])
    table = NodalTable(
        tuple(beam.nodes), positions, np.full(count, 6.0 / count), None, shapes, turns, beam.frequencies, np.zeros(3)
    )
    got = nodal_body("b", table).integrals_at_build
    for key in ("mass", "first", "inertia", "s1", "h1", "h3", "h4", "h5", "modal_mass", "s1_second"):
        expected = getattr(stiffening, key)
        np.testing.assert_allclose(
            getattr(got, key), expected, rtol=3e-7, atol=3e-7 * np.max(np.abs(expected), initial=1.0), err_msg=key
        )


def test_small_violations_are_made_orthogonal():
    """Shapes of six digits miss orthogonality by about 1e-7: repaired to round-off, moved by no more than that."""
    raw = integrals_of_points(PANEL.positions, PANEL.masses, PANEL.translations)
    assert 1e-8 < coupling_of_modes(raw.modal_mass) < 1e-5  # measured 1.2e-7
    body = nodal_body("panel", PANEL)
    shapes = np.array([node.shape.T for node in body.nodes.values()]).transpose(1, 0, 2)
    assert (
        coupling_of_modes(integrals_of_points(PANEL.positions, PANEL.masses, shapes).modal_mass) < 1e-14
    )  # measured 1.9e-16
    np.testing.assert_allclose(shapes, PANEL.translations, atol=1e-6)
    np.testing.assert_allclose(np.diag(body.integrals_at_build.modal_mass), np.diag(raw.modal_mass), rtol=1e-12)


def test_modes_that_are_not_orthogonal_are_refused_with_the_number():
    mixed = PANEL.translations.copy()
    mixed[2] = mixed[2] + 0.5 * mixed[0]
    with pytest.raises(
        ValueError, match=r"modes are not orthogonal: the largest coupling .* is 0\.\d+, expected at most 0\.1"
    ):
        nodal_body("panel", replace(PANEL, translations=mixed))


def test_a_mode_without_mass_is_refused():
    still = PANEL.translations.copy()
    still[1] = 0.0
    with pytest.raises(ValueError, match="mode 2 moves no mass"):
        nodal_body("panel", replace(PANEL, translations=still))


def rigid_part(integrals):
    """Mass, mass centre, inertia about it."""
    center = integrals.first / integrals.mass
    return (
        integrals.mass,
        center,
        integrals.inertia - integrals.mass * (center @ center * np.eye(3) - np.outer(center, center)),
    )


def test_given_integrals_reproduce_the_table():
    integrals = nodal_body("panel", PANEL).integrals_at_build
    got = modal_integrals(
        *rigid_part(integrals),
        integrals.s1.T,
        integrals.h1,
        np.diag(integrals.modal_mass),
        integrals.h3,
        integrals.h4,
        integrals.h5,
    )
    same(got, integrals, 1e-12)


def test_given_integrals_of_a_table_with_inertia_and_offsets():
    """h⁴ then has a symmetric part: accepted beside h⁵, refused without. Offsets stay out: ∫H dm is not a modal integral."""
    rng = np.random.default_rng(2)
    inertias = np.array([np.diag(moments) for moments in rng.uniform(0.05, 0.09, (10, 3))])
    turning = replace(PANEL, inertias=inertias, rotations=rng.normal(size=PANEL.translations.shape))
    integrals = integrals_of_points(
        turning.positions, turning.masses, turning.translations, inertias, turning.rotations
    )
    assert np.max(np.abs(integrals.h4 + np.swapaxes(integrals.h4, 0, 1))) > 0.1
    given = (*rigid_part(integrals), integrals.s1.T, integrals.h1, np.diag(integrals.modal_mass))
    got = modal_integrals(*given, integrals.h3, integrals.h4, integrals.h5)
    same(replace(got, modal_mass=integrals.modal_mass), integrals, 1e-12)
    with pytest.raises(ValueError, match=r"h4 is not antisymmetric.* requires h5 too"):
        modal_integrals(*given, integrals.h3, integrals.h4)


def test_offsets_of_masses_in_every_format(tmp_path):
    """Columns cx, cy, cz of a CSV table and `offset` of the others: mass centres beside their nodes, which turn them."""
    data = json.loads((EXAMPLES / "panel.json").read_text())
    data["offset"] = [[0.001 * i, 0.0, -0.002] for i in range(10)]
    (tmp_path / "panel.json").write_text(json.dumps(data))
    rows = CSV.splitlines()
    head = next(i for i, row in enumerate(rows) if row.startswith("node"))
    rows[head] += ",cx,cz"
    rows[head + 1 :] = [f"{row},{0.001 * i},-0.002" for i, row in enumerate(rows[head + 1 :])]
    (tmp_path / "panel.csv").write_text("\n".join(rows))
    tables = [read_nodal_table(tmp_path / f"panel.{end}") for end in ("json", "csv")]
    for table in tables:
        np.testing.assert_allclose(table.offsets, data["offset"], rtol=1e-15)
    moved = nodal_body("panel", tables[0]).integrals_at_build
    np.testing.assert_allclose(moved.first, PANEL.masses @ (PANEL.positions + np.array(data["offset"])), rtol=1e-13)


def test_what_is_left_out_keeps_a_lagrangian():
    """h³ − h³ᵀ = (h¹)~ and h⁵ − h⁵ᵀ = (h⁴)~ hold for the table's sums; left-out integrals keep exactly that part."""
    integrals = nodal_body("panel", PANEL).integrals_at_build
    part = modal_integrals(
        *rigid_part(integrals), integrals.s1.T, integrals.h1, np.diag(integrals.modal_mass), h4=integrals.h4
    )
    for key in ("h3", "h5"):
        given, kept = getattr(integrals, key), getattr(part, key)
        np.testing.assert_allclose(kept, 0.5 * (given - np.swapaxes(given, -1, -2)), atol=1e-14)


def test_every_node_of_a_table_can_carry_something():
    """Joint, force, thruster, wheel and sensor on nodes that `nodes` does not name; only the named ones are outputs."""
    text = f"""
name = "A"
[bodies.panel]
nodal_table = "{(EXAMPLES / "panel.csv").as_posix()}"
nodes = {{ tip = "left_5" }}
forces_at = ["right_4", "tip"]
[bodies.box]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[joints.j]
parent = "panel.right_2"
child = "box"
kind = "fixed"
[thrusters.t]
body = "panel.left_1"
direction = "z"
[wheels.w]
body = "panel.right_1"
axis = "x"
spin_inertia = 0.01
[sensors.s]
kind = "accelerometer"
at = "panel.left_3"
"""
    system = load_text(text)
    inputs, outputs = ([s.name for s in getattr(system.signals, group)] for group in ("inputs", "outputs"))
    assert {"panel.right_4.force[3]", "panel.tip.torque[1]", "thruster.t.force", "wheel.w.torque"} <= set(inputs)
    assert "panel.tip.displacement[3]" in outputs
    assert not any(name.startswith(("panel.left", "panel.right")) for name in outputs)
    x, u, k, d = start(system)
    u = u.copy()
    u[system.signals.where("inputs", "thruster.t.force")] = 1.0
    x_dot, _, _ = motion(system, 0.0, x, u, k, d)
    mode = [x_dot[system.signals.where("states", f"panel.mode[{i}].rate")] for i in (1, 2, 3)]
    assert np.all(np.abs(mode) > 1e-3), "the thrust at a node excites the modes"


CSV = (EXAMPLES / "panel.csv").read_text()
BAD_TABLES = {
    "not a number": (CSV.replace("left_3,-0.4", "left_3,minus"), "line 11, column x: 'minus' found, expected a number"),
    "a cell too few": (CSV.replace("left_3,-0.4,1.5,0,", "left_3,-0.4,1.5,"), "line 11 has 10 cells, expected 11 as in the header"),
    "unknown column": (CSV.replace("uz3,rx3", "uz4,rx3"), "line 6 has the column 'uz4', expected node, x, y, z, mass*"),
    "no mass column": (CSV.replace("z,mass,", "z,ixx,"), "line 6 lacks the column mass"),
    "no frequency": ("\n".join(CSV.splitlines()[4:]), "line 2 has the column 'uz1', expected node*"),
    "frequency zero": (CSV.replace("0.329705", "0"), "frequency of mode 1 is 0, expected a number greater than 0"),
    "negative mass": (CSV.replace("left_3,-0.4,1.5,0,0.8", "left_3,-0.4,1.5,0,-0.8"), "mass of node left_3 is -0.8, expected a number that is not negative"),
    "not finite": (CSV.replace("left_3,-0.4,1.5", "left_3,-0.4,nan"), "position holds nan, expected 10 × 3 finite numbers (x, y, z of each node)"),
    "a node twice": (CSV.replace("left_3", "left_2"), "has the node 'left_2' twice; names must be unique"),
    "negative damping": (CSV.replace("damping,0.005", "damping,-0.005"), "damping of mode 1 is -0.005, expected a number that is not negative"),
    "empty": ("", "line 1 begins with '', expected frequency, damping or the header row*"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_gets_its_sentence(case, tmp_path):
    text, sentence = BAD_TABLES[case]
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DescriptionError) as caught:
        load_text('name = "A"\n[bodies.b]\nnodal_table = "t.csv"', "a.toml", tmp_path)
    (found,) = caught.value.problems
    wanted = f"bodies.b.nodal_table: t.csv {sentence}"
    assert found.startswith(wanted[:-1]) if wanted.endswith("*") else found == wanted


@pytest.mark.parametrize(
    "name, content, sentence",
    [
        ("t.txt", b"", "t.txt ends in '.txt', expected one of .csv, .json, .npz"),
        ("t.json", b"{", "t.json is not valid JSON: Expecting property name enclosed in double quotes (at line 1, column 2)"),
        ("t.json", b"[1]", "t.json is [1], expected a JSON object"),
        ("t.json", b'{"node": ["a"]}', "t.json lacks position, mass, translation, frequency; expected node, position, mass, translation, frequency and optionally inertia, offset, rotation, damping"),
        ("t.json", b'{"node": ["a"], "position": [[0, 0]], "mass": [1], "translation": [[[0, 0, 1]]], "frequency": [1]}',
         "t.json position has the shape 1 × 2, expected 1 × 3 finite numbers (x, y, z of each node)"),
        ("t.npz", b"PK no archive", "t.npz is not an NPZ archive of plain arrays: "),
    ],
)  # fmt: skip
def test_a_file_of_the_wrong_kind(name, content, sentence, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DescriptionError) as caught:
        load_text(f'name = "A"\n[bodies.b]\nnodal_table = "{name}"', "a.toml", tmp_path)
    (found,) = caught.value.problems
    assert found.startswith(f"bodies.b.nodal_table: {sentence}")


def test_npz_with_objects_is_refused(tmp_path):
    """A pickle could run code: it is never opened."""
    np.savez(tmp_path / "t.npz", node=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DescriptionError, match="not an NPZ archive of plain arrays: Object arrays cannot be loaded"):
        load_text('name = "A"\n[bodies.b]\nnodal_table = "t.npz"', "a.toml", tmp_path)


def test_modal_npz_is_the_json(tmp_path):
    data = json.loads((EXAMPLES / "dish.json").read_text())
    nodes = {f"nodes.rim.{key}": np.array(value) for key, value in data.pop("nodes")["rim"].items()}
    np.savez(tmp_path / "dish.npz", **{key: np.array(value) for key, value in data.items()}, **nodes)
    assert read_modal_file(tmp_path / "dish.npz") == json.loads((EXAMPLES / "dish.json").read_text())


MODAL = """
name = "A"
[bodies.b]
mass = 2.0
inertia = [1.0, 1.0, 1.0]
[bodies.b.modal]
frequency = [1.0, 2.0]
s1 = [[1.0, 0, 0], [0, 1.0, 0]]
h1 = [[0, 0.1, 0], [0.1, 0, 0]]
"""


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ("[0.1, 0, 0]]", "[0.1, 0, 0], [0, 0, 0]]", "bodies.b.modal.h1 is [[0.0, 0.1, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.0]], expected 2 × 3 numbers, for the 2 modes of frequency"),
        ("[[1.0, 0, 0]", "[[3.0, 0, 0]", "bodies.b.modal: these integrals are not possible for a body: the mass matrix has the negative eigenvalue -1.12 (scaled to a unit diagonal); check that s1 and h1 belong to mass, inertia and modal_mass"),
        ("s1 =", "h4 = [[[0,0,0],[0,0,1]],[[0,0,1],[0,0,0]]]\ns1 =", "bodies.b.modal: h4 is not antisymmetric, expected h4[i][k] = −h4[k][i]; second-order shapes and inertia at nodes give it a symmetric part, which requires h5 too"),
        ("s1 =", "h3 = [[[1,0,0],[0,1,0],[0,0,1]],[[1,0,0],[0,1,0],[0,0,1]]]\ns1 =", "bodies.b.modal: h3 does not go with h1: h3 − h3ᵀ differs from the matrix of h1 by 0.1"),
        ("s1 =", "damping = -1\ns1 =", "bodies.b.modal.damping is -1, expected a number not less than 0"),
        ("mass = 2.0\n", "", "bodies.b.mass is missing: modal integrals go with the mass and the inertia of the undeformed body"),
    ],
)  # fmt: skip
def test_bad_modal_integrals_get_their_sentence(old, new, sentence):
    load_text(MODAL)
    with pytest.raises(DescriptionError) as caught:
        load_text(MODAL.replace(old, new))
    assert caught.value.problems == [sentence]


@pytest.mark.parametrize(("modes", "points"), [(20, 150), pytest.param(40, 300, marks=pytest.mark.slow)])
def test_a_beam_of_many_modes_with_a_tip_body_is_orthogonal(modes, points):
    """So many of each of four kinds: Gauss quadrature of the sums, tip body included, leaves modes orthogonal to round-off.

    Mass and inertia with the tip: 6 + 1 kg; about y: 6·3²/3 + 1·3² + 0.2 + 0.12 = 27.32 kg m², about x: 0.3 + 0.1.
    """
    beam = Beam(3.0, 2.0, 50.0, 80.0, 5.0, 1e5, section_inertia=(0.04, 0.06), tip_mass=1.0, tip_inertia=(0.1, 0.2, 0.3))
    s, w = np.polynomial.legendre.leggauss(points)
    stations = {f"n{i}": float((a + 1.0) / 2.0) for i, a in enumerate(s)} | {"tip": 1.0}
    body = beam_body("b", beam, dict.fromkeys(("bending_y", "bending_z", "torsion", "axial"), modes), 0.0, stations)
    shapes, turns = (
        np.array([getattr(node, key).T for node in body.nodes.values()]).transpose(1, 0, 2) for key in ("shape", "turn")
    )
    inertias = np.zeros((points + 1, 3, 3))
    inertias[:, 0, 0] = np.append(w / 2.0 * 0.3, 0.1)
    inertias[-1, 1, 1], inertias[-1, 2, 2] = 0.2, 0.3
    positions = np.array([node.position for node in body.nodes.values()])
    sums = integrals_of_points(positions, np.append(w / 2.0 * 6.0, 1.0), shapes, inertias, turns)
    assert coupling_of_modes(sums.modal_mass) < 1e-12  # measured 1.4e-14
    np.testing.assert_allclose(np.diag(sums.modal_mass), np.diag(body.integrals_at_build.modal_mass), rtol=1e-12)
    assert body.integrals_at_build.mass == pytest.approx(7.0)
    np.testing.assert_allclose(np.diag(body.integrals_at_build.inertia), [0.4, 27.32, 27.48], rtol=1e-13)
