"""The signal table of a spacecraft, collected from its pieces."""

from __future__ import annotations

from dataclasses import replace

from ..joints.coordinates import joint_states, mode_states
from ..signals import Signal, SignalTable, vector
from .structure import WORK_STATES, Spacecraft


def signal_table(craft: Spacecraft, outputs: list[Signal]) -> SignalTable:
    """States are q, v, the work integrals, those of the environment, then of connections, as the equations have them."""
    positions, speeds, parameters, inputs, discretes, connected = [], [], [], [], [], []
    for link, joint in zip(craft.tree.links, craft.joints, strict=True):
        q, v = joint_states(
            joint.name, link.joint, joint.q0, joint.v0, joint.forces.prescribed, craft.environment.frame.label
        )
        amplitudes, rates = mode_states(link.body.name, link.body.modes, joint.eta0, joint.eta_dot0)
        positions += q + amplitudes
        speeds += v + rates
        parameters += link.body.parameters()
        if link.place_name:
            parameters += vector(
                f"{link.place_name}.place", f"place of joint {link.place_name} on its parent", link.place.position, "m"
            )
        parameters += joint.forces.parameters()
        inputs += link.body.inputs() + joint.forces.inputs()
        discretes += [
            Signal(
                lock.locked,
                f"the joint axis is {lock.locked.split('.')[1].split('[')[0]}",
                kind="boolean",
                calculated=True,
            )
            for lock in joint.forces.locks
        ]
    for piece in craft.loads:
        inputs += piece.inputs()
        parameters += piece.parameters()
    inputs += craft.environment.inputs()
    parameters += craft.environment.parameters()
    for coupling in craft.couplings:
        parameters += coupling.parameters()
        inputs += coupling.inputs()
        connected += coupling.states()
        discretes += coupling.discretes()
    discretes += craft.assembly.discretes()
    # Couplings are assembled at the start, by moving places and speeds; what locks there stops at a jump of speeds.
    jumps = craft.rows > 0 or any(joint.forces.locks for joint in craft.joints)
    positions = [replace(state, approximate=craft.rows > 0) for state in positions]
    speeds = [replace(state, approximate=jumps) for state in (*speeds, *WORK_STATES)]
    return SignalTable(
        states=(*positions, *speeds, *craft.environment.states(), *connected),
        inputs=tuple(inputs),
        parameters=tuple(parameters),
        discretes=tuple(discretes),
        outputs=tuple(outputs),
    )
