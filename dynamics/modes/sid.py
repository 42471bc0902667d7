"""SID, the standard input data of a flexible body ([wallrapp1994]): read and written.

Every quantity is a Taylor expansion in the modal coordinates, M0 + Σ M1_l q_l. It holds the integrals of bodies/integrals.py:

    mdCM = mc, Ct0 = S₁ᵀ          Ct1(k, μ) = ∫H_μk dm          J0 = I, J1_l = h³_l + h³_lᵀ (xx, yy, zz, xy, xz, yz)
    Cr0(k) = h¹_k                 Cr1(k, μ) = h⁴_μk             Me = M_η, Ke = K, De = D
    Oe(k) ω_q = −ωᵀK_kω           Oe0 from h³, Oe1(k, μ) from h⁵_μk;   ω_q = (ω₁², ω₂², ω₃², ω₁ω₂, ω₂ω₃, ω₁ω₃)
    Gr_l = 2 h³_lᵀ                Ge_l(k) = h⁴_lk − h⁴_kl       (both follow from the others; columns axis by axis, and in each mode by mode, as FEMBS writes them)

Geometric stiffening in SID's sense is Ct1 and what it adds to Cr1 and Oe1: exactly the integrals of a second-order displacement H,
whose value at a node is phi's first-order part. SID does not contain the second-order part of J (spacefmu derives it from Oe1).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from ..bodies.integrals import Integrals
from .neutral import ModalBody
from .units import Units

_ENTRY = re.compile(r"(?i)(m0|m1|mn)\s*\(([\d\s,]+)\)$")
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))  # order of ω_q
SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # order of J's six entries
MOST = 2000  # rows or columns of one matrix: more indicate a damaged file


@dataclass
class Taylor:
    """M0 (rows, columns) and M1 (rows, q, columns) of one matrix."""

    first: np.ndarray
    linear: np.ndarray | None


@dataclass
class _Block:
    name: str
    value: str = ""
    entries: dict[str, str] = field(default_factory=dict)
    numbers: list[tuple[str, tuple[int, ...], str, int]] = field(default_factory=list)
    blocks: list[_Block] = field(default_factory=list)
    line: int = 0

    def find(self, name: str) -> _Block:
        for block in self.blocks:
            if block.name == name:
                return block
        raise ValueError(f"lacks {name!r} in {self.name!r} (line {self.line})")


def _blocks(lines: list[str]) -> _Block:
    """The tree of blocks between `part` and `end part`."""
    top = _Block("the file", line=1)
    open_blocks = [top]
    for number, line in enumerate(lines[1:], 2):
        left, equals, right = (text.strip() for text in line.partition("="))
        words = left.split()
        if not words:
            continue
        if words[0] == "end":
            if len(words) < 2 or len(open_blocks) == 1 or open_blocks[-1].name != words[1]:
                raise ValueError(
                    f"line {number} ends {' '.join(words[1:])!r}, expected the end of {open_blocks[-1].name!r}"
                )
            open_blocks.pop()
        elif words[0] == "new" or not equals:
            block = _Block(words[-1], right, line=number)
            open_blocks[-1].blocks.append(block)
            open_blocks.append(block)
        elif match := _ENTRY.match(left.replace(" ", "")):
            indices = tuple(int(index) for index in match[2].split(","))
            open_blocks[-1].numbers.append((match[1].lower(), indices, right, number))
        else:
            open_blocks[-1].entries[left] = right
    if len(open_blocks) > 1:
        raise ValueError(
            f"ends inside {open_blocks[-1].name!r} (begun in line {open_blocks[-1].line}): it is truncated"
        )
    return top


def _number(text: str, line: int) -> float:
    try:
        value = float(text.replace("D", "E").replace("d", "e"))
    except ValueError:
        raise ValueError(f"line {line} has {text!r}, expected a number") from None
    if not np.isfinite(value):
        raise ValueError(f"line {line} has {text!r}, expected a finite number")
    return value


def _taylor(block: _Block, shape: tuple[int, int], q: int) -> Taylor:
    """One matrix, of the required size; missing entries are zero."""
    said = tuple(int(_number(block.entries.get(key, "-1"), block.line)) for key in ("nrow", "ncol"))
    if said != shape:
        raise ValueError(
            f"{block.name} (line {block.line}) has {said[0]} × {said[1]} entries, expected {shape[0]} × {shape[1]}"
        )
    structure = int(_number(block.entries.get("structure", "3"), block.line))
    first = np.eye(*shape) if structure == 4 else np.zeros(shape)
    linear = np.zeros((shape[0], q, shape[1]))
    for kind, indices, text, line in block.numbers:
        target = {"m0": first, "m1": linear}.get(kind)
        if (
            target is None
            or len(indices) != target.ndim
            or any(not 1 <= i <= n for i, n in zip(indices, target.shape, strict=True))
        ):
            raise ValueError(
                f"line {line} has the entry {kind}{indices}, expected one inside {block.name}'s {shape[0]} × {shape[1]}"
            )
        target[tuple(i - 1 for i in indices)] = _number(text, line)
    if structure == 2 and shape[0] == shape[1] and not np.any(np.tril(first, -1)):
        first = first + np.triu(first, 1).T  # a symmetric matrix may be given by its upper half
    return Taylor(first, linear if np.any(linear) else None)


def read_sid(path, units: Units) -> ModalBody:
    """A body in the file's own frame, `body ref`."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    counts = lines[0].split(":")[0].split() if lines else []
    if len(counts) < 2 or not all(count.isdigit() for count in counts[:2]):
        raise ValueError("does not begin with the numbers of nodes and modes, as a SID file does")
    modal = _blocks(lines).find("part").find("modal")
    refmod = modal.find("refmod")
    q = int(_number(refmod.entries.get("nelastq", "x"), refmod.line))
    if not 0 < q <= MOST:
        raise ValueError(f"has {q} modes, expected 1 to {MOST}")
    sizes = {
        "mdCM": (3, 1),
        "J": (6, 1),
        "Ct": (q, 3),
        "Cr": (q, 3),
        "Me": (q, q),
        "Oe": (q, 6),
        "Ke": (q, q),
        "De": (q, q),
    }
    found = {key: _taylor(modal.find(key), shape, q) for key, shape in sizes.items()}
    mass = _number(refmod.entries.get("mass", "x"), refmod.line)
    if not mass > 0.0:
        raise ValueError(f"has the mass {mass:g}, expected a positive one")
    nodes = [_node(block, q) for block in modal.find("frame").blocks if block.name == "node"]
    integrals = _integrals(mass, found, q)
    return ModalBody(
        f"{path.name} (SID)",
        tuple(name for name, *_ in nodes),
        np.array([position for _, position, *_ in nodes]).reshape(-1, 3) * units.length,
        np.array([phi for _, _, phi, _, _ in nodes]).reshape(-1, 3, q).transpose(2, 0, 1),
        np.array([psi for _, _, _, psi, _ in nodes]).reshape(-1, 3, q).transpose(2, 0, 1) / units.length,
        _in_units(integrals, units),
        found["Ke"].first * units.stiffness,
        found["De"].first * units.damping,
        second=_second(nodes, q, units),
        notes=_deviations(modal, integrals, q),
    )


