"""A mass beside a node (`offset`) is the rigid body that a `fixed` joint holds there, at any amplitude: accelerations, momenta, fields, FMUs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

from spacefmu.dynamics.bodies.equations import body_equations, rate_coupling, rate_coupling_with
from spacefmu.dynamics.bodies.integrals import denser, integrals_of_points, mixed_integrals, scaled
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.modes.formats import FileOptions
from spacefmu.dynamics.modes.load import Wanted
from spacefmu.dynamics.modes.load import load as load_file
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import close_fmu, open_unpacked, unpack
from tests.compare import relative
from tests.flexible.test_nodal_inertia import MODES, joined_and_lumped, table
from tests.laws.balance import assert_laws

OFFSET = (0.4, -0.3, 0.2)


def beside():
    at = table(3)
    at["offsets"][0] = 0.0  # a node whose mass is where it is
    return integrals_of_points(**at)


@pytest.mark.parametrize("size", [0.0, 0.05, 0.3])
def test_accelerations_and_totals_are_those_of_a_fixed_joint(size):
    """At amplitudes and rates of `size`. Measured 6e-16; kept to second order in the amplitudes accelerations
    were 15 % off at 0.05, and at 0.3 the mass matrix was not positive definite."""
    rng = np.random.default_rng(8)
    motion = [size * rng.normal(size=MODES), rng.normal(size=6), size * rng.normal(size=MODES), [0.0, 0.0]]
    x, found = np.concatenate([[0.1, -0.2, 0.3, 1.0, 0.0, 0.0, 0.0], *motion]), []
    for system in joined_and_lumped(OFFSET):
        k = evaluate.constants(system, system.signals.starts("parameters"))
        x_dot, y, _ = evaluate.motion(system, 0.0, x, np.zeros(system.nu), k, np.zeros(0))
        names = ("kinetic_energy", "angular_momentum", "momentum", "mass_center")
        found.append([x_dot, *(y[system.signals.where("outputs", f"system.{name}")] for name in names)])
    for lumped, joined in zip(*found, strict=True):
        assert relative(np.atleast_1d(lumped), np.atleast_1d(joined)) < 1e-13


def test_denser_and_mixed_bodies_take_the_masses_with_them():
    """M and b of a body denser by 3 are 3 times its own; in coordinates η = Cη' they are those of Φ C."""
    body, rng = beside(), np.random.default_rng(4)
    assert len(body.beside) == 3
    omega, (eta, eta_dot) = rng.normal(size=3), 0.4 * rng.normal(size=(2, MODES))
    M, b = body_equations(body, omega, eta, eta_dot)
    for three in (denser(body, 3.0), scaled(body, 3.0)):
        M3, b3 = body_equations(three, omega, eta, eta_dot)
        np.testing.assert_allclose(M3.matrix, 3.0 * M.matrix, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(b3, 3.0 * b, rtol=1e-12, atol=1e-12)
    C = rng.normal(size=(MODES, 2))
    some, some_dot = 0.4 * rng.normal(size=(2, 2))
    M, b = body_equations(body, omega, C @ some, C @ some_dot)
    M_C, b_C = body_equations(mixed_integrals(body, C), omega, some, some_dot)
    T = np.block([[np.eye(6), np.zeros((6, 2))], [np.zeros((MODES, 6)), C]])
    np.testing.assert_allclose(M_C.matrix, T.T @ M.matrix @ T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(b_C, T.T @ b, rtol=1e-12, atol=1e-12)


def test_change_of_the_inertia_with_the_modes():
    """K_k + K_kᵀ is ∂J/∂η_k, by differences of the mass matrix; K_k : W is the same with W."""
    body, rng = beside(), np.random.default_rng(6)
    eta, none, W = 0.3 * rng.normal(size=MODES), np.zeros(MODES), rng.normal(size=(3, 3))

    def inertia(at):
        return body_equations(body, np.zeros(3), at, none)[0].frame[3:, 3:]

    K = rate_coupling(body, eta)
    for k, e in enumerate(np.eye(MODES)):
        change = (inertia(eta + 1e-5 * e) - inertia(eta - 1e-5 * e)) / 2e-5
        np.testing.assert_allclose(K[k] + K[k].T, change, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(rate_coupling_with(body, eta, W), np.einsum("nij,ij->n", K, W), rtol=1e-12)


def test_many_masses_beside_nodes_stay_integrals():
    """Seventeen are kept to second order: each costs evaluations, and a finite-element model may have one per node."""
    rng = np.random.default_rng(2)
    for count, apart in ((16, 16), (17, 0)):
        shapes, turns = rng.normal(size=(2, 2, count, 3))
        made = integrals_of_points(
            rng.normal(size=(count, 3)), np.ones(count), shapes, turns=turns, offsets=np.ones((count, 3))
        )
        assert len(made.beside) == apart


# A boom of three nodes on a line, which stiffens, with two modes across each other; its dish sits beside the tip by 0.3 m along the boom.
STATIONS, MASSES, BOX = np.array([0.7, 1.4, 2.0]), np.array([1.0, 0.8, 0.0]), np.array([0.05, 0.03, 0.02])
DISH, ARM, FREQUENCY = 1.5, 0.3, np.array([0.4, 0.6])


def boom_table(lumped: bool) -> dict:
    """The nodal table with the dish in it, or without, with the frequencies that the same stiffness gives."""
    bent, slope = (STATIONS / 2.0) ** 2, STATIONS / 2.0
    mass = MASSES @ bent**2
    whole = mass + DISH * (bent[-1] + ARM * slope[-1]) ** 2 + slope[-1] ** 2 * BOX[[2, 1]]
    at_tip = np.array([0.0, 0.0, 1.0]) * lumped
    return {
        "node": ["a", "b", "tip"],
        "position": np.outer(STATIONS, [1.0, 0.0, 0.0]).tolist(),
        "mass": (MASSES + DISH * at_tip).tolist(),
        "translation": [[[0.0, w, 0.0] for w in bent], [[0.0, 0.0, w] for w in bent]],
        "rotation": [[[0.0, 0.0, s] for s in slope], [[0.0, -s, 0.0] for s in slope]],
        "frequency": (FREQUENCY * (1.0 if lumped else np.sqrt(whole / mass))).tolist(),
        "offset": np.outer(at_tip, [ARM, 0.0, 0.0]).tolist(),
        "inertia": (at_tip[:, None, None] * np.diag(BOX)).tolist(),
    }


CRAFT = """
name = "Twin"
[bodies.hub]
mass = 20.0
inertia = [4.0, 5.0, 6.0]
forces_at = ["frame"]
[bodies.hub.initial]
angular_velocity = [0.1, 0.4, 1.2]
[bodies.boom]
nodal_table = "boom.json"
nodes = {{ end = "tip" }}
forces_at = ["end"]
initial = {{ amplitudes = [0.3, -0.2], rates = [0.4, 0.5] }}
thermal = {{ loads = {{ y = [[0.4, 0.1]] }} }}
[joints.hinge]
parent = "hub"
child = "boom"
kind = "revolute"
place = [0.5, 0.1, 0.0]
axis = [0.0, 0.6, 0.8]
stiffness = 20.0
initial = {{ position = 0.3, rate = 0.2 }}
{more}
"""
JOINED = f"""
[bodies.dish]
mass = {DISH}
mass_center = [{ARM}, 0.0, 0.0]
inertia = {BOX.tolist()}
[joints.end]
parent = "boom.end"
child = "dish"
kind = "fixed"
"""
ORBIT = """
[environment]
frame = "orbit"
gravity = "central"
j2 = true
orbit = { semi_major_axis = 6.8e6, inclination = "50 deg" }
"""
LOOP = """
[bodies.rod]
mass = 0.5
inertia = [0.01, 0.1, 0.1]
nodes = { far = [1.0, 0.0, 0.0] }
[joints.ball]
parent = "hub"
child = "rod"
kind = "spherical"
place = [0.5, 1.0, 0.0]
[couplings.slide]
kind = "distance"
length = 1.2
a = "rod.far"
b = "boom.end"
"""


def twins(tmp_path, more: str = ""):
    """The craft with the dish in its table, and with the dish on a joint."""
    made = []
    for lumped, dish in ((True, ""), (False, JOINED)):
        (tmp_path / "boom.json").write_text(json.dumps(boom_table(lumped)))
        made.append(load_text(CRAFT.format(more=dish + more), folder=tmp_path))
    assert len(made[0].made_by[1].tree.links[1].body.integrals_at_build.beside) == 1
    return made


LOADS = {"hub.torque[1]": 0.3, "boom.end.force[3]": 0.2, "boom.temperature_difference_y[1]": 1.5}


@pytest.mark.parametrize("more", ["", ORBIT, LOOP], ids=["free", "orbit with J2", "loop"])
def test_rates_outputs_and_linear_model_are_those_of_a_fixed_joint(tmp_path, more):
    """Both routes, the planet's field over the body, thermal loads; the Jacobian of the rates by x and u. Measured 5e-15."""
    found = []
    for system in twins(tmp_path, more):
        table = system.signals
        x, u, k, d = evaluate.start(
            system, 0.0, *(table.starts(g) for g in ("states", "inputs", "parameters", "discretes"))
        )
        for name, value in LOADS.items():
            u[table.where("inputs", name)] = value
        x_dot, y, _ = evaluate.motion(system, 0.0, x, u, k, d)
        J = ExactDerivatives(system)(0.0, x, u, k, d)
        both = [not entry.name.startswith("dish.") for entry in table.outputs]
        found.append([x, x_dot, y[both], J.A, J.B])
    for lumped, joined in zip(*found, strict=True):
        assert relative(lumped, joined) < 1e-10


def test_momenta_and_energy_are_kept(tmp_path):
    """Free flight of 10 s with amplitudes of 0.3 m: to 1e-10 of the largest."""
    lumped, _ = twins(tmp_path)
    assert_laws(lumped, integrate(fast(lumped), np.linspace(0.0, 10.0, 21), rtol=1e-12, atol=1e-12))


SHOWN = ("hub.angular_velocity[1]", "hinge.angle", "boom.mode[1].amplitude", "boom.mode[2].rate")


def native_run(system):
    fmu, references = open_unpacked(unpack(build_native, system), FMU2Slave)
    fmu.setupExperiment(tolerance=1e-11, startTime=0.0)
    fmu.enterInitializationMode()
    fmu.setReal([references[name] for name in LOADS], list(LOADS.values()))
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 1.0)
    values = fmu.getReal([references[name] for name in SHOWN])
    close_fmu(fmu)
    return np.array(values)


def python_run(system):
    instance = Instance(system, "test")
    references = {variable.name: variable.reference for variable in instance.variables}
    instance.setup_experiment(0.0, None, 1e-11)
    instance.enter_initialization()
    instance.set([references[name] for name in LOADS], list(LOADS.values()), ("real",))
    instance.exit_initialization()
    instance.step(0.0, 1.0)
    return np.array(instance.get([references[name] for name in SHOWN], ("real",)))


def test_both_flavours_move_as_with_a_fixed_joint(tmp_path):
    lumped, joined = twins(tmp_path)
    u = np.zeros(joined.nu)
    for name, value in LOADS.items():
        u[joined.signals.where("inputs", name)] = value
    run = integrate(fast(joined), [0.0, 1.0], u)
    wanted = [run.x[-1][joined.signals.where("states", name)] for name in SHOWN]
    np.testing.assert_allclose(native_run(lumped), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(python_run(lumped), wanted, rtol=1e-9, atol=1e-9)


def test_the_same_table_as_a_file_has_the_mass_beside_its_node_too(tmp_path):
    """Frequencies are the table's; the rates of modes of unit modal mass are those of the table's own, scaled."""
    (tmp_path / "boom.json").write_text(json.dumps(boom_table(True)))
    modal, _ = load_file(tmp_path / "boom.json", Wanted(FileOptions()))
    np.testing.assert_allclose(modal.frequencies, FREQUENCY, rtol=1e-12)
    assert len(modal.integrals.beside) == 1
    table = boom_table(True)
    given = {key: np.array(table[key]) for key in ("position", "mass", "translation", "inertia", "rotation", "offset")}
    wanted = integrals_of_points(given["position"], given["mass"], given["translation"], given["inertia"], given["rotation"], offsets=given["offset"])  # fmt: skip
    size = np.sqrt(np.diag(wanted.modal_mass))
    eta, omega = np.array([0.3, -0.2]), np.array([0.5, 0.3, 0.8])
    M, b = body_equations(modal.integrals, omega, size * eta, size * eta)
    M_w, b_w = body_equations(wanted, omega, eta, eta)
    T = np.diag(np.concatenate([np.ones(6), 1.0 / size]))
    np.testing.assert_allclose(M.matrix, T @ M_w.matrix @ T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(b, T @ b_w, rtol=1e-12, atol=1e-12)
