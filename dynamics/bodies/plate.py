"""A rectangular cantilever plate: finite-element modes and their integrals.

Thin-plate (Kirchhoff) bending w(x, y) along z, clamped at the edge x = 0, free at the others, by scikit-fem's
Bogner–Fox–Schmit elements (bicubic, conforming). Moments M = D κ with κ = (w_xx, w_yy, 2w_xy) and
D = [[D₁₁, D₁₂, 0], [D₁₂, D₂₂, 0], [0, 0, D₆₆]]: isotropic plates, and sandwiches given by their bending stiffnesses.

Stiffening: in-plane, the plate follows its bending so that its membrane strain ε(u) + ½∇w∇wᵀ has the least energy. So H_μk
solves a plane-stress problem with the eigenstrain sym(∇w_μ ∇w_kᵀ); membrane stiffnesses are in the ratio of the bending
ones (homogeneous plates and thin faces). The work of any in-plane load through H is then exactly that of its
prestress through the slopes, ½∫N₀:∇w∇wᵀ. Textbook frequencies: tests/flexible/test_plate.py.

Imports scikit-fem: used when a description is read, never by an equation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
from scipy.sparse.linalg import eigsh, splu
from skfem import Basis, BilinearForm, ElementQuad2, ElementQuadBFS, ElementVector, LinearForm, MeshQuad
from skfem.helpers import dd, grad, sym_grad

from .body import FlexibleBody, Node, Nodes
from .heated import Heated, port
from .integrals import integrals_of_points
from .static_shapes import beside_modes

BESIDE = 1e-9  # of its length: largest distance from the plate of a place on it
ELEMENTS = 12  # along each side: the first six frequencies to 0.02 %
ORDER = 6  # of quadrature: exact for products of bicubic shapes


@dataclass(frozen=True)
class Plate:
    """x outward from the clamped edge, 0 … length; y along it, −width/2 … width/2; z normal. All SI."""

    length: float
    width: float
    mass: float
    stiffness: tuple[float, float, float, float]  # D₁₁, D₂₂, D₁₂, D₆₆ [N m]


def isotropic(D: float, poisson: float) -> tuple[float, float, float, float]:
    """D₁₁, D₂₂, D₁₂, D₆₆ of an isotropic plate: D = E h³/(12(1 − ν²)), D₆₆ = (1 − ν)D/2."""
    return D, D, poisson * D, 0.5 * (1.0 - poisson) * D


def plate_body(
    name: str,
    plate: Plate,
    modes: int,
    places: dict[str, tuple[float, float]],
    axes=None,
    stiffening=True,
    heated: Heated | None = None,
) -> FlexibleBody:
    """A FlexibleBody of the first modes; the largest value of each shape is 1 at the mesh's vertices.

    `places` names nodes by (x, y) [m]: mesh lines run through them, so that displacement and slopes are degrees of freedom there.
    `axes` (3, 3) has the plate's x, y, z in body axes as columns (default: the same).
    `heated`: with temperatures of its sections, and behind the modes their static shapes.
    """
    axes = np.eye(3) if axes is None else np.asarray(axes, float)
    grid = _section_lines(plate, heated)
    lines = (
        _lines(0.0, plate.length, [*grid[0], *(x for x, _ in places.values())]),
        _lines(-0.5 * plate.width, 0.5 * plate.width, [*grid[1], *(y for _, y in places.values())]),
    )
    basis = Basis(MeshQuad.init_tensor(*lines), ElementQuadBFS(), intorder=ORDER)
    omega, X = _modes(basis, plate, modes)
    loads = np.zeros((basis.N, 0)) if heated is None else _thermal_loads(basis, plate, grid)
    if heated is not None and heated.static_shapes:
        omega, X = _with_static_shapes(basis, plate, omega, X, loads)
    fields = [basis.interpolate(shape) for shape in X.T]
    x, y = (coordinate.ravel() for coordinate in np.asarray(basis.global_coordinates()))
    mass = plate.mass / (plate.length * plate.width) * basis.dx.ravel()
    none = np.zeros_like(x)
    phi = np.array([np.column_stack([none, none, np.asarray(field).ravel()]) for field in fields]) @ axes.T
    rho = np.column_stack([x, y, none]) @ axes.T
    second = drawn_at = None
    if stiffening:
        second, drawn_at = _drawn_in(basis, plate, fields, axes)

    def shapes_at(places):
        """Positions (P, 3), translations and rotations (N, P, 3) of places (P, 2) in the plate's plane."""
        w, (w_x, w_y) = _values_and_slopes(basis, places, X)
        turns = np.stack([w_y.T, -w_x.T, 0.0 * w.T], axis=-1) @ axes.T
        return places @ axes[:, :2].T, np.multiply.outer(w.T, axes[:, 2]), turns

    def node_on(node: str, place) -> Node:
        (position,), shape, turn = shapes_at(np.array([place], float))
        return Node(node, position, shape[:, 0].T, turn[:, 0].T, None if drawn_at is None else drawn_at(place))

    def inside(points):
        return np.clip((points @ axes)[..., :2], [0.0, -0.5 * plate.width], [plate.length, 0.5 * plate.width])

    def node_at(position) -> Node | None:
        *xy, z = axes.T @ position
        place = inside(position)
        return node_on("place", place) if np.hypot(*(place - xy)) + abs(z) <= BESIDE * plate.length else None

    nodes = {node: node_on(node, place) for node, place in places.items()}
    anywhere = Nodes(
        nodes,
        node_at,
        f"in its plane, within {plate.length:g} × {plate.width:g} m",
        lambda points: shapes_at(inside(points)),
    )
    integrals = integrals_of_points(rho, mass, phi, second=second)
    body = FlexibleBody(name, integrals, omega / (2.0 * np.pi), np.zeros(len(omega)), anywhere, stiffening=stiffening)
    if heated is None:
        return body
    middles = [0.5 * (line[1:] + line[:-1]) for line in grid]
    sections = [node_on(f"section[{i}]", (x, y)) for i, (x, y) in enumerate(product(*middles), 1)]
    return replace(body, thermal=port(body, heated, {"z": X.T @ loads}, sections, axes))


