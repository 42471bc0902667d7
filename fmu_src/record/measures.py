"""Quantities of a case's model that compare with the reference's columns: a table of measures.

A measure is a function of (Run, names, reference): an array of the reference's shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from spacefmu.dynamics.algebra.rotation import dcm_quaternion, quaternion_dcm

from .running import Run

DCM_VL = np.array(
    [[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]
)  # L: outward, along track, normal; V (VVLH): along track, −normal, inward
RIGID = 1e-3  # of the lowest reference frequency


def value(run: Run, of: Sequence[str], reference):
    """Variables by name: states or outputs."""
    return np.stack([run.column(name) for name in of], axis=1)


def total(run: Run, of: Sequence[str], reference):
    """The sum of variables."""
    return np.sum(value(run, of, reference), axis=1, keepdims=True)


def norm(run: Run, of: Sequence[str], reference):
    """The norm of variables."""
    return np.linalg.norm(value(run, of, reference), axis=1, keepdims=True)


def displacement(run: Run, of: Sequence[str], reference):
    """The norm of the change of variables since the first time."""
    return np.linalg.norm(value(run, of, reference) - value(run, of, reference)[0], axis=1, keepdims=True)


def quaternion(run: Run, of: Sequence[str], reference):
    """Attitude quaternions, with the sign nearer to the reference's: q and −q are the same attitude."""
    ours = np.concatenate([run.columns(f"{body}.quaternion", 4) for body in of], axis=1)
    for i in range(0, ours.shape[1], 4):
        ours[:, i : i + 4] *= np.sign(np.sum(ours[:, i : i + 4] * reference[:, i : i + 4], axis=1))[:, None]
    return ours


def spin(run: Run, of: Sequence[str], reference):
    """Angular velocities in the axes of the frame in which positions are (ours are in those of the body); one component: hub[2]."""
    columns = []
    for name in of:
        body, _, component = name.partition("[")
        turned = run.in_space(body, run.columns(f"{body}.angular_velocity", 3))
        columns.append(turned[:, [int(component.rstrip("]")) - 1]] if component else turned)
    return np.concatenate(columns, axis=1)


def reaction(run: Run, of: Sequence[str], reference):
    """The force that a joint's child exerts on its parent, in the parent's frame: of = [joint, child]."""
    joint, child = of
    return -run.in_space(child, run.columns(f"{joint}.reaction_force", 3))


def _dcm_VN(run: Run, body: str):
    """(n, 3, 3) of the frame VVLH, by the attitude of a body that does not turn in N relative to its orbital frame."""
    return np.array([DCM_VL @ quaternion_dcm(q) for q in run.columns(f"{body}.orbital.quaternion", 4)])


def vvlh(run: Run, of: Sequence[str], reference):
    """Attitude of the frame VVLH of a body that does not turn, with the sign that is nearer to the reference's."""
    ours = np.array([dcm_quaternion(dcm.T) for dcm in _dcm_VN(run, of[0])])
    return ours * np.sign(np.sum(ours * reference, axis=1))[:, None]


def vvlh_rate(run: Run, of: Sequence[str], reference):
    """Angular velocity of VVLH in its own axes: the body does not turn, so L turns against the body's rate relative to it."""
    rates = run.columns(f"{of[0]}.orbital.angular_velocity", 3)
    return np.array([-dcm @ rate for dcm, rate in zip(_dcm_VN(run, of[0]), rates, strict=True)])


def frequencies(run: Run, of: Sequence[str], reference):
    """Natural frequencies [Hz] about the start, from the lowest; `of` has their numbers, from 1.

    Poles at zero (free motion, norms of quaternions) appear as round-off: values below a thousandth of the reference are ignored.
    """
    circular = np.sort([abs(pole) for pole in run.poles() if pole.imag > 0.0]) / (2.0 * np.pi)
    found = circular[circular > RIGID * np.min(reference)]
    return np.array([[found[int(number) - 1] for number in of]])


def poles(run: Run, of: Sequence[str], reference):
    """Real and imaginary parts [1/s] of the poles about the start that are nearest to the reference's."""
    found = run.poles()
    wanted = np.asarray(reference)[0].reshape(-1, 2) @ [1.0, 1.0j]
    nearest = np.array([found[np.argmin(np.abs(found - pole))] for pole in wanted])
    return np.stack([nearest.real, nearest.imag], axis=1).reshape(1, -1)


MEASURES: dict[str, Callable] = {
    function.__name__: function
    for function in (value, total, norm, displacement, quaternion, spin, reaction, vvlh, vvlh_rate, frequencies, poles)
}
