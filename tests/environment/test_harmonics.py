"""Gravity by spherical harmonics: values of another program, derivatives, the closed form of J₂, energy, both frames, files and refusals."""

from dataclasses import replace

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import axis_angle_dcm
from spacefmu.dynamics.bodies.integrals import integrals_of_points
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.environment.expansion import expanded_load
from spacefmu.dynamics.environment.frames import InertialFrame, Sky
from spacefmu.dynamics.environment.geopotential import Geopotential
from spacefmu.dynamics.environment.gravity import Oblateness
from spacefmu.dynamics.environment.gravity_file import SHIPPED, read_gfc
from spacefmu.dynamics.environment.harmonics import SECOND, Coefficients, HarmonicField
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.recording import recorded
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import NamedValues
from spacefmu.dynamics.tree.kinematics import Moving
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.environment.craft import HUB, PANEL, craft, orbit
from tests.environment.test_gravity import points_and_body

EGM = read_gfc(SHIPPED["EGM2008"])
ALL = ((), (0,), (1,), (2,), *SECOND)
DATED = "\n[environment.time]\nepoch = 2023-05-16T20:00:00Z\n"

# acceleration [m/s²] in ITRF, degree and order 36 of EGM2008, by brahe 1.8.0 (its own implementation and copy of the coefficients)
BRAHE = (
    ((5.0e6, -4.1e6, 2.3e6), (-6.169288805397392, 5.059003379187193, -2.8458015537576924)),
    ((1.2e6, 3.0e5, -6.9e6), (-1.3813108829727363, -0.34527749098609345, 7.9645340222677214)),
    ((0.0, 0.0, 6.9e6), (9.055095876561881e-05, -2.1164023576847644e-05, -8.349112456462734)),
)


def harmonics(degree, more=""):
    return f"[environment.harmonics]\ndegree = {degree}\n{more}\n"


def random_coefficients(degree):
    rng = np.random.default_rng(7)
    C, S = (np.tril(rng.normal(size=(degree + 1, degree + 1))) for _ in range(2))
    S[:, 0] = 0.0
    return Coefficients(6.4e6, C, S)


@pytest.mark.parametrize("place, expected", BRAHE)
def test_acceleration_of_another_program(place, expected):
    """Measured 6e-15 of 8 m/s², on the axis too."""
    C = EGM.coefficients.C.copy()
    C[0, 0] = 1.0
    field = HarmonicField((Coefficients(EGM.coefficients.radius, C, EGM.coefficients.S),), ALL)
    found = EGM.mu / EGM.coefficients.radius**2 * field.at(np.array(place))[1:4]
    assert np.abs(found - expected).max() < 1e-13


@pytest.mark.parametrize("place", [(3e6, -5e6, 4.2e6), (0.0, 0.0, -7e6), (6.6e6, 0.0, 0.0)])
def test_derivatives(place):
    """First and second ones against central differences of Φ and of the first: measured 4e-10; the trace is zero to round-off."""
    field, h = HarmonicField((random_coefficients(6),), (*ALL, (2, 2))), 30.0
    found, R = field.at(np.array(place)), np.array(place)
    scale = 6.4e6 / (2.0 * h)
    for i, step in enumerate(h * np.eye(3)):
        change = scale * (field.at(R + step) - field.at(R - step))
        assert change[0] == pytest.approx(found[1 + i], abs=1e-8)
        second = [found[4 + SECOND.index(tuple(sorted((i, j))))] if (i, j) != (2, 2) else found[9] for j in range(3)]
        assert np.abs(change[1:4] - second).max() < 1e-7
    assert abs(found[4] + found[7] + found[9]) < 1e-12 * np.abs(found).max()


def test_order_bounds_the_work():
    """Of a field cut to order 3 the routine goes to order 5 for second derivatives, and gives the same."""
    whole = random_coefficients(9).cut(9, 3)
    field = HarmonicField((whole,), ALL)
    assert field.basis.order == 5
    full = HarmonicField((replace(whole, S=whole.S + np.diag([0.0] * 9 + [1e-300])),), ALL)
    R = np.array([3e6, -5e6, 4.2e6])
    assert full.basis.order == 11
    assert np.allclose(field.at(R), full.at(R), rtol=1e-13)


