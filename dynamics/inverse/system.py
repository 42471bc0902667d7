"""A spacecraft with prescribed motions → System: the usual states and outputs; drives become outputs, paths may be inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..spacecraft.motion import Dynamics
from ..spacecraft.outputs import SystemTotals
from ..spacecraft.signals import signal_table
from ..spacecraft.structure import Spacecraft
from ..spacecraft.system import routed
from ..system.contract import System
from ..system.evaluate import constants
from ..system.signals import Quantity
from .route import RUN_AWAY, InverseRoute, Problem

ON_PATH = 1e-6  # distance of the start from its path, relative to the craft's size, that counts as zero


@dataclass(frozen=True)
class GivenMotion:
    """The craft, without the drives to be computed; the problem; (name, description, unit) of each force, in the order of `actuated`."""

    craft: Spacecraft
    problem: Problem
    forces: tuple[tuple[str, str, str], ...]


class OffPath(ValueError):
    """The start does not lie on the path; the message says by how much."""


def inverse_system(given: GivenMotion) -> System:
    """The System of an inverse problem."""
    craft, problem = given.craft, given.problem
    pieces = (SystemTotals(craft.environment.frame_text), *craft.sensors)
    outputs = [Quantity(name, description, unit) for name, description, unit in given.forces]
    for task in problem.tasks:
        meaning = f"path of {task.name} minus its motion: {task.quantity}"
        outputs.append(Quantity(f"{task.name}.path.{task.quantity}_error", meaning, task.unit, (0.0,) * task.rows))
    text = (
        "smallest singular value of the generalized Jacobian, tasks by actuators: zero where the motion can't be driven"
    )
    outputs.append(Quantity("inverse.singular_value", text))
    count, turning = len(problem.actuated), all(unit == "N.m" for _, _, unit in given.forces)
    text = "effective inertia between actuators {i} and {j}, with undriven parts moving freely: M_AA − M_AU M_UU⁻¹ M_UA"
    outputs.append(Quantity("inverse.inertia", text, "kg.m2" if turning else "", np.zeros((count, count))))
    table = signal_table(craft, pieces)
    table = table.with_group("outputs", (*table.quantities("outputs"), *outputs))
    paths = [signal for task in problem.tasks for signal in task.path.inputs()]
    table = table.with_group("inputs", (*table.quantities("inputs"), *paths))
    route = InverseRoute(Dynamics(craft, table), problem, pieces)
    return replace(routed(route, table), made_by=(inverse_system, given), without_rates=RUN_AWAY)


def started_on_path(given: GivenMotion) -> GivenMotion:
    """The same with rates at the start that follow the path and keep the momentum of everything that is not driven; redundant rates are
    those of the objective. `OffPath` if the start is not on the path.
    """
    craft, problem = given.craft, given.problem
    system = inverse_system(given)
    table = system.signals
    x, u, d = (np.array(table.starts(group)) for group in ("states", "inputs", "discretes"))
    k = constants(system, table.starts("parameters"))
    dynamics = Dynamics(craft, table)
    x = dynamics.begun(0.0, x, k)
    route = InverseRoute(dynamics, problem, ())
    moment = dynamics.moment(0.0, x, u, k, d)
    M, _, V, B = dynamics.kane(moment)
    asked = route.asked(0.0, moment, V, B)
    _check_on_path(problem, asked.error, craft.size)
    C = np.vstack([M[route.U], asked.jacobian])
    missing = np.concatenate([np.zeros(len(route.U)), asked.rate_error])
    v = moment.v + np.linalg.lstsq(C, missing, rcond=None)[0]
    if problem.aim is not None:
        # least ½ (v − v_aim)ᵀW(v − v_aim) with C v as it is: what it takes off lies in the null space N of C
        W, N = problem.aim.metric(M, route.A), np.linalg.svd(C)[2][len(C) :].T
        excess = v - problem.aim.rates(moment.q, v, route.A)
        v = v - N @ np.linalg.lstsq(N.T @ W @ N, N.T @ (W @ excess), rcond=None)[0]
    joints = [
        replace(joint, v0=v[craft.tree.joint_v[i]], eta_dot0=v[craft.tree.mode_v[i]])
        for i, joint in enumerate(craft.joints)
    ]
    return replace(given, craft=replace(craft, joints=tuple(joints)))


def _check_on_path(problem: Problem, errors, size: float) -> None:
    start = 0
    for task in problem.tasks:
        error = errors[start : start + task.rows]
        start += task.rows
        away = float(np.linalg.norm(error))
        if away > ON_PATH * (size if task.unit == "m" else 1.0):
            raise OffPath(f"{task.name} starts {away:.6g} {task.unit} away from its path; it must start on the path")
