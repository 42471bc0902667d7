"""A finite-element program of its own, small and independent: frames of straight Euler–Bernoulli beams with six degrees of freedom a node."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh


def frame(positions, bars, E=70e9, G=26e9, A=4e-4, Iyz=(1e-5, 8e-6), J=9e-6, density=2700.0):
    """Consistent mass and stiffness (6P, 6P) of bars (node, node) between positions (P, 3); section constants of all bars alike.

    The default is a thin wide tube: frequencies then lie within a factor of 100, and an eigenvalue solver keeps its digits.
    """
    size = 6 * len(positions)
    mass, stiffness = np.zeros((size, size)), np.zeros((size, size))
    for a, b in bars:
        step = positions[b] - positions[a]
        L = np.linalg.norm(step)
        x = step / L
        y = np.cross([0.0, 0.0, 1.0] if abs(x[2]) < 0.9 else [1.0, 0.0, 0.0], x)
        y /= np.linalg.norm(y)
        turn = np.kron(np.eye(4), np.array([x, y, np.cross(x, y)]))
        k, m = _bar(L, E, G, A, Iyz, J, density)
        at = np.r_[6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
        stiffness[np.ix_(at, at)] += turn.T @ k @ turn
        mass[np.ix_(at, at)] += turn.T @ m @ turn
    return mass, stiffness


def _bar(L, E, G, A, Iyz, J, density):
    """Textbook matrices in the bar's own axes (Przemieniecki): u, v, w, θx, θy, θz at both ends."""
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    rod = np.array([[1.0, -1.0], [-1.0, 1.0]])
    rod_mass = np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0
    k[np.ix_([0, 6], [0, 6])] = E * A / L * rod
    k[np.ix_([3, 9], [3, 9])] = G * J / L * rod
    m[np.ix_([0, 6], [0, 6])] = density * A * L * rod_mass
    m[np.ix_([3, 9], [3, 9])] = density * (Iyz[0] + Iyz[1]) * L * rod_mass
    bend = np.array(
        [
            [12, 6 * L, -12, 6 * L],
            [6 * L, 4 * L**2, -6 * L, 2 * L**2],
            [-12, -6 * L, 12, -6 * L],
            [6 * L, 2 * L**2, -6 * L, 4 * L**2],
        ]
    )
    sway = np.array(
        [
            [156, 22 * L, 54, -13 * L],
            [22 * L, 4 * L**2, 13 * L, -3 * L**2],
            [54, 13 * L, 156, -22 * L],
            [-13 * L, -3 * L**2, -22 * L, 4 * L**2],
        ]
    )
    for stiff, rows, sign in ((Iyz[0], [1, 5, 7, 11], 1.0), (Iyz[1], [2, 4, 8, 10], -1.0)):
        s = np.diag([1.0, sign, 1.0, sign])
        k[np.ix_(rows, rows)] = E * stiff / L**3 * s @ bend @ s
        m[np.ix_(rows, rows)] = density * A * L / 420.0 * s @ sway @ s
    return k, m


def craig_bampton(mass, stiffness, boundary, count):
    """Reduced (mass, stiffness) over boundary degrees of freedom and `count` fixed-interface modes, and the transformation (n, b + q)."""
    inner = np.setdiff1d(np.arange(len(mass)), boundary)
    constraint = -np.linalg.solve(stiffness[np.ix_(inner, inner)], stiffness[np.ix_(inner, boundary)])
    inverse, modes = eigh(mass[np.ix_(inner, inner)], stiffness[np.ix_(inner, inner)])  # 1/ω²: rotations may lack mass
    modes = modes[:, ::-1][:, :count] / np.sqrt(inverse[::-1][:count])
    T = np.zeros((len(mass), len(boundary) + count))
    T[boundary, np.arange(len(boundary))] = 1.0
    T[np.ix_(inner, np.arange(len(boundary)))] = constraint
    T[np.ix_(inner, np.arange(len(boundary), T.shape[1]))] = modes
    return T.T @ mass @ T, T.T @ stiffness @ T, T


def lumped_mass(positions, bars, A=4e-4, density=2700.0):
    """Half of each bar's mass at either end, as Nastran's default is, (6P, 6P)."""
    mass = np.zeros(6 * len(positions))
    for bar in bars:
        half = 0.5 * density * A * np.linalg.norm(positions[bar[1]] - positions[bar[0]])
        for node in bar:
            mass[6 * node : 6 * node + 3] += half
    return np.diag(mass)


def rigid_motion(positions, origin):
    """(6P, 6) displacements and turns of nodes that move with a frame at origin."""
    R = np.zeros((6 * len(positions), 6))
    for p, place in enumerate(positions):
        x, y, z = np.asarray(place) - origin
        R[6 * p : 6 * p + 6] = np.eye(6)
        R[6 * p : 6 * p + 3, 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return R


# An L-shaped boom with a cross beam: no symmetry, all motions coupled. Node 0 is the root.
PLACES = np.array([[0, 0, 0], [0.5, 0, 0], [1.0, 0.1, 0], [1.5, 0.2, 0.1], [1.5, 0.7, 0.2], [1.4, -0.4, 0.3]], float)
BARS = [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5)]


def tensions(positions, bars, stiffness, forces, root=0, E=70e9, A=4e-4):
    """Axial force of each bar [N] under nodal forces (P, 3), clamped at the node `root`."""
    free = np.setdiff1d(np.arange(len(stiffness)), np.arange(6 * root, 6 * root + 6))
    loads, moved = np.zeros(len(stiffness)), np.zeros(len(stiffness))
    loads.reshape(-1, 6)[:, :3] = forces
    moved[free] = np.linalg.solve(stiffness[np.ix_(free, free)], loads[free])
    moved = moved.reshape(-1, 6)[:, :3]
    steps = np.array([positions[b] - positions[a] for a, b in bars])
    length = np.linalg.norm(steps, axis=1)
    stretch = np.array([(moved[b] - moved[a]) @ t for (a, b), t in zip(bars, steps / length[:, None], strict=True)])
    return E * A * stretch / length


def geometric_stiffness(positions, bars, axial):
    """Textbook geometric stiffness (6P, 6P) of bars under axial forces (Przemieniecki): N/(30 L) of cubic bending in both planes."""
    whole = np.zeros((6 * len(positions), 6 * len(positions)))
    for (a, b), force in zip(bars, axial, strict=True):
        step = positions[b] - positions[a]
        L = np.linalg.norm(step)
        x = step / L
        y = np.cross([0.0, 0.0, 1.0] if abs(x[2]) < 0.9 else [1.0, 0.0, 0.0], x)
        y /= np.linalg.norm(y)
        turn = np.kron(np.eye(4), np.array([x, y, np.cross(x, y)]))
        bend = np.array([[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)], [-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]])  # fmt: skip
        k = np.zeros((12, 12))
        for rows, sign in (([1, 5, 7, 11], 1.0), ([2, 4, 8, 10], -1.0)):
            s = np.diag([1.0, sign, 1.0, sign])
            k[np.ix_(rows, rows)] = force / (30.0 * L) * s @ bend @ s
        at = np.r_[6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
        whole[np.ix_(at, at)] += turn.T @ k @ turn
    return whole
