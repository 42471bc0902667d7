"""[jin1991] (3)–(24), kinematics, in the corrected forms of docs/theory/jin1991.md: the engine computes what they say.

The paper's sums are written out with its path matrix S and inner-body function σ. Rates of relative quantities come
from a five-point stencil (errors ≈ 1e-12, 1e-9 for second rates): so a tolerance of 1e-9 and 1e-8 where they enter.
"""

import numpy as np
import pytest

from tests.algebra.test_rotation import derivative
from tests.compare import relative
from tests.papers.jin_tree import (
    ALPHA,
    BODIES,
    COUNTS,
    MODES,
    MOUNTS,
    NOW,
    OMEGA,
    PARENT,
    Q0,
    R_DDOT,
    TREE,
    V_ALL,
    S,
    at,
    r,
)


def relative_omega(bodies, j):
    """ω_j in the axes of body j: relative to its inner body."""
    inner = bodies[PARENT[j]].dcm_NB @ bodies[PARENT[j]].omega if PARENT[j] >= 0 else np.zeros(3)
    return bodies[j].omega - bodies[j].dcm_NB.T @ inner


def arm(bodies, j):
    """a_j in the axes of the inner body: from its origin to that of j."""
    if PARENT[j] < 0:
        return bodies[j].position_N
    inner = bodies[PARENT[j]]
    return inner.dcm_NB.T @ (bodies[j].position_N - inner.position_N)


# relative quantities and their local rates, turned into N
W = [NOW[j].dcm_NB @ relative_omega(NOW, j) for j in BODIES]
W_DOT = [NOW[j].dcm_NB @ derivative(lambda t, j=j: relative_omega(at(t), j)) for j in BODIES]
INNER = [NOW[PARENT[j]].dcm_NB if PARENT[j] >= 0 else np.eye(3) for j in BODIES]
ARM = [INNER[j] @ arm(NOW, j) for j in BODIES]
ARM_DOT = [INNER[j] @ derivative(lambda t, j=j: arm(at(t), j)) for j in BODIES]
ARM_DDOT = [
    INNER[j] @ derivative(lambda t, j=j: derivative(lambda s, j=j: arm(at(s), j), t)) for j in BODIES
]  # a stencil of stencils: error ≈ 1e-9


def path(i):
    return [j for j in BODIES if S[j, i]]