def _values_and_slopes(basis: Basis, places, dofs):
    """Of the fields with degrees of freedom `dofs` (n, N) at places (P, 2): values (P, N) (of a vector field: (2, P, N)) and ∂/∂x, ∂/∂y (2, P, N)."""
    points = np.asarray(places, float).T
    cells = basis.mesh.element_finder(mapping=basis.mapping)(*points)
    local = basis.mapping.invF(points[:, :, None], tind=cells)
    shapes = [basis.elem.gbasis(basis.mapping, local, i, tind=cells)[0] for i in range(basis.Nbfun)]
    here = dofs[basis.element_dofs[:, cells]]
    values = np.array([np.asarray(shape)[..., 0] for shape in shapes])
    slopes = np.array([shape.grad[..., 0] for shape in shapes])
    return np.einsum("b...p,bpn->...pn", values, here), np.einsum("b...p,bpn->...pn", slopes, here)


def _lines(start: float, end: float, through) -> np.ndarray:
    """Mesh lines: evenly spaced, the nearest inner one moved to each requested place (or a new one added)."""
    even = np.linspace(start, end, ELEMENTS + 1)
    asked = np.array(sorted({float(np.round(value, 12)) for value in through} | {start, end}))
    spacing = (end - start) / ELEMENTS
    far = [line for line in even if np.min(np.abs(asked - line)) > 0.4 * spacing]
    return np.sort(np.concatenate([asked, far]))


def _section_lines(plate: Plate, heated: Heated | None):
    """Lines between sections, along x and along y [m]."""
    along, across = (1, 1) if heated is None else heated.sections
    return np.linspace(0.0, plate.length, along + 1), np.linspace(-0.5 * plate.width, 0.5 * plate.width, across + 1)


def _thermal_loads(basis: Basis, plate: Plate, lines):
    """F (n, sections) [N m]: ∫ M_T·κ of unit thermal curvature in both directions, M_T = (D₁₁ + D₁₂, D₂₂ + D₁₂); sections row by row from the clamped edge, across first.

    Of an isotropic plate both are D(1 + ν).
    """
    d11, d22, d12, _ = plate.stiffness

    @LinearForm
    def moment(v, w):
        return (d11 + d12) * dd(v)[0, 0] + (d22 + d12) * dd(v)[1, 1]

    x, y = basis.mesh.p[:, basis.mesh.t].mean(axis=1)
    columns = []
    for (x_0, x_1), (y_0, y_1) in product(*(list(pairwise(line)) for line in lines)):
        inside = np.flatnonzero((x > x_0) & (x < x_1) & (y > y_0) & (y < y_1))
        columns.append(moment.assemble(basis.with_elements(inside)))
    return np.array(columns).T


