"""The start of a spacecraft: checks that everything that can move has inertia, and finds a consistent start from partly given data.

Given values are kept, the others are found.
Couplings of a closed loop tie coordinates together. Where a description gives only some of them, the others are found
here, once, by the couplings' own projections with the given columns left out: of all starts that satisfy the couplings the one nearest in
the metric of the kinetic energy. If none keeps the given values (for example rounded angles of a whole loop), all of them move, and a value
that would move far is refused, with its name; if there is no start at all, the runtime reports the residual.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algebra.newton import newton
from ..bodies.body import unbent
from ..bodies.equations import mass_matrix
from ..bounds import RANK_TOLERANCE
from ..constraints import HeldFormula
from ..joints.kinds import FreeJoint
from ..spacecraft import Spacecraft
from ..spacecraft.coupled import Coupled
from ..spacecraft.given_start import GivenStart
from ..spacecraft.motion import Dynamics
from ..spacecraft.route import Connections
from ..system.contract import Projection
from ..system.evaluate import ProjectionIterate
from ..system.signals import Bag, SignalTable
from ..tree.composite import composite_equations
from ..tree.kinematics import move
from .errors import Problems

NO_INERTIA = 1e-13  # eigenvalue of the mass matrix with a unit diagonal
INDEFINITE = 1e-9  # the same of one body: limited digits of its file
PASSES = 1000  # of Newton's method, which may start far away
ROUND_OFF = 1e-12  # residual, relative to the size of the system, that counts as zero
FAR = 0.1  # [rad], or of the size of the system: if couplings move a start value farther, it was not just rounded
LONGEST_STEP = 0.5  # of a generalized coordinate [rad or m] in one Newton step: far guesses stay on their branch


@dataclass(frozen=True)
class Given:
    """Which of a link's speeds (joint, then modes) have a given coordinate, and which have a given value."""

    positions: tuple[bool, ...]
    rates: tuple[bool, ...]


def consistent_start(dynamics: Dynamics, given: list[Given], problems: Problems) -> Spacecraft:
    """The same spacecraft, with start values that satisfy its couplings; unchanged if they already do."""
    craft = dynamics.craft
    if not craft.rows:
        return craft
    tree = craft.tree
    held = _held(given, tree.nv)
    if held is None:
        return craft
    route = Coupled(dynamics, ())
    t, (x, u, k, d) = 0.0, _starts(route.dynamics.table)
    x, d = route.initialize(t, x, u, k, d)
    kept: list[tuple[bool, ...]] = []  # an FMU whose parameters change keeps the same
    for projection in (p for p in route.projections() if p.level):
        level = projection.level
        found = _first_satisfied(projection, (held[level], np.zeros(tree.nv, bool)), (t, x, u, k, d))
        if found is None:
            return craft
        x, mask = found
        kept.append(tuple(bool(flag) for flag in mask & _rest_yields(projection, mask, (t, x, u, k, d))))
    _refuse_far(craft, given, x, problems)
    mixed = any(any(level) and not all(level) for level in kept)
    return replace(started(route.dynamics, x), given_start=GivenStart(tuple(kept) if mixed else ()))


def _refuse_far(craft: Spacecraft, given: list[Given], x, problems: Problems) -> None:
    """A problem for each place or attitude of a free body, and each coordinate of a joint, that is given and that couplings have moved far."""
    for link, joint, kept, span in zip(craft.tree.links, craft.joints, given, craft.tree.joint_q, strict=False):
        before, after = joint.q0, x[span]
        if isinstance(link.joint, FreeJoint):
            turned = 2.0 * np.arccos(min(abs(float(before[3:] @ after[3:])) / float(np.linalg.norm(after[3:])), 1.0))
            far = max(craft.size, float(np.linalg.norm(before[:3])))
            moves = [("position", kept.positions[0], float(np.linalg.norm(after[:3] - before[:3])), far, "m")]
            moves.append(("orientation", kept.positions[3], turned, 1.0, "rad"))
            where, instead = f"bodies.{joint.name}", "that they allow, or left out"
        else:
            change = float(np.max(np.abs(after - before), initial=0.0))
            moves = [("initial", any(kept.positions[: link.joint.nv]), change, max(craft.size, 1.0), "rad or m")]
            where, instead = f"joints.{joint.name}", "position that they allow, or guess = true"
        for key, said, change, size, unit in moves:
            if said and change > FAR * size:
                key = f"initial.{key}" if key != "initial" else key
                names = ", ".join(coupling.name for coupling in craft.couplings if coupling.rows)
                problems.found.append(
                    f"{where}.{key} is moved by {change:.3g} {unit} where the couplings ({names}) hold at the start, expected a start {instead}"
                )


def _held(given: list[Given], nv: int) -> dict[str, np.ndarray] | None:
    """Masks (nv,) of the speeds whose coordinates, and whose values, are given; None if nothing is given. Wheels follow the bodies, and their speeds are given."""
    masks = {
        "positions": [flag for kept in given for flag in kept.positions],
        "rates": [flag for kept in given for flag in kept.rates],
    }
    if not any(map(any, masks.values())):
        return None
    return {level: np.array(mask + [True] * (nv - len(mask))) for level, mask in masks.items()}


