"""42's flex file: our plate written as 42 writes it, and read back."""

from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import skew
from spacefmu.dynamics.modes.flex42 import read_flex42
from spacefmu.dynamics.modes.neutral import moments_of
from spacefmu.dynamics.modes.units import SETS
from tests.modes.bodies import assert_same, plate


def _section(title, rows, comment="") -> list[str]:
    return [
        f"*********  {title}  *********",
        f"{len(rows)}   ! Number of non-zero elements",
        *(row + f"   ! {comment}" for row in rows),
    ]


def _nonzero(array) -> list[str]:
    return [" ".join(map(str, index)) + f"  {array[index]:.17g}" for index in zip(*np.nonzero(array), strict=True)]


def flex_text(body) -> str:
    """The order of sections and indices is that of 42's InitFlexModes."""
    _, rho_phi, phi_phi = moments_of(body.integrals)
    lines = ["<<<<  Flexible Body Inputs for 42  >>>>", "Plate  ! Description", f"{body.count}  ! Number of Flex Modes"]
    lines += ["**** Initial Modal States x, u ****", *(["0.0 0.0 ! x, u"] * body.count)]
    lines += ["**** Joint Node Mode Shapes ****"]
    lines += _section("Non-zero Translation Mode Shape (PSI) Elements", [])
    lines += _section("Non-zero Rotation Mode Shape (THETA) Elements", [])
    lines += ["**** Analysis Node Mode Shapes ****"]
    lines += _section("Non-zero Translation Mode Shape (PSI) Elements", _nonzero(body.translations))
    lines += _section("Non-zero Rotation Mode Shape (THETA) Elements", _nonzero(body.rotations))
    for name, matrix in (("Mass", body.integrals.modal_mass), ("Stiffness", body.stiffness), ("Damping", body.damping)):
        lines += _section(f"Non-zero {name} Matrix Elements", _nonzero(matrix))
    for name, rows in (("Linear", body.integrals.s1.T), ("Angular", body.integrals.h1)):
        lines += [f"**** {name} Momentum Modal Integral ****", *(" ".join(f"{v:.17g}" for v in row) for row in rows)]
    lines += _section("Linear Modal Integral, L, 3 x 3 x Nf", _nonzero(rho_phi.transpose(1, 2, 0)))
    lines += _section("Angular Modal Integral, N, 3 x 3 x Nf x Nf", _nonzero(phi_phi.transpose(2, 3, 0, 1)))
    return "\n".join(lines) + "\n"


def nodes_text(body) -> str:
    rows = [
        " ".join(f"{v:.17g}" for v in place) + f'  "node {name}"'
        for name, place in zip(body.names, body.positions, strict=True)
    ]
    return "\n".join(
        [
            "<<< Body Node Inputs for 42 >>>",
            "Plate ! Description",
            f"{len(rows)} ! Number of Nodes",
            "*** Node Location, Comment ***",
            *rows,
        ]
    )


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    body = plate()
    flex, nodes = tmp_path / "Flex_Plate.txt", tmp_path / "Nodes_Plate.txt"
    flex.write_text(flex_text(body))
    nodes.write_text(nodes_text(body))
    return flex, nodes


def _rigid(body):
    given = body.integrals
    center = given.first / given.mass
    return given.mass, center, given.inertia + given.mass * skew(center) @ skew(center)


def test_read_it_is_the_same_body(files):
    body = plate()
    assert_same(read_flex42(files[0], SETS["SI"], files[1], *_rigid(body)), body, 1e-13)  # measured 2e-16


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text[: len(text) // 2], "truncated|expected"),
        (lambda text: text.replace("\n0 0 2  ", "\n0 9 2  ", 1), "expected ones below"),
        (lambda text: text.replace("4  ! Number of Flex", "-4  ! Number of Flex"), "has -4 modes"),
        (lambda text: text.replace("4  ! Number of Flex", "1e9  ! Number of Flex"), "1e\\+09 modes"),
        (lambda text: "hello", "expected the title"),
        (lambda text: text.replace("\n0 0  ", "\n0 0  nan ", 1), "finite"),
    ],
)
def test_damaged_files_get_one_sentence(change, words, files):
    files[0].write_text(change(files[0].read_text()))
    with pytest.raises(ValueError, match=words) as caught:
        read_flex42(files[0], SETS["SI"], files[1], 1.0, np.zeros(3), np.eye(3))
    assert "\n" not in str(caught.value)
