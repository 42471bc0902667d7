"""The table of an inverse problem → the craft without the drives to be computed, tasks and actuators."""

from __future__ import annotations

from pathlib import Path

from ..bodies.extending import Extending
from ..inverse.aims import Aim
from ..inverse.route import Problem
from ..inverse.stability import runaway_modes
from ..inverse.system import GivenMotion, OffPath, inverse_system, started_on_path
from ..inverse.tasks import NoTurn
from ..joints.forces import AxesForces
from ..spacecraft import Spacecraft
from ..spacecraft.assembly import dynamics_of
from ..system.contract import System
from .errors import Problems
from .inverse_drives import actuators
from .inverse_paths import find_body, frame_of, make_task


def make_inverse(craft: Spacecraft, table, problems: Problems, folder: Path) -> System | None:
    """The System of the inverse problem, or None with all that is wrong in `problems`."""
    entry = table.inverse
    _refuse_what_it_cannot_hold(craft, problems)
    actuated, forces, craft = actuators(craft, entry, problems)
    if problems.found:
        return None
    dynamics = dynamics_of(craft)
    tasks = [make_task(name, path, dynamics, problems, folder) for name, path in entry.paths.items()]
    if entry.still is not None:
        body = find_body(craft, "inverse.still", entry.still, problems)
        about = tuple(sorted({"xyz".index(letter) for letter in entry.still_about}))
        tasks += [] if body is None else [NoTurn(entry.still, body, frame_of(craft, body), about)]
    if problems.found:
        return None
    rows = sum(task.rows for task in tasks)
    aim = None
    if entry.redundancy is not None and rows < len(actuated):
        aim = _aim(craft, entry.redundancy, actuated, problems)
    elif rows != len(actuated):
        problems.found.append(
            f"[inverse] prescribes {rows} motions (a node's position or attitude counts as three, or as many as its components), "
            f"but {len(actuated)} axes are driven; prescribe {len(actuated)}, or fewer with a table inverse.redundancy"
        )
    if problems.found:
        return None
    try:
        given = started_on_path(GivenMotion(craft, Problem(tuple(tasks), actuated, entry.correction, aim), forces))
    except OffPath as error:
        problems.found.append(f"inverse: {error}")
        return None
    system = inverse_system(given)
    growth = runaway_modes(system, craft)
    if growth:
        problems.found.append(
            f"inverse: the modes of {growth[0]} are unstable along these paths (growth rate {growth[1]:.3g} 1/s): tracked node and drives are "
            f"not collocated (non-minimum phase); track a node nearer the drives, or make {growth[0]} rigid"
        )
    return system


def _refuse_what_it_cannot_hold(craft: Spacecraft, problems: Problems) -> None:
    for coupling in craft.couplings:
        problems.found.append(
            f"inverse: {coupling.name} closes a loop or is a cable; inverse problems support only trees of joints"
        )
    for burner in craft.propulsion.burners:
        problems.found.append(
            f"inverse: {burner.name} draws from a tank; inverse problems support only thrusters without one"
        )
    for body in (link.body for link in craft.tree.links):
        if isinstance(body, Extending):
            problems.found.append(
                f"inverse: {body.name} extends; inverse problems support only beams of constant length"
            )
    for joint in craft.joints:
        if joint.forces.prescribed:
            problems.found.append(
                f"inverse: joint {joint.name} has a prescribed motion; prescribe it by inverse.paths instead"
            )
        if joint.forces.stops:
            problems.found.append(f"inverse: joint {joint.name} has stops, which inverse problems do not support")
        if joint.forces.locks:
            problems.found.append(f"inverse: joint {joint.name} can lock, which inverse problems do not support")


def _aim(craft, entry, actuated, problems: Problems) -> Aim | None:
    if entry.aim != "posture":
        return Aim(entry.aim)
    tree, places, starts, names = craft.tree, {}, {}, {}
    for i, joint in enumerate(craft.joints):
        axes = joint.forces.axes if isinstance(joint.forces, AxesForces) else ()
        for a in range(len(axes)):
            speed = tree.joint_v[i].start + a
            places[speed], starts[speed] = tree.joint_q[i].start + a, float(joint.q0[a])
            names[f"{joint.name}[{a + 1}]" if len(axes) > 1 else joint.name] = speed
    without = [p for p in actuated if p not in places]
    if without:
        problems.found.append("inverse.redundancy.aim is posture, which requires that only axes of joints are driven")
        return None
    for text, value in entry.posture.items():
        if text not in names:
            problems.unknown("inverse.redundancy.posture", text, names, "axis")
            return None
        starts[names[text]] = float(value)
    return Aim("posture", entry.gain, tuple(starts[p] for p in actuated), tuple(places[p] for p in actuated))
