"""A file and its keys → the body with its modes, in the frame of its root, with its named places."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..bodies.body import FlexibleBody, Node, Scattered
from ..bodies.geometric import Geometric, stiffened
from ..bodies.integrals import scaled
from .clamp import Clamped
from .finite import check_finite, solvable
from .formats import FileOptions, read
from .frame import at_root, diagonal, index_of, node_of, orthogonal
from .neutral import ModalBody, Structure
from .preload import PreloadRun, geometric_of
from .select import Selection, chosen, modes_of

DIAGONAL = 1e-9  # off-diagonal entries of the damping that count as zero


@dataclass(frozen=True)
class Wanted:
    """The keys of a description about a file. Places are names with the file's node, or nodes of a patch."""

    given: FileOptions = field(default_factory=FileOptions)
    root: tuple[str, ...] | None = None
    origin: tuple[float, float, float] | None = None  # [m], in the file's axes
    places: dict[str, tuple[str, ...]] = field(default_factory=dict)
    selection: Selection = field(default_factory=Selection)
    residual: tuple[str, ...] = ()
    residual_damping: float = 0.5
    residual_frequency: float | None = None  # [Hz] quasi-static: highest frequency of static shapes
    mass_scale: float = 1.0
    frequency_scale: float = 1.0
    runs: tuple[PreloadRun, ...] = ()  # its geometric stiffness


def load(path: Path, wanted: Wanted) -> tuple[ModalBody, dict[str, Node]]:
    """The body's modes and its named nodes. `ValueError` is one sentence that continues from the file's name."""
    with solvable(), np.errstate(all="ignore"):  # what overflows is not finite in the end
        found = read(path, wanted.given)
        check_finite(found)
        body, nodes = _loaded(found, wanted)
        check_finite(body)
    return body, nodes


def _loaded(found: ModalBody | Structure, wanted: Wanted) -> tuple[ModalBody, dict[str, Node]]:
    clamped = None
    if isinstance(found, Structure):
        if found.differential:
            raise ValueError(
                "has only differential stiffness, which belongs to geometric_stiffness; mass and stiffness are required"
            )
        clamped = _clamped_at(found, wanted)
        body = modes_of(clamped, wanted.selection, wanted.places, wanted.residual)
        body = replace(body, stated={**body.stated, "grounding": clamped.grounding})
    else:
        if wanted.residual:
            raise ValueError(
                "has only modes; the static shapes of residual also require stiffness: matrices, such as an external superelement"
            )
        body = at_root(orthogonal(found) if found.printed else found, wanted.root, wanted.origin)
        body = chosen(diagonal(body), wanted.selection)
    nodes = {name: node_of(body, name, members) for name, members in wanted.places.items()}
    if wanted.runs:
        body, nodes = _stiffened(body, nodes, geometric_of(wanted.runs, body, clamped, wanted.given))
    body = _damped(_slowed(body, wanted.residual_frequency), wanted.residual_damping)
    return _rescaled(body, wanted.mass_scale, wanted.frequency_scale), nodes


def _stiffened(body: ModalBody, nodes: dict[str, Node], found: Geometric) -> tuple[ModalBody, dict[str, Node]]:
    if np.any((body.integrals.alone or body.integrals).s1_second):
        raise ValueError("has geometric stiffening already; remove geometric_stiffness")
    body = replace(body, integrals=stiffened(body.integrals, found.motions), stiffens=True)
    return body, {name: replace(node, second=found.seconds.get(name, node.second)) for name, node in nodes.items()}


def _clamped_at(structure: Structure, wanted: Wanted) -> Clamped:
    if wanted.root is None:
        raise ValueError(
            "has the matrices of a free structure; give root = the node(s) to which the body's frame is fixed"
        )
    return Clamped(structure, index_of(structure.names, wanted.root), wanted.origin)


def _slowed(body: ModalBody, frequency: float | None) -> ModalBody:
    """Quasi-static shapes: a modal mass K/(2πf)² in place of their own, so that none is faster than f [Hz].

    Stiffness and couplings are unchanged: the deflection under a load that is slow compared with f is still the static one, and the system
    still has a Lagrangian. Only the shapes' own motion above f is lost, which a static shape does not represent anyway.
    """
    if frequency is None or not body.residual:
        return body
    modes = body.count - body.residual
    if modes and frequency <= body.frequencies[:modes].max():
        raise ValueError(
            f"has modes up to {body.frequencies[:modes].max():.4g} Hz, expected residual_frequency above them, but it is {frequency:.4g} Hz"
        )
    slow = np.diag(body.stiffness) / (2.0 * np.pi * frequency) ** 2
    own = np.diag(body.integrals.modal_mass)
    wanted = np.where(np.arange(body.count) < modes, own, np.maximum(own, slow))
    modal_mass = body.integrals.modal_mass + np.diag(wanted - own)
    return replace(body, integrals=replace(body.integrals, modal_mass=modal_mass))


def _damped(body: ModalBody, ratio: float) -> ModalBody:
    """Static shapes get the given damping ratio: files have none for them."""
    if not body.residual:
        return body
    damping = np.array(body.damping)
    last = np.arange(body.count - body.residual, body.count)
    damping[last, :] = damping[:, last] = 0.0
    damping[last, last] = 2.0 * ratio * np.sqrt(np.diag(body.stiffness) * np.diag(body.integrals.modal_mass))[last]
    return replace(body, damping=damping)


def _rescaled(body: ModalBody, mass: float, frequency: float) -> ModalBody:
    """Match to measurements: density × mass, all frequencies × frequency, unchanged damping ratios."""
    if mass == 1.0 and frequency == 1.0:
        return body
    return replace(
        body,
        integrals=scaled(body.integrals, mass),
        stiffness=body.stiffness * mass * frequency**2,
        damping=body.damping * mass * frequency,
    )


def with_ratios(body: ModalBody, ratios) -> ModalBody:
    """The body with damping ratios for its modes in place of its own damping; static shapes keep theirs."""
    given = damping_ratios(body)
    given[: body.count - body.residual] = ratios
    angular = 2.0 * np.pi * body.frequencies
    return replace(body, damping=np.diag(2.0 * given * np.diag(body.integrals.modal_mass) * angular))


def damping_ratios(body: ModalBody) -> np.ndarray:
    """ζ (N,) of the diagonal of the damping matrix."""
    modal_mass = np.diag(body.integrals.modal_mass)
    return np.diag(body.damping) / (2.0 * modal_mass * 2.0 * np.pi * body.frequencies)


def flexible_body(name: str, body: ModalBody, nodes: dict[str, Node]) -> FlexibleBody:
    """The engine's body: frequencies are parameters, and so are damping ratios, unless the damping couples modes."""
    ratios = damping_ratios(body)
    size = np.sqrt(np.outer(np.diag(body.damping), np.diag(body.damping)))
    beside = body.damping - np.diag(np.diag(body.damping))
    full = np.any(np.abs(beside) > DIAGONAL * np.maximum(size, 1e-300)) and np.any(beside)
    return FlexibleBody(
        name,
        body.integrals,
        body.frequencies,
        ratios,
        Scattered(nodes, body.positions, body.translations),
        damping_matrix=body.damping if full else None,
        stiffening=body.stiffens,
    )
