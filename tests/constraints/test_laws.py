"""Laws by formulas: tension along a line, torque in a joint, curves of tables; against SciPy's solutions of the scalar equations, in both flavours."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from spacefmu.dynamics.algebra.dual import Dual
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.formula import Curve
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import close_fmu, open_unpacked, unpack
from tests.laws.balance import assert_energy, assert_laws

END = 2.0


def scalar(acceleration, start, times):
    """x(t), ẋ(t) of ẍ = acceleration(t, x, ẋ), by SciPy."""
    run = solve_ivp(
        lambda t, y: [y[1], acceleration(t, *y)], (0.0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-12
    )
    return run.y


PAIR = """
name = "Pair"
[bodies.a]
mass = 2.0
inertia = [0.1, 0.1, 0.1]
[bodies.b]
mass = 3.0
inertia = [0.1, 0.1, 0.1]
initial = { position = [1.5, 0.0, 0.0], velocity = [0.4, 0.0, 0.0] }
[springs.gas]
a = "a"
b = "b"
damping = 0.2
law = "pull*(length - 1)*abs(length - 1) + 0.5*max(rate, 0) - push(length) + 0.3*sin(2*time)"
constants = { pull = 7.0 }
tables = { push = "push.csv" }
"""
PUSH = "length [m], force [N]\n# of a gas\n0.5, 3.0\n1.0; 1.0\n1.5 0.4\n2.0, 0.1\n3.0, 0.0\n"
POINTS = np.array([[0.5, 3.0], [1.0, 1.0], [1.5, 0.4], [2.0, 0.1], [3.0, 0.0]])


@pytest.fixture
def pair(tmp_path):
    (tmp_path / "push.csv").write_text(PUSH)
    return load_text(PAIR, folder=tmp_path)


def pair_length(times):
    push, reduced = CubicSpline(*POINTS.T), 2.0 * 3.0 / 5.0

    def acceleration(t, x, v):
        return (
            -(0.2 * v + 7.0 * (x - 1.0) * abs(x - 1.0) + 0.5 * max(v, 0.0) - push(x) + 0.3 * np.sin(2.0 * t)) / reduced
        )

    return scalar(acceleration, [1.5, 0.4], times)[0]


def test_a_force_law_between_two_places(pair):
    """Length over time against the reduced mass' equation; momenta, and energy less what the law took: to 1e-10."""
    times = np.linspace(0.0, END, 9)
    run = integrate(fast(pair), times, rtol=1e-12, atol=1e-12)
    found = run.y[:, pair.signals.where("outputs", "gas.length")]
    np.testing.assert_allclose(found, pair_length(times), rtol=0.0, atol=2e-9)  # SciPy's at the kink of max
    assert_laws(pair, run)


def test_both_flavours_have_the_law_and_its_constants(pair):
    """With pull = 7 as it is, and set to 3 for a run."""
    fmu, references = open_unpacked(unpack(build_native, pair), FMU2Slave)
    instance = Instance(pair, "test")
    own = {variable.name: variable.reference for variable in instance.variables}
    ends = []
    for pull in (7.0, 3.0):
        fmu.setupExperiment(tolerance=1e-10, startTime=0.0)
        fmu.setReal([references["gas.pull"]], [pull])
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        fmu.doStep(0.0, END)
        ends.append(fmu.getReal([references["gas.length"]])[0])
        if pull == 7.0:
            fmu.reset()
    close_fmu(fmu)
    assert ends[0] == pytest.approx(pair_length([0.0, END])[-1], abs=1e-8)
    assert abs(ends[1] - ends[0]) > 0.1
    instance.setup_experiment(0.0, None, 1e-10)
    instance.enter_initialization()
    instance.exit_initialization()
    instance.step(0.0, END)
    assert instance.get([own["gas.length"]], ("real",))[0] == pytest.approx(ends[0], abs=1e-9)


HINGE = """
name = "Hinge"
[bodies.arm]
mass = 1.0
inertia = [0.3, 0.3, 0.5]
[joints.pin]
parent = "space"
child = "arm"
kind = "revolute"
axis = "z"
law = "-k1*angle - 40*angle**3 - 0.3*(1 + 0.5*exp(-(rate/0.1)**2))*tanh(rate/0.05)"
constants = { k1 = 3.0 }
initial = { position = 0.6, rate = 0.5 }
"""


def test_a_torque_law_in_a_joint():
    """A spring that grows with the angle, and friction that falls with the rate (Stribeck's): the angle against SciPy's, energy less what the law took."""
    system, times = load_text(HINGE), np.linspace(0.0, END, 9)
    run = integrate(fast(system), times, rtol=1e-12, atol=1e-12)

    def acceleration(t, x, v):
        friction = 0.3 * (1.0 + 0.5 * np.exp(-((v / 0.1) ** 2))) * np.tanh(v / 0.05)
        return (-3.0 * x - 40.0 * x**3 - friction) / 0.5

    found = run.x[:, system.signals.where("states", "pin.angle")]
    np.testing.assert_allclose(found, scalar(acceleration, [0.6, 0.5], times)[0], rtol=0.0, atol=1e-9)
    assert_energy(system, run)