def _with_static_shapes(basis: Basis, plate: Plate, omega, X, loads):
    """Appends the static deflections by the loads to the modes, without their components along the modes; scaled like the modes."""
    K, M, free = _matrices(basis, plate)
    static = np.zeros_like(loads)
    static[free] = splu(K[free][:, free].tocsc()).solve(loads[free])
    both = np.hstack([X, static])
    stiffness, mass = both.T @ (K @ both), both.T @ (M @ both)
    square, mixtures = beside_modes(stiffness, mass, X.shape[1])
    rest = both @ mixtures
    return np.append(omega, np.sqrt(square)), np.hstack([X, rest / _peaks(basis, rest)])


def _matrices(basis: Basis, plate: Plate):
    """Stiffness and mass (n, n), and the degrees of freedom that the clamped edge leaves free."""
    d11, d22, d12, d66 = plate.stiffness

    @BilinearForm
    def bending(u, v, w):
        a, b = dd(u), dd(v)
        along = d11 * a[0, 0] * b[0, 0] + d22 * a[1, 1] * b[1, 1]
        return along + d12 * (a[0, 0] * b[1, 1] + a[1, 1] * b[0, 0]) + 4.0 * d66 * a[0, 1] * b[0, 1]

    @BilinearForm
    def inertia(u, v, w):
        return plate.mass / (plate.length * plate.width) * u * v

    K, M = bending.assemble(basis), inertia.assemble(basis)
    return K, M, basis.complement_dofs(basis.get_dofs(lambda x: np.isclose(x[0], 0.0)))


def _modes(basis: Basis, plate: Plate, count: int):
    """Angular frequencies (N,) and degrees of freedom (n, N) of the first modes."""
    K, M, free = _matrices(basis, plate)
    start = np.ones(len(free))  # a fixed start vector: the same modes with the same signs in every run
    square, shapes = eigsh(K[free][:, free].tocsc(), count, M[free][:, free].tocsc(), sigma=0.0, v0=start)
    order = np.argsort(square)
    X = np.zeros((basis.N, count))
    X[free] = shapes[:, order]
    return np.sqrt(square[order]), X / _peaks(basis, X)


def _peaks(basis: Basis, X):
    """The largest value of each shape at the mesh's vertices, with its sign."""
    w = X[basis.nodal_dofs[0]]
    return w[np.argmax(np.round(np.abs(w / np.abs(w).max(axis=0)), 9), axis=0), np.arange(X.shape[1])]


def _drawn_in(basis: Basis, plate: Plate, fields, axes):
    """H at the quadrature points, (N, N, P, 3), and a function of a place (x, y) that gives it there, (N, N, 3)."""
    d11, d22, d12, d66 = plate.stiffness
    flat = Basis(basis.mesh, ElementVector(ElementQuad2()), intorder=ORDER)

    def stress(strain):
        xx, yy, xy = strain
        return d11 * xx + d12 * yy, d12 * xx + d22 * yy, 2.0 * d66 * xy

    def work(strain, v):
        xx, yy, xy = stress(strain)
        e = sym_grad(v)
        return xx * e[0, 0] + yy * e[1, 1] + 2.0 * xy * e[0, 1]

    @BilinearForm
    def membrane(u, v, w):
        e = sym_grad(u)
        return work((e[0, 0], e[1, 1], e[0, 1]), v)

    @LinearForm
    def eigenstrain(v, w):
        a, b = grad(w["a"]), grad(w["b"])
        return -work((a[0] * b[0], a[1] * b[1], 0.5 * (a[0] * b[1] + a[1] * b[0])), v)

    free = flat.complement_dofs(flat.get_dofs(lambda x: np.isclose(x[0], 0.0)))
    solver = splu(membrane.assemble(flat)[free][:, free].tocsc())
    n = len(fields)
    H = np.zeros((n, n, flat.N))
    for i in range(n):
        for j in range(i + 1):
            load = eigenstrain.assemble(flat, a=fields[i], b=fields[j])[free]
            H[i, j, free] = H[j, i, free] = solver.solve(load)
    points = np.array([[np.asarray(flat.interpolate(H[i, j])).reshape(2, -1).T for j in range(n)] for i in range(n)])
    per_dof = H.reshape(n * n, flat.N).T

    def drawn_at(place):
        values, _ = _values_and_slopes(flat, [place], per_dof)
        return values[:, 0].T.reshape(n, n, 2) @ axes[:, :2].T

    return points @ axes[:, :2].T, drawn_at