def test_same_loads_as_the_closed_form_of_j2():
    """Force, torque and modal loads of a deformed body of many points, 300 m away from its root: C_20 as a harmonic against J₂: third order in size/R."""
    rho, mass, phi, second, rng = points_and_body()
    eta, none = rng.uniform(-0.3, 0.3, 3), np.zeros(3)
    dcm = axis_angle_dcm(np.array([0.6, 0.0, 0.8]), 0.7)
    k = NamedValues({"environment.mu": EGM.mu, "environment.j2": 1.0e-3, "environment.radius": 6.4e6})
    C = np.zeros((3, 3))
    C[2, 0] = -1.0e-3 / np.sqrt(5.0)
    field, closed = Geopotential(Coefficients(6.4e6, C, np.zeros((3, 3)))), Oblateness(1.0e-3)
    place = np.array([4.1e6, -2.2e6, 5.3e6])
    body = Moving(
        place, dcm, none, none, eta, 0.0 * eta, none, none, none, integrals_of_points(rho, mass, phi, second=second)
    )
    scene = InertialFrame().at(0.0, np.zeros(0), k)
    own = replace(scene, seen=(field.seen(place + [200.0, -100.0, 200.0], Sky(), k),))
    a, b = expanded_load(body, own), closed.load(body, scene, k)
    assert np.abs(a - b)[:3].max() < 3e-8 * np.abs(b[:3]).max()  # measured 1e-8
    assert np.abs(a - b)[3:].max() < 3e-8 * np.abs(b[3:]).max()


FAR = "[bodies.hub.initial]\nposition = [5.0e6, 3.0e6, 4.0e6]\nvelocity = [-4.0e3, 6.0e3, 1.0e3]\n"


def test_floats_symbols_and_recorded_agree():
    """36 × 36 on a craft with a panel: rates measured 2e-16 of the largest apart."""
    system = craft('[environment]\ngravity = "central"\n', DATED, harmonics(36), HUB, FAR, PANEL)
    rates = [motion(each, 100.0, *start(system))[0] for each in (system, fast(system), recorded(system))]
    for other in rates[1:]:
        assert np.abs(rates[0] - other).max() < 1e-14 * np.abs(rates[0]).max()


@pytest.mark.parametrize("place", [(0.0, 0.0, 7e6), (7e6, 0.0, 0.0)])
@pytest.mark.parametrize("frame", ["inertial", "orbit"])
def test_derivatives_are_finite_and_the_gradient(place, frame):
    """On the axis and over the equator, circular orbits; in N ∂v̇/∂r is −H of the whole field."""
    if frame == "orbit":
        system = craft(orbit(inclination=f'"{0 if place[0] else 90} deg"'), DATED, harmonics(8), HUB)
    else:
        at = f"[bodies.hub.initial]\nposition = {list(place)}\nvelocity = [0.0, 7.5e3, 0.0]\n"
        system = craft('[environment]\ngravity = "central"\n', DATED, harmonics(8), HUB, at)
    x, u, k, d = start(system)
    found = ExactDerivatives(system)(0.0, x, u, k, d)
    assert all(np.all(np.isfinite(value)) for value in vars(found).values() if isinstance(value, np.ndarray))
    if frame == "inertial":
        where = [system.signals.where("states", f"hub.{name}") for name in ("position", "velocity")]
        A, h = np.asarray(found.A)[np.ix_(np.r_[where[1]], np.r_[where[0]])], 50.0
        steps = np.zeros((3, len(x)))
        steps[:, where[0]] = h * np.eye(3)
        change = [
            (motion(system, 0.0, x + s, u, k, d)[0] - motion(system, 0.0, x - s, u, k, d)[0])[where[1]] for s in steps
        ]
        assert np.abs(np.array(change).T / (2.0 * h) - A).max() < 1e-8 * np.abs(A).max()


def values(run, system, name, row):
    group, table = (
        ("states", run.x)
        if name in {quantity.name for quantity in system.signals.quantities("states")}
        else ("outputs", run.y)
    )
    return table[row, system.signals.where(group, name)]