def _node(block: _Block, q: int):
    """(name, position, φ, ψ, H or None) of one node, in the file's units."""
    phi = _taylor(block.find("phi"), (3, q), q)
    psi = _taylor(block.find("psi"), (3, q), q).first
    origin = _taylor(block.find("origin"), (3, 1), q).first[:, 0]
    return block.value or str(block.line), origin, phi.first, psi, phi.linear


def _second(nodes, q, units):
    """H at the nodes, (N, N, P, 3) [1/m], or None."""
    if all(linear is None for *_, linear in nodes):
        return None
    filled = [np.zeros((3, q, q)) if linear is None else linear for *_, linear in nodes]
    return np.array(filled).transpose(2, 3, 0, 1) / units.length


def _integrals(mass: float, found: dict[str, Taylor], q: int) -> Integrals:
    zero = np.zeros((q, q, 3))
    h1 = found["Cr"].first
    J0, J1 = np.zeros((3, 3)), np.zeros((q, 3, 3))
    for row, (i, j) in enumerate(SIX):
        J0[i, j] = J0[j, i] = found["J"].first[row, 0]
        if found["J"].linear is not None:
            J1[:, i, j] = J1[:, j, i] = found["J"].linear[row, :, 0]
    h4 = zero if found["Cr"].linear is None else found["Cr"].linear.transpose(1, 0, 2)
    Oe1 = np.zeros((q, q, 6)) if found["Oe"].linear is None else found["Oe"].linear
    h5 = np.zeros((q, q, 3, 3))
    for column, (i, j) in enumerate(PAIRS):
        h5[:, :, i, j] = h5[:, :, j, i] = -Oe1[:, :, column].T * (1.0 if i == j else 0.5)
    return Integrals(
        mass=mass,
        first=found["mdCM"].first[:, 0],
        inertia=J0,
        s1=found["Ct"].first.T,
        h1=h1,
        h3=0.5 * (J1 + _cross_matrices(h1)),
        h4=h4,
        h5=h5 + 0.5 * _cross_matrices(h4),
        modal_mass=0.5 * (found["Me"].first + found["Me"].first.T),
        s1_second=zero if found["Ct"].linear is None else found["Ct"].linear.transpose(1, 0, 2),
    )