def test_each_axis_has_its_own_law():
    text = (
        HINGE.replace('"revolute"', '"cylindrical"')
        .replace('law = "', 'law = ["-9*position", "')
        .replace('05)"', '05)"]')
    )
    system = load_text(text.replace("initial = { position = 0.6, rate = 0.5 }", "initial = { position = [0.3, 0.6] }"))
    run = integrate(fast(system), [0.0, 1.0])
    found = run.x[-1][system.signals.where("states", "pin.position")]
    assert found == pytest.approx(0.3 * np.cos(3.0), abs=1e-9)


DRIVEN = """
name = "Driven"
[bodies.hub]
mass = 5.0
inertia = [1.0, 1.0, 2.0]
[bodies.arm]
mass = 1.0
inertia = [0.3, 0.3, 0.5]
[joints.pin]
parent = "hub"
child = "arm"
kind = "revolute"
axis = "z"
[conditions.follow]
position = "pin.angle - path(time)"
tables = { path = "path.csv" }
"""


def test_motion_by_a_table(tmp_path):
    """The joint follows the spline through the points, and what holds it is the reduced inertia times the spline's curvature."""
    t, angle = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5]), np.array([0.0, 0.02, 0.3, 0.7, 0.95, 1.0])
    (tmp_path / "path.csv").write_text("\n".join(f"{a},{b}" for a, b in zip(t, angle, strict=True)))
    curve, system = CubicSpline(t, angle), load_text(DRIVEN, folder=tmp_path)
    times = np.array([0.0, 0.2, 0.8, 1.3, 2.0])
    run = integrate(fast(system), times, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(run.x[:, system.signals.where("states", "pin.angle")], curve(times), atol=1e-9)
    torque = run.y[:, system.signals.where("outputs", "follow.multiplier")]
    np.testing.assert_allclose(torque, curve(times, 2) * 2.0 * 0.5 / 2.5, atol=1e-7)


def test_a_curve_beyond_its_ends_is_straight_and_has_its_slope():
    curve = Curve(tuple(POINTS[:, 0]), CubicSpline(*POINTS.T).c.T)
    exact = CubicSpline(*POINTS.T)
    for x in (0.5, 0.7, 1.0, 2.9, 3.0):
        assert curve.value(x) == pytest.approx(float(exact(x)), abs=1e-14)
        assert curve.slopes(x)[0] == pytest.approx(float(exact(x, 1)), abs=1e-13)
        pushed = curve.value(Dual(x, 2.0))
        assert pushed.rate == pytest.approx(2.0 * float(exact(x, 1)), abs=1e-13)
    assert curve.value(4.0) == pytest.approx(float(exact(3.0) + exact(3.0, 1)), abs=1e-14)
    assert curve.value(0.0) == pytest.approx(float(exact(0.5) - 0.5 * exact(0.5, 1)), abs=1e-14)


BAD = {
    "name": (PAIR.replace("length - 1)*abs", "lenght - 1)*abs"), "'lenght' is unknown"),
    "constant": (PAIR.replace("{ pull = 7.0 }", "{ damping = 7.0 }").replace("pull*", "damping*"), "another name: this one is reserved"),
    "file": (PAIR.replace("push.csv", "shove.csv"), "springs.gas.tables.push shove.csv does not exist"),
    "arguments": (PAIR.replace("push(length)", "push(length, 1)"), "1 arguments of push, but it has 2"),
    "kink": (DRIVEN.replace("pin.angle - path(time)", "abs(pin.angle) - time").replace('tables = { path = "path.csv" }', ""), "smooth functions, but 'abs' has a kink"),
    "time in a joint": (HINGE.replace("-k1*angle", "-k1*time"), "expected coordinates, constants and pi; 'time' is unknown"),
    "nothing": (PAIR.replace("law =", "# law =").replace("damping = 0.2", ""), "springs.gas has no effect"),
}  # fmt: skip


@pytest.mark.parametrize("text, sentence", BAD.values(), ids=list(BAD))
def test_laws_that_are_none_are_refused(tmp_path, text, sentence):
    (tmp_path / "push.csv").write_text(PUSH)
    with pytest.raises(DescriptionError) as error:
        load_text(text, folder=tmp_path)
    assert sentence in str(error.value)


FILES = {
    "one point": ("1.0, 2.0\n", "has 1 points, expected 2 to 500"),
    "backwards": ("1.0, 2.0\n0.5, 1.0\n", "has a first column that does not increase"),
    "three": ("1.0, 2.0\n2.0, 1.0, 3.0\n", "line 2 has '2.0, 1.0, 3.0', expected two numbers"),
    "words": ("1.0, 2.0\n2.0, nan\n", "line 2 has '2.0, nan', expected two numbers"),
}


@pytest.mark.parametrize("content, sentence", FILES.values(), ids=list(FILES))
def test_tables_that_are_no_curves_are_refused(tmp_path, content, sentence):
    (tmp_path / "push.csv").write_text(content)
    with pytest.raises(DescriptionError) as error:
        load_text(PAIR, folder=tmp_path)
    assert sentence in str(error.value)
