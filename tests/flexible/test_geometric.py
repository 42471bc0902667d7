"""Geometric stiffness from matrices under loads: the built-in beam from its own, refusals, and the issue's cantilever as a user writes it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import axis_angle_dcm
from spacefmu.dynamics.bodies.beam import Beam, beam_body
from spacefmu.dynamics.bodies.equations import body_equations
from spacefmu.dynamics.bodies.geometric import Loading, geometric, stiffened
from spacefmu.dynamics.bodies.integrals import SUMS
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.overview.magnitudes import warnings
from spacefmu.dynamics.system import evaluate
from tests.compare import relative

BEAM = Beam(1.0, 1.0, bending_y=1.0, bending_z=1.3)
TILT = axis_angle_dcm(np.array([0.6, 0.0, 0.8]), 0.7)


def beams(axes=TILT):
    """The unit beam, with its second-order displacements and without."""
    made = "boom", BEAM, {"bending_y": 2, "bending_z": 2}, 0.0, {"tip": 1.0}, axes
    return beam_body(*made), beam_body(*made, stiffening=False)


def under(body, loading: Loading) -> np.ndarray:
    """Stiffness (N, N) of the inertia of `body` under a steady motion, from its equations of motion, and of a force at its tip: ∂(what the modes need)/∂η."""
    n = body.modes

    def needed(eta):
        M, b = body_equations(body.integrals_at_build, loading.angular_velocity, eta, np.zeros(n))
        tip = body.nodes["tip"].shape_at(eta).T @ loading.forces.get("tip", np.zeros(3))
        return M.coupling.T @ np.concatenate([loading.acceleration, loading.angular_acceleration]) + b[6:] - tip

    return np.array([needed(e) - needed(np.zeros(n)) for e in np.eye(n)]).T


def geometric_under(loading: Loading) -> np.ndarray:
    """K_σ: what the second-order displacement adds."""
    stiffening, plain = beams()
    return under(stiffening, loading) - under(plain, loading)


def loadings(count=16, seed=3):
    rng = np.random.default_rng(seed)
    return [Loading(*rng.normal(size=(3, 3)), {"tip": rng.normal(size=3)}) for _ in range(count)]


def test_the_twelve_matrices_and_those_of_the_tip_are_the_beams():
    """From sixteen loadings at random, all loads at once, all integrals of the beam that stiffens and H of its tip: to 1e-12 (measured 6e-14)."""
    stiffening, plain = beams()
    found = geometric([(loading, geometric_under(loading)) for loading in loadings()], plain.modes)
    made = stiffened(plain.integrals_at_build, found.motions)
    for name in SUMS:
        expected = getattr(stiffening.integrals_at_build, name)
        size = np.max(np.abs(expected))
        np.testing.assert_allclose(getattr(made, name), expected, rtol=0.0, atol=1e-12 * size, err_msg=name)
    np.testing.assert_allclose(found.seconds["tip"], stiffening.nodes["tip"].second, atol=1e-12)


def test_loadings_have_to_tell_single_loads_apart():
    """A spin about (1, 1, 0) alone holds three products of rates; with those about x and y it tells them."""
    spins = [np.array(axis, float) for axis in ([1, 1, 0], [1, 0, 0], [0, 1, 0])]
    pairs = [(Loading(angular_velocity=w), geometric_under(Loading(angular_velocity=w))) for w in spins]
    with pytest.raises(ValueError, match="has 1 loadings with 3 single loads in them, of which they tell 1 apart"):
        geometric(pairs[:1], 4)
    found = geometric(pairs, 4)
    assert np.all(found.motions[[0, 1, 2, 8, 10, 11]] == 0.0)
    for w in spins:
        K = sum(f * matrix for f, matrix in zip(Loading(angular_velocity=w).factors([]), found.motions, strict=True))
        np.testing.assert_allclose(K, geometric_under(Loading(angular_velocity=w)), atol=1e-13)


HUB = """
name = "Spun"
[bodies.hub]
mass = 10.0
inertia = [5.0, 5.0, 5.0]
[bodies.hub.initial]
angular_velocity = [0.1, 0.2, 5.0]
[joints.root]
parent = "hub"
child = "boom"
kind = "revolute"
axis = [0.0, 0.6, 0.8]
stiffness = 30.0
place = [0.3, 0.1, 0.0]
[bodies.dish]
mass = 0.4
inertia = [0.01, 0.02, 0.02]
mass_center = [0.1, 0.0, 0.0]
[joints.end]
parent = "boom.tip"
child = "dish"
kind = "fixed"
"""
AS_A_BEAM = """
[bodies.boom.beam]
length = 1.0
mass = 1.0
axis = {x}
second_axis = {y}
bending_y = 1.0
bending_z = 1.3
modes = {{ bending_y = 2, bending_z = 2 }}
[bodies.boom]
nodes = {{ tip = 1.0 }}
"""


def modal_text() -> str:
    """The beam without its stiffening as modal integrals, and sixteen loadings with their matrices, as one would write them by a program."""
    _, plain = beams()
    integrals, tip = plain.integrals_at_build, plain.nodes["tip"]
    center = integrals.first / integrals.mass
    about = integrals.inertia - integrals.mass * (center @ center * np.eye(3) - np.outer(center, center))
    modal = {
        "frequency": plain.frequencies,
        "modal_mass": np.diag(integrals.modal_mass),
        "s1": integrals.s1.T,
        **{key: getattr(integrals, key) for key in ("h1", "h3", "h4", "h5")},
    }
    lines = [
        f"mass = {integrals.mass}",
        f"mass_center = {center.tolist()}",
        f"inertia = {about.tolist()}",
        "[bodies.boom.modal]",
    ]
    lines += [f"{key} = {json.dumps(value.tolist())}" for key, value in modal.items()]
    lines += ["[bodies.boom.modal.nodes.tip]", f"position = {tip.position.tolist()}"]
    lines += [f"translation = {tip.shape.T.tolist()}", f"rotation = {tip.turn.T.tolist()}"]
    for loading in loadings():
        lines += ["[[bodies.boom.geometric_stiffness]]", f"matrix = {geometric_under(loading).tolist()}", 'at = "tip"']
        lines += [f"force = {loading.forces['tip'].tolist()}"]
        keys = ("acceleration", "angular_acceleration", "angular_velocity")
        lines += [f"{key} = {getattr(loading, key).tolist()}" for key in keys]
    return "\n".join(["[bodies.boom]", *lines])


def test_a_description_with_matrices_is_the_beam():
    """Rates, momenta and energies of a craft that turns at 5 rad/s with a dish on the tip, ω₁ = 3.5: those of the built-in beam. Measured 9e-15."""
    x, y, _ = TILT.T
    systems = [load_text(HUB + AS_A_BEAM.format(x=x.tolist(), y=y.tolist())), load_text(HUB + modal_text())]
    assert not any("geometric stiffness" in sentence for sentence in warnings(systems[1]))
    rng, found = np.random.default_rng(5), []
    x = np.array(systems[0].signals.starts("states")) + 0.02 * rng.normal(size=systems[0].nx)
    for system in systems:
        k = evaluate.constants(system, system.signals.starts("parameters"))
        found.append(evaluate.motion(system, 0.0, x, np.zeros(system.nu), k, np.zeros(0))[:2])
    for beam, modal in zip(*found, strict=True):
        assert relative(modal, beam) < 1e-11


CANTILEVER = """
name = "Cantilever"
[bodies.boom]
nodal_table = "boom.json"
{stiffness}
[joints.axle]
parent = "space"
child = "boom"
kind = "revolute"
axis = [0.0, 0.0, 1.0]
drive = "acceleration"
initial = {{ rate = 5.0 }}
"""


def boom_table(tmp_path) -> None:
    """The unit beam's first chordwise mode at three nodes that are not on a line: one sits beside it, without mass."""
    s = np.array([0.25, 0.75, 1.0])
    shape = beam_body(
        "b", Beam(1.0, 1.0, bending_y=1.0), {"bending_y": 1}, 0.0, {f"n{i}": at for i, at in enumerate(s)}
    )
    moved = [[*shape.nodes[f"n{i}"].shape[:, 0]] for i in range(3)]
    table = {
        "node": ["a", "b", "tip"],
        "position": [[0.25, 0.0, 0.0], [0.75, 0.0, 0.0], [1.0, 0.1, 0.0]],
        "mass": [0.5, 0.5, 0.0],
        "translation": [moved],
        "frequency": shape.frequencies.tolist(),
    }
    (tmp_path / "boom.json").write_text(json.dumps(table))