def check_gradients(dynamics: Dynamics, problems: Problems) -> None:
    """A problem for each formula that is held at zero and that no motion changes at the start, so that it has no effect."""
    if not any(isinstance(coupling, HeldFormula) for coupling in dynamics.craft.couplings):
        return
    x, u, k, d = _starts(dynamics.table)
    bodies, scene = dynamics.placed(0.0, x, u, k, d)
    for coupling, view in Connections(dynamics).views(0.0, bodies, scene, x, u, k, d):
        if isinstance(coupling, HeldFormula) and not np.linalg.norm(coupling.gradient(view)) > 1e-12:
            problems.found.append(
                f"{coupling.said} does not change with any motion at the start; its derivative must not be zero there"
            )


def check_inertia(dynamics: Dynamics, problems: Problems) -> None:
    """A problem for motion without inertia at the start: a free thin rod's spin, two joint axes that coincide.

    The mass matrix, scaled to a unit diagonal, is then singular; the null vector's largest part names the speed.
    """
    craft, table = dynamics.craft, dynamics.table
    q, v = dynamics.split(np.array(table.starts("states")))
    _, speeds = dynamics.split(table.states)
    k = Bag(table, "parameters", np.array(table.starts("parameters")))
    nothing = [np.zeros(6 + link.body.modes) for link in craft.tree.links]
    prescribed = {
        craft.tree.joint_v[i].start + axis for i, joint in enumerate(craft.joints) for axis in joint.forces.prescribed
    }
    free = [p for p in range(craft.tree.nv) if p not in prescribed]
    M = composite_equations(craft.tree, move(craft.tree, q, v, k), nothing)[0][np.ix_(free, free)]
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    size = np.where(size > 0.0, size, 1.0)
    no_bodies = _indefinite(craft, k)
    problems.found += no_bodies
    for value, vector in zip(*_eigen(M / np.outer(size, size)), strict=True):
        if value < NO_INERTIA and not no_bodies:
            name = speeds[free[int(np.argmax(np.abs(vector)))]].name
            problems.found.append(
                f"the mass matrix is not positive definite at the start, most of all in {name}: a flexible body is bent beyond the range of its modes"
                if value < -NO_INERTIA
                else f"{name} can change without moving any mass; every motion that the joints leave free must have inertia"
            )


def _indefinite(craft: Spacecraft, k) -> list[str]:
    """A sentence for each body whose undeformed mass matrix has a negative eigenvalue: no masses have such modes."""
    found = []
    for link in craft.tree.links:
        M = mass_matrix(link.body.integrals(k), unbent(link.body)) if link.body.modes else np.eye(1)
        size = np.sqrt(np.maximum(np.diag(M), 0.0))
        size = np.where(size > 0.0, size, 1.0)
        lowest = np.linalg.eigvalsh(M / np.outer(size, size))[0]
        if lowest < -INDEFINITE:
            found.append(
                f"bodies.{link.body.name}: its mass matrix is indefinite before it is bent (eigenvalue {lowest:.2g}, scaled to a unit diagonal): "
                "masses and mode shapes belong to different models, as lumped masses beside modes of a consistent mass matrix do (Nastran: "
                "PARAM, COUPMASS); compute the modes with lumped masses, or give the mass matrix that they were computed with"
            )
    return found


def _starts(table: SignalTable) -> tuple[np.ndarray, ...]:
    """x, u, k, d as the table has them."""
    return tuple(np.array(table.starts(group)) for group in ("states", "inputs", "parameters", "discretes"))


def _eigen(matrix):
    """Eigenvalues and, row by row, eigenvectors."""
    values, vectors = np.linalg.eigh(matrix)
    return values, vectors.T


def _first_satisfied(projection: Projection, masks, instant):
    """x that satisfies a projection with the first suitable mask of held speeds, and that mask; or None."""
    longest = LONGEST_STEP if projection.level == "positions" else np.inf
    for mask in masks:
        moved = _satisfied(projection, mask, longest, instant)
        if moved is not None:
            return moved, mask
    return None


def _satisfied(projection: Projection, held, longest: float, instant):
    """x moved onto the projection's manifold along the speeds that are not held, or None."""
    t, x, u, k, d = instant
    enough = max(projection.tolerance, ROUND_OFF)
    free = np.flatnonzero(~held)
    x, seen = newton(
        x,
        lambda x: ProjectionIterate(projection, (t, x, u, k, d), free, longest),
        enough,
        passes=PASSES if len(free) else 1,
    )
    return x if seen.size <= enough else None


def _rest_yields(projection: Projection, held, instant) -> bool:
    """Whether there are rows, and the speeds that are not held suffice to satisfy them: they have the same rank."""
    stage = projection.stage
    G = np.reshape(stage.assemble(*instant)[1], (stage.m, stage.n))
    smallest = RANK_TOLERANCE * np.linalg.norm(G)
    return 0 < np.linalg.matrix_rank(G, tol=smallest) == np.linalg.matrix_rank(G[:, ~held], tol=smallest)


def started(dynamics: Dynamics, x) -> Spacecraft:
    """The spacecraft with the coordinates and speeds of the state x as its start."""
    tree, (q, v) = dynamics.tree, dynamics.split(x)
    joints = tuple(
        replace(joint, q0=q[tree.joint_q[i]], v0=v[tree.joint_v[i]], eta0=q[tree.mode_q[i]], eta_dot0=v[tree.mode_v[i]])
        for i, joint in enumerate(dynamics.craft.joints)
    )
    return replace(dynamics.craft, joints=joints)