def test_path_matrix_and_inner_body():
    """S and σ of the paper's section 1, here by hand for 0 ← 1 ← 2, 0 ← 3."""
    assert np.array_equal(S, [[1, 1, 1, 1], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert [TREE.inner_body(j) for j in BODIES] == [-1, 0, 1, 0]


@pytest.mark.parametrize("i", BODIES)
def test_equation_3(i):
    """ω_i^A = Σ S_j^i ω_j. Measured 6e-16."""
    assert relative(OMEGA[i], sum(W[j] for j in path(i))) < 1e-14


def equation_4(i, other):
    """ω̇_i^A with the double sum over k on the path of `other(i, j)`."""
    return sum(W_DOT[j] for j in path(i)) + sum(np.cross(W[k], W[j]) for j in path(i) for k in path(other(i, j)))


@pytest.mark.parametrize("i", BODIES)
def test_equation_4(i):
    """ω̇_i^A = Σ S_j^i ω̇_j + ΣΣ S_j^i S_k^j ω_k × ω_j. Measured 1e-12."""
    assert relative(ALPHA[i], equation_4(i, lambda i, j: j)) < 1e-9


def test_equation_4_as_printed_is_wrong():
    """With the printed S_k^i the double sum vanishes (antisymmetric): error of order 1 for an outer body."""
    assert relative(equation_4(2, lambda i, j: i), ALPHA[2]) > 0.1


@pytest.mark.parametrize("i", BODIES)
def test_equation_5(i):
    """Ṙ_i = Σ S_j^i ȧ_j + Σ S_k^i ω_k × r_i^k. Measured 5e-13."""
    expected = sum(ARM_DOT[j] for j in path(i)) + sum(np.cross(W[k], r(i, k)) for k in path(i))
    assert relative(NOW[i].dcm_NB @ NOW[i].velocity, expected) < 1e-9


def outer(k, p):
    """max(k, p): the one farther along the path."""
    return k if S[p, k] else p


@pytest.mark.parametrize("i", BODIES)
def test_equation_6_first_line(i):
    """R̈_i = Σ S_j^i [ä_j + ω̇×a_j + 2ω×ȧ_j + ω×(ω×a_j)], ω that of σ(j): the last term is missing in print. Measured 4e-10."""
    none = np.zeros(3)
    total = np.zeros(3)
    for j in path(i):
        w, w_dot = (OMEGA[PARENT[j]], ALPHA[PARENT[j]]) if PARENT[j] >= 0 else (none, none)
        total += (
            ARM_DDOT[j] + np.cross(w_dot, ARM[j]) + 2.0 * np.cross(w, ARM_DOT[j]) + np.cross(w, np.cross(w, ARM[j]))
        )
    assert relative(R_DDOT[i], total) < 1e-8


@pytest.mark.parametrize("i", BODIES)
def test_equation_6_expanded(i):
    """R̈_i = Σä + Σω̇_k×r + ΣΣ(ω_p×ω_k)×r_i^k + ΣΣω_p×(ω_k×r_i^max(k,p)) + 2Σω_k×r̊_i^k. Measured 4e-10."""
    total = sum(ARM_DDOT[j] for j in path(i)) + sum(np.cross(W_DOT[k], r(i, k)) for k in path(i))
    total = total + sum(np.cross(np.cross(W[p], W[k]), r(i, k)) for k in path(i) for p in path(k))
    total = total + sum(np.cross(W[p], np.cross(W[k], r(i, outer(k, p)))) for k in path(i) for p in path(i))
    for k in path(i):
        local = sum((ARM_DOT[j] for j in path(i) if PARENT[j] >= 0 and S[k, PARENT[j]]), np.zeros(3))  # (7)
        total = total + 2.0 * np.cross(W[k], local)
    assert relative(R_DDOT[i], total) < 1e-8


def numbered(p, counts, before):
    """(q, m) of speed p = 1, 2, …: q = 1 + max{j: p − before − Σ_{i≤j} counts_i > 0}, m = p − before − Σ_{i<q} counts_i.

    The rule of (16), (19), (22), bodies counted from 0 here; "1 +" is missing in the print of (22).
    """
    sums = np.concatenate([[0], np.cumsum(counts)])
    q = max(j for j in range(len(counts)) if p - before - sums[j] > 0)
    return q, int(p - before - sums[q])


NT, NR = (sum(count[i] for count in COUNTS) for i in (0, 1))
NS = NT + NR + sum(MODES)


def paper_speeds():
    """(kind, q, m) of p = 1 … NS in the paper's order: all rotations, all translations, all modes."""
    for p in range(1, NS + 1):
        if p <= NR:
            yield "rotation", *numbered(p, [turns for _, turns in COUNTS], 0)
        elif p <= NR + NT:
            yield "translation", *numbered(p, [moves for moves, _ in COUNTS], NR)
        else:
            yield "mode", *numbered(p, MODES, NR + NT)


def column(kind, q, m):
    """Where that speed stands in the engine's v: translations first, then rotations, then modes of each body."""
    start = TREE.joint_v[q].start
    return start + {"translation": 0, "rotation": COUNTS[q][0], "mode": sum(COUNTS[q])}[kind] + m - 1


def test_equations_16_17_19_20_22_23():
    """The index rules name every speed of every body exactly once."""
    named = list(paper_speeds())
    every = [("rotation", q, m) for q in BODIES for m in range(1, COUNTS[q][1] + 1)]
    every += [("translation", q, m) for q in BODIES for m in range(1, COUNTS[q][0] + 1)]
    every += [("mode", q, m) for q in BODIES for m in range(1, MODES[q] + 1)]
    assert named == every
    assert sorted(column(*speed) for speed in named) == list(range(TREE.nv))


def axes_of(q):
    """g^m and l^m of joint q in N, translations and rotations; l^m turned by the angles before it."""
    joint = TREE.links[q].joint
    g, l_axes = joint.axes(Q0[TREE.joint_q[q]])
    return INNER[q] @ MOUNTS[q] @ g, NOW[q].dcm_NB @ l_axes


SPEEDS = list(paper_speeds())


def columns(i, kind):
    """(q, m, partial velocity of body i in N and its modal part) of every speed of one kind."""
    for _, q, m in (speed for speed in SPEEDS if speed[0] == kind):
        velocity, omega, modal = np.split(V_ALL[i][:, column(kind, q, m)], [3, 6])
        yield q, m, NOW[i].dcm_NB @ velocity, NOW[i].dcm_NB @ omega, modal


def same(found, expected):
    return np.allclose(found, expected, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("i", BODIES)
def test_equation_18(i):
    """Rotations: V = S_q^i l_q^m × r_i^q, ω = S_q^i l_q^m, V^η = 0. Measured 1e-15."""
    for q, m, velocity, omega, modal in columns(i, "rotation"):
        axis = axes_of(q)[1][:, COUNTS[q][0] + m - 1]
        assert same(velocity, S[q, i] * np.cross(axis, r(i, q)))
        assert same(omega, S[q, i] * axis)
        assert not np.any(modal)


@pytest.mark.parametrize("i", BODIES)
def test_equation_21(i):
    """Translations: V = S_q^i g_σ(q)^m, ω = 0, V^η = 0. Measured 4e-16."""
    for q, m, velocity, omega, modal in columns(i, "translation"):
        assert same(velocity, S[q, i] * axes_of(q)[0][:, m - 1])
        assert not np.any(omega)
        assert not np.any(modal)


@pytest.mark.parametrize("i", BODIES)
def test_equation_24(i):
    """Modes: V = ω = 0, V^η = φ_qm of the own body alone; here no joint sits at a place that modes move."""
    for q, m, velocity, omega, modal in columns(i, "mode"):
        assert not np.any(velocity)
        assert not np.any(omega)
        assert np.array_equal(modal, np.eye(MODES[i])[m - 1] if i == q else np.zeros(MODES[i]))