def chordwise_stiffness(system) -> float:
    """ω² [rad²/s²] of the mode in the turning frame: −∂η̈/∂η."""
    table = system.signals
    x, u, k, d = evaluate.start(
        system, 0.0, *(table.starts(g) for g in ("states", "inputs", "parameters", "discretes"))
    )
    at = table.where("states", "boom.mode[1].amplitude")
    rate = table.where("states", "boom.mode[1].rate")
    ends = []
    for moved in (1e-4, -1e-4):
        x[at] = moved
        ends.append(evaluate.motion(system, 0.0, x, u, k, d)[0][rate])
    return float(ends[1] - ends[0]) / 2e-4


def test_the_cantilever_of_a_table_is_stable_with_its_matrix(tmp_path):
    """Ω = 5, ω₁ = 3.516: without geometric stiffness ω² = 12.4 − 25 < 0, with 1.193 μ Ω² of the exact beam ω² = 12.36 + 0.193 · 25 = 17.2."""
    boom_table(tmp_path)
    plain = load_text(CANTILEVER.format(stiffness=""), folder=tmp_path)
    assert any("geometric stiffness" in sentence for sentence in warnings(plain))
    assert chordwise_stiffness(plain) == pytest.approx(12.36 - 25.0, rel=1e-3)
    own = plain.made_by[1].tree.links[0].body.integrals_at_build.modal_mass[0, 0]
    entry = f"geometric_stiffness = [{{ angular_velocity = [0.0, 0.0, 5.0], matrix = [[{1.1933 * own * 25.0}]] }}]"
    stiff = load_text(CANTILEVER.format(stiffness=entry), folder=tmp_path)
    assert not any("geometric stiffness" in sentence for sentence in warnings(stiff))
    assert chordwise_stiffness(stiff) == pytest.approx(12.36 + 0.1933 * 25.0, rel=1e-3)