def _cross_matrices(vectors):
    """ã of each (…, 3): the antisymmetric part of h³ (of h⁵) is half that of h¹ (of h⁴), whatever the body is."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    o = np.zeros_like(x)
    return np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], -2)


def _in_units(integrals: Integrals, units: Units) -> Integrals:
    """η is a length: integrals are masses times as many lengths as they have ρ."""
    m, ml, mll = units.mass, units.mass * units.length, units.inertia
    powers = {"mass": m, "first": ml, "inertia": mll, "s1": m, "h1": ml, "h3": ml, "h4": m, "h5": m, "modal_mass": m}
    return Integrals(
        **{key: getattr(integrals, key) * factor for key, factor in powers.items()},
        s1_second=integrals.s1_second * m / units.length,
    )


def _deviations(modal: _Block, integrals: Integrals, q: int) -> tuple[str, ...]:
    """Contradictions of redundant data in the file: Gr and Ge follow from Cr and J."""
    notes = []
    for key, rows, wanted in (("Gr", 3, _gr(integrals)), ("Ge", q, _ge(integrals))):
        try:
            given = _taylor(modal.find(key), (rows, 3 * q), q).first
        except ValueError:
            continue  # some programs leave them out
        blocks = given.reshape(rows, q, 3).transpose(0, 2, 1).reshape(rows, -1)  # mode by mode, as PY_SID writes Gr
        size = max(np.abs(given).max(initial=0.0), np.abs(wanted).max(initial=0.0), 1e-300)
        missed = min(float(np.abs(columns - wanted).max(initial=0.0)) for columns in (given, blocks)) / size
        if missed > 1e-6:
            notes.append(
                f"{key} differs from what Cr and J demand by {missed:.2g} of its largest entry; theirs is used"
            )
    return tuple(notes)


def _gr(integrals):
    """(3, 3q): column 3 × q, axis by axis, of Gr_l = 2 h³_lᵀ."""
    return 2.0 * integrals.h3.transpose(2, 1, 0).reshape(3, -1)


def _ge(integrals):
    """(q, 3q): row k, column axis by axis of Ge_l(k) = h⁴_lk − h⁴_kl."""
    gyroscopic = integrals.h4 - np.swapaxes(integrals.h4, 0, 1)
    return gyroscopic.transpose(1, 2, 0).reshape(integrals.count, -1)


def sid_text(body: ModalBody) -> str:
    """The body as a SID file, in SI, with all digits: reading it gives the same body."""
    given, q = body.integrals, body.count
    oe0, oe1 = np.zeros((q, 6)), np.zeros((q, q, 6))
    h5 = given.h5 + np.swapaxes(given.h5, -1, -2)
    h3 = given.h3 + np.swapaxes(given.h3, -1, -2)
    for column, (i, j) in enumerate(PAIRS):
        factor = 0.5 if i == j else 1.0
        oe0[:, column], oe1[:, :, column] = -factor * h3[:, i, j], -factor * h5[:, :, i, j].T
    rotations = np.zeros_like(body.translations) if body.rotations is None else body.rotations
    frequencies = np.sqrt(np.abs(np.diag(body.stiffness) / np.diag(given.modal_mass))) / (2.0 * np.pi)
    lines = [
        f"{len(body.names):5d}{q:5d}    :No. nodes, No. modes:written by spacefmu in SI units from {body.source}",
        " part",
        "      new modal                                 = " + body.source.split()[0],
        "           refmod",
        f"                mass                            = {_written(given.mass)}",
        f"                nelastq                         = {q:5d}",
        *(
            f"                ielastq ({k:4d})                  = Eigen Mode {k:4d} : {f:12.6g} Hz"
            for k, f in enumerate(frequencies, 1)
        ),
        "           end refmod",
        "           frame",
    ]
    for p, name in enumerate(body.names):
        phi, psi = body.translations[:, p, :].T, rotations[:, p, :].T
        h = None if body.second is None else body.second[:, :, p, :].transpose(2, 0, 1)
        turned = _cross_matrices(psi.T).transpose(1, 0, 2)
        lines += [
            f"                new node                        = {name}",
            "                     rframe                     = body ref",
        ]
        lines += _matrix("origin", body.positions[p][:, None], phi[:, :, None], q, 21)
        lines += (
            _matrix("phi", phi, h, q, 21) + _matrix("psi", psi, None, q, 21) + _matrix("AP", np.eye(3), turned, q, 21)
        )
        lines.append("                end node")
    lines.append("           end frame")
    tables = {
        "mdCM": (given.first[:, None], given.s1[:, :, None]),
        "J": (np.array([[given.inertia[i, j]] for i, j in SIX]), np.array([h3[:, i, j, None] for i, j in SIX])),
        "Ct": (given.s1.T, given.s1_second.transpose(1, 0, 2)),
        "Cr": (given.h1, given.h4.transpose(1, 0, 2)),
        "Me": (given.modal_mass, None),
        "Gr": (_gr(given), None),
        "Ge": (_ge(given), None),
        "Oe": (oe0, oe1),
        "ksigma": (np.zeros((q, 1)), None),
        "Ke": (body.stiffness, None),
        "De": (body.damping, None),
    }
    for key, (first, linear) in tables.items():
        lines += _matrix(key, first, linear, q, 11)
    return "\n".join([*lines, "      end modal", " end part", ""])


def _written(value: float) -> str:
    return f"{value:.16E}".replace("E", "D")


def _matrix(name: str, first, linear, q: int, indent: int) -> list[str]:
    linear = None if linear is None or not np.any(linear) else linear
    space = " " * 26
    head = {
        "order": 0 if linear is None else 1,
        "nrow": first.shape[0],
        "ncol": first.shape[1],
        "nq": q,
        "nqn": 0,
        "structure": 3,
    }
    lines = [" " * indent + name] + [f"{space}{key:<22}= {value:5d}" for key, value in head.items()]
    for i, j in zip(*np.nonzero(first), strict=True):
        lines.append(f"{space}m0({i + 1:4d},{j + 1:4d})         = {_written(first[i, j])}")
    if linear is not None:
        for i, k, j in zip(*np.nonzero(linear), strict=True):
            lines.append(f"{space}m1({i + 1:4d},{k + 1:4d},{j + 1:4d})    = {_written(linear[i, k, j])}")
    return [*lines, " " * indent + "end " + name]