def test_both_frames_fall_alike_and_energy_balances():
    """A craft with a panel, 8 × 8, 2000 s: in N and relative to O, which falls in the same field, 2e-7 m apart; energies less all work stay."""
    orbiting = fast(craft(orbit(inclination=0.9, eccentricity=0.01), DATED, harmonics(8), HUB, PANEL))
    times = np.linspace(0.0, 2000.0, 3)
    run = integrate(orbiting, times, rtol=1e-12, atol=1e-12)
    begin = {name: values(run, orbiting, f"hub.inertial.{name}", 0) for name in ("position", "velocity", "quaternion", "angular_velocity")}  # fmt: skip
    begin["orientation"] = begin.pop("quaternion")
    at = "\n".join(f"{name} = {value.tolist()}" for name, value in begin.items())
    inertial = fast(craft('[environment]\ngravity = "central"\n', DATED, harmonics(8), HUB, f"[bodies.hub.initial]\n{at}", PANEL))  # fmt: skip
    other = integrate(inertial, times, rtol=1e-12, atol=1e-10)
    apart = values(other, inertial, "hub.position", -1) - values(run, orbiting, "hub.inertial.position", -1)
    assert np.abs(apart).max() < 1e-5
    for system, result in ((orbiting, run), (inertial, other)):
        kinetic, stored, work = (
            np.array([np.ravel(values(result, system, f"system.{name}", row))[0] for row in (0, -1)])
            for name in ("kinetic_energy", "potential_energy", "environment_work")
        )
        total = kinetic + stored - work
        assert abs(work[1]) > 1e-9 * kinetic[0]
        assert abs(total[1] - total[0]) < 1e-10 * max(np.abs(kinetic).max(), 1.0)


def test_a_file_of_another_planet(tmp_path):
    """Unnormalized coefficients, Fortran's exponents; μ, J₂ and radius are the file's."""
    (tmp_path / "moon.gfc").write_text(
        "modelname x\nearth_gravity_constant 4.9028D+12\nradius 1.738D+06\nmax_degree 2\nnorm unnormalized\nend_of_head\n"
        "gfc 2 0 -2.033D-04 0.0\ngfc 2 2 2.24D-05 0.0\n"
    )
    model = read_gfc(tmp_path / "moon.gfc")
    assert model.mu == 4.9028e12
    assert model.coefficients.C[2, 0] == pytest.approx(-2.033e-4 / np.sqrt(5.0))
    assert model.coefficients.C[2, 2] == pytest.approx(2.24e-5 / np.sqrt(5.0 / 12.0))
    text = '[environment]\ngravity = "central"\nradius = 1.738e6\n' + harmonics(2, 'file = "moon.gfc"\norder = 0')
    system = load_text(f'name = "Test"\n{text}{HUB}{FAR}', folder=tmp_path)
    values = dict(zip((s.name for s in system.signals.parameters), start(system)[2], strict=False))
    assert values["environment.mu"] == 4.9028e12
    assert values["environment.j2"] == pytest.approx(2.033e-4)


CENTRAL = '[environment]\ngravity = "central"\n'


@pytest.mark.parametrize(
    "text, sentence",
    [
        (CENTRAL + DATED + harmonics(37), "environment.harmonics.degree is 37, expected at most 36, the degree of EGM2008"),
        (CENTRAL + DATED + harmonics(4, "order = 5"), "environment.harmonics.order is 5, expected at most the degree, 4"),
        (CENTRAL + harmonics(4), "environment.harmonics.order is 4, expected 0 without a table environment.time"),
        (CENTRAL + DATED + harmonics(4, 'file = "none.gfc"'), "environment.harmonics.file none.gfc"),
        (CENTRAL + "j2 = true\n" + DATED + harmonics(4), "environment.j2 = true is not allowed with environment.harmonics, which contains it"),
        (harmonics(4), "there is no planet that has it"),
    ],
)  # fmt: skip
def test_refusals(text, sentence):
    with pytest.raises(DescriptionError) as error:
        load_text('name = "Test"\n' + text + HUB)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("gfc 2 0 1 0", "has no line end_of_head"),
        ("radius 1\nend_of_head", "names no earth_gravity_constant"),
        ("earth_gravity_constant 1\nradius 1\nmax_degree 3\nend_of_head\ngfc 2 0 1 0", "has no coefficients of degree 3"),
        ("earth_gravity_constant 1\nradius 1\nmax_degree 2\nend_of_head\ngfc 3 0 1 0", "of degree 3 and order 0, its max_degree is 2"),
        ("earth_gravity_constant 1\nradius 1\nmax_degree 2\nend_of_head\ngfc 2 0 one 0", 'has "one" where a number'),
        ("earth_gravity_constant 1\nradius 1\nmax_degree 2\nnorm schmidt\nend_of_head", "coefficients that are schmidt"),
    ],
)  # fmt: skip
def test_files_that_are_none(tmp_path, text, sentence):
    (tmp_path / "x.gfc").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        read_gfc(tmp_path / "x.gfc")