BAD = {
    "neither": ("{ acceleration = [1.0, 0.0, 0.0] }", "either a matrix or a file"),
    "no load": ("{ matrix = [[1.0]] }", "has a matrix without a load"),
    "shape": (
        "{ acceleration = [1.0, 0.0, 0.0], matrix = [[1.0, 0.0], [0.0, 1.0]] }",
        "has a matrix of 2 × 2, expected 1 × 1",
    ),
    "ragged": ("{ acceleration = [1.0, 0.0, 0.0], matrix = [[1.0, 0.0], [0.0]] }", "rows of one length"),
    "force": ("{ force = [1.0, 0.0, 0.0], matrix = [[1.0]] }", "force together with at"),
    "node": ('{ force = [1.0, 0.0, 0.0], at = "tap", matrix = [[1.0]] }', "tap"),
    "file": ('{ acceleration = [1.0, 0.0, 0.0], file = "a.sti" }', "this body has no matrices of its own"),
}


@pytest.mark.parametrize("entry, sentence", BAD.values(), ids=list(BAD))
def test_refusals(tmp_path, entry, sentence):
    boom_table(tmp_path)
    with pytest.raises(DescriptionError) as error:
        load_text(CANTILEVER.format(stiffness=f"geometric_stiffness = [{entry}]"), folder=tmp_path)
    assert sentence in str(error.value)
    assert "boom.geometric_stiffness" in str(error.value)


def test_bodies_that_stiffen_by_themselves_need_no_matrices():
    text = AS_A_BEAM.format(x=[1.0, 0.0, 0.0], y=[0.0, 1.0, 0.0])
    given = text + "geometric_stiffness = [{ acceleration = [1.0, 0.0, 0.0], matrix = [[1.0]] }]\n"
    with pytest.raises(DescriptionError, match="a beam stiffens by itself"):
        load_text('name = "A"\n' + given)
