"""SID: written and read back it is the same body, and its own equations of motion are ours."""

import numpy as np
import pytest

from spacefmu.dynamics.bodies.equations import bias, mass_matrix
from spacefmu.dynamics.modes.neutral import ModalBody
from spacefmu.dynamics.modes.sid import _blocks, _taylor, read_sid, sid_text
from spacefmu.dynamics.modes.units import SETS, Units
from tests.modes.bodies import assert_same, beam, plate


def written(body: ModalBody, tmp_path):
    path = tmp_path / "body.SID_FEM"
    path.write_text(sid_text(body))
    return path


@pytest.mark.parametrize("body", [beam(), beam(stiffening=False), plate(), plate(stiffening=True)])
def test_read_back_it_is_the_same_body(body, tmp_path):
    assert_same(read_sid(written(body, tmp_path), SETS["SI"]), body, 1e-15)  # 17 digits are written


def test_the_equations_of_sid_are_ours(tmp_path):
    """Wallrapp's equations, from the file's matrices alone, against the engine's, with geometric stiffening.

    SID's Taylor expansions are of first order: the amplitudes are small, and what is left is of second order.
    """
    body = beam()
    modal = _blocks(written(body, tmp_path).read_text().splitlines()).find("part").find("modal")
    q = body.count
    sizes = {
        "mdCM": (3, 1),
        "J": (6, 1),
        "Ct": (q, 3),
        "Cr": (q, 3),
        "Me": (q, q),
        "Gr": (3, 3 * q),
        "Ge": (q, 3 * q),
        "Oe": (q, 6),
    }
    sid = {key: _taylor(modal.find(key), size, q) for key, size in sizes.items()}
    rng = np.random.default_rng(5)
    omega, rate, a, alpha, eta_ddot = (rng.normal(size=n) for n in (3, q, 3, 3, q))

    def of(key, eta):
        linear = 0.0 if sid[key].linear is None else np.einsum("iqj,q->ij", sid[key].linear, eta)
        return sid[key].first + linear

    def rows_of_sid(eta):
        Ct, Cr, (wx, wy, wz) = of("Ct", eta), of("Cr", eta), omega
        xx, yy, zz, xy, xz, yz = of("J", eta)[:, 0]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        squares = np.array([wx * wx, wy * wy, wz * wz, wx * wy, wy * wz, wx * wz])
        gyroscopic = np.einsum("kiq,i,q->k", sid["Ge"].first.reshape(q, 3, q), omega, rate)
        turned = np.einsum("jiq,i,q->j", sid["Gr"].first.reshape(3, 3, q), omega, rate)
        torque = np.cross(of("mdCM", eta)[:, 0], a) + J @ alpha + Cr.T @ eta_ddot + turned + np.cross(omega, J @ omega)
        modes = Ct @ a + Cr @ alpha + of("Me", eta) @ eta_ddot + gyroscopic + of("Oe", eta) @ squares
        return torque, modes

    def ours(eta):
        whole = mass_matrix(body.integrals, eta) @ np.concatenate([a, alpha, eta_ddot]) + bias(
            body.integrals, omega, eta, rate
        )
        return whole[3:6], whole[6:]

    # SID leaves out of the torque what is of second order in (η, η̇): compare without rates there, and by order in η
    for size, bound in ((1e-4, 1e-6), (1e-6, 1e-10)):
        eta = size * rng.normal(size=q)
        torque, modes = rows_of_sid(eta)
        ours_torque, ours_modes = ours(eta)
        np.testing.assert_allclose(modes, ours_modes, rtol=0.0, atol=1e-11 * np.abs(ours_modes).max())
        h4 = body.integrals.h4
        rates = np.einsum("mni,m,n->i", h4, rate, rate) + 2.0 * np.einsum(
            "mnji,m,j,n->i", body.integrals.h5, eta, omega, rate
        )
        np.testing.assert_allclose(torque, ours_torque - rates, rtol=0.0, atol=bound * np.abs(ours_torque).max())


def test_units_of_the_file_are_the_users(tmp_path):
    """The same body in mm and tonnes: the text has other numbers, the body is the same but for the unit of η."""
    body = plate()
    path = written(body, tmp_path)
    small = read_sid(path, Units(1e-3, 1e3))
    assert small.integrals.mass == pytest.approx(1e3 * body.integrals.mass)
    np.testing.assert_allclose(small.positions, 1e-3 * body.positions)
    np.testing.assert_allclose(small.frequencies, body.frequencies, rtol=1e-14)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text[: len(text) // 2], "it is truncated"),
        (lambda text: text.replace("m0(   1,   1)", "m0(   9,   1)", 1), "expected one inside origin"),
        (
            lambda text: text.replace(
                "nelastq                         =     4", "nelastq                         = 99999"
            ),
            "99999 modes",
        ),
        (lambda text: text.replace("end refmod", "end frame", 1), "expected the end of 'refmod'"),
        (lambda text: text.replace("           Me\n", "           Xe\n").replace("end Me", "end Xe"), "lacks 'Me'"),
        (lambda text: text.replace("D+00", "D+xx", 1), "expected a number"),
        (lambda text: text.replace("D+00", "D+999", 1), "expected a finite number"),
        (lambda text: "no SID at all", "does not begin with the numbers"),
        (lambda text: "", "does not begin with the numbers"),
    ],
)
def test_damaged_files_get_one_sentence(change, words, tmp_path):
    path = tmp_path / "body.SID_FEM"
    path.write_text(change(sid_text(plate())))
    with pytest.raises(ValueError, match=words) as caught:
        read_sid(path, SETS["SI"])
    assert "\n" not in str(caught.value)
