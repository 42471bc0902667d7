"""Beams that extend: laws in free flight, closed forms of rigid ones, the equation of an axially moving beam, a prismatic joint, FMUs, refusals.

Their equations against sums over material: tests/flexible/test_growth.py. Figures: docs/extending_booms.md.
"""

from __future__ import annotations

import fmpy
import numpy as np
import pytest

from spacefmu.dynamics.bodies.beam import bending_roots, bending_shape
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.evaluate import start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from spacefmu.fmu_src.results import Result
from spacefmu.fmu_src.scene.motion import motion_of
from tests.catalogue_fmus import unpack
from tests.constraints.craft import column
from tests.flexible.test_segments import native_run, python_run
from tests.laws.balance import assert_laws

HUB = """
name = "Booms"
[bodies.hub]
mass = 100.0
inertia = [20.0, 25.0, 30.0]
initial = { angular_velocity = %s }
"""
ROOT = """
[joints.root%s]
kind = "fixed"
parent = "hub"
child = "boom%s"
place = [%s, 0.0, 0.0]
"""
BENT = "initial = { amplitudes = [0.02, 0.03, 0.01], rates = [0.1, 0.0, 0.1] }"


def boom(
    extends: str, modes: str = "{ bending_y = 2, bending_z = 1 }", more: str = BENT, name: str = "", axis: str = "x"
) -> str:
    return f"""
[bodies.boom{name}]
nodes = {{ tip = 1.0 }}
forces_at = ["tip"]
{more}
[bodies.boom{name}.beam]
length = 6.0
mass = 3.0
axis = "{axis}"
bending_y = 30.0
bending_z = 40.0
polar_inertia = 0.02
modes = {modes}
extends = {{ length = 2.0, rate = 0.3, {extends} }}
"""


PROBE = """
[bodies.probe]
mass = 0.5
mass_center = [0.05, 0.02, 0.0]
inertia = [0.01, 0.01, 0.01]
[joints.end]
kind = "fixed"
parent = "boom.tip"
child = "probe"
"""
SPINNING = HUB % "[0.1, 0.2, 0.5]" + ROOT % ("", "", 0.5) + PROBE
RUNS = {
    "drum": 'stowed = "drum", drum_mass = 0.4',
    "at rest": 'stowed = "at rest"',
    "driven": 'drive = "acceleration"',
    "latch": 'stowed = "at rest", latch = 3.0',
    "stop": "stop = { lower = 1.0, upper = 3.0, stiffness = 500.0, damping = 5.0 }, friction = 0.01",
}


@pytest.mark.parametrize("name", RUNS)
def test_momentum_angular_momentum_and_energy(name):
    """A tumbling hub, a bent boom and a probe at its tip. Measured: P 2e-13, H 1e-14, E 6e-14."""
    system = load_text(SPINNING + boom(RUNS[name]))
    run = integrate(fast(system), np.linspace(0.0, 2.5, 6), u=np.array([0.05] * (name == "driven") + [0.0] * 6))
    length = column(system, run, "boom.extends.length")
    ends = {"driven": 2.0 + 0.3 * 2.5 + 0.025 * 2.5**2, "latch": 3.0}
    assert length[-1] == pytest.approx(ends[name], rel=1e-9) if name in ends else length[-1] > 2.7
    assert (name in ("at rest", "latch", "stop")) == (column(system, run, "system.dissipated_energy")[-1] > 1e-3)
    assert_laws(system, run)


def test_floats_and_symbols_agree():
    system = load_text(SPINNING + boom(RUNS["stop"]))
    x, u = np.array(system.signals.starts("states")), np.random.default_rng(3).normal(size=system.nu)
    k, d = evaluate.constants(system, system.signals.starts("parameters")), np.array([1.0, 1.0])
    for a, b in zip(*(evaluate.motion(s, 0.0, x, u, k, d)[:2] for s in (system, fast(system))), strict=True):
        assert np.max(np.abs(a - b)) < 1e-12 * np.max(np.abs(a))


def free(stowed: str):
    """A rigid boom, pushed out of a hub in space."""
    system = load_text(
        HUB % "[0.0, 0.0, 0.0]"
        + ROOT % ("", "", 0.5)
        + boom(f'stowed = "{stowed}", drum_mass = 0.4' if stowed == "drum" else f'stowed = "{stowed}"', "{}", "")
    )
    t = np.linspace(0.0, 5.0, 6)
    run = integrate(fast(system), t)
    return t, column(system, run, "boom.extends.length"), column(system, run, "boom.extends.rate")


def test_free_booms_move_as_the_stowed_part_says():
    """Closed forms, ρ = 0.5 kg/m: picked up at rest, ρLL̇ stays, the momentum of what moves; off a drum ½L̇²(m + J/r² − ρ²L²/m_all), the energy."""
    t, length, rate = free("at rest")
    np.testing.assert_allclose(length, np.sqrt(4.0 + 2.0 * 2.0 * 0.3 * t), rtol=1e-10)
    t, length, rate = free("drum")
    energy = rate**2 * (3.4 - 0.25 * length**2 / 103.0)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)
    assert abs(rate[-1] - rate[0]) < 0.01  # while the other has lost a third of its rate


def test_spin_down():
    """Two rigid booms leave a spinning hub: ω (J + 2∫(a + s)² ρ ds + 2 m_s a²) stays, with a = 0.5 m from the hub's centre to their roots."""
    text = HUB % "[0.0, 0.0, 1.0]" + "".join(
        ROOT % (i, i, place) + boom('drive = "acceleration"', "{}", "", i, axis)
        for i, place, axis in (("1", 0.5, "x"), ("2", -0.5, "-x"))
    )
    system = load_text(text)
    run = integrate(fast(system), np.linspace(0.0, 10.0, 5))
    length = column(system, run, "boom1.extends.length")
    assert length[-1] == pytest.approx(5.0)
    inertia = 30.0 + 2.0 * 0.02 / 2.0 + 2.0 * (0.5 / 3.0 * ((0.5 + length) ** 3 - 0.5**3) + (3.0 - 0.5 * length) * 0.25)
    rate = column(system, run, "hub.angular_velocity")[:, 2]
    np.testing.assert_allclose(rate, inertia[0] / inertia, rtol=1e-10)


def test_rigid_boom_is_a_prismatic_joint():
    """Whose mass follows the length: L̈ and the hub's acceleration under a push, while it tumbles, from a body of the length that is out
    on a prismatic joint, less the momentum ρL̇² that material takes as it leaves its rest: a force on that body alone."""
    rate, push = 0.3, 1.7
    grown = load_text(
        HUB % "[0.1, 0.2, 0.5]" + ROOT % ("", "", 0.5) + boom('stowed = "at rest", drive = "force"', "{}", "")
    )
    joint = load_text(HUB % "[0.1, 0.2, 0.5]" + """
[bodies.stowed]
mass = 2.0
inertia = [0.02, 0.01, 0.01]
[joints.shelf]
kind = "fixed"
parent = "hub"
child = "stowed"
place = [0.5, 0.0, 0.0]
[bodies.boom]
forces_at = ["frame"]
mass = 1.0
mass_center = [-1.0, 0.0, 0.0]
inertia = [0.0, 0.3333333333333333, 0.3333333333333333]
[joints.slide]
kind = "prismatic"
axis = "x"
drive = "force"
parent = "hub"
child = "boom"
place = [0.5, 0.0, 0.0]
initial = { position = 2.0, rate = 0.3 }
""")  # fmt: skip
    found = []
    for system, u in ((grown, [push, *[0.0] * 6]), (joint, [push, -0.5 * rate**2, *[0.0] * 5])):
        x, k = (
            np.array(system.signals.starts("states")),
            evaluate.constants(system, system.signals.starts("parameters")),
        )
        names = [state.name for state in system.signals.states]
        x_dot = evaluate.motion(system, 0.0, x, np.array(u), k, np.zeros(0))[0]
        own = [
            i
            for i, name in enumerate(names)
            if name in ("boom.extends.rate", "slide.velocity")
            or name.startswith(("hub.velocity", "hub.angular_velocity"))
        ]
        found.append(x_dot[own])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-14)


def moving_beam(t: float, rate: float, w0, count: int = 6, steps: int = 4000) -> float:
    """Tip of a beam that leaves a guide at rest, by its partial differential equation ρ(∂t + L̇∂x)²w + EI w'''' = 0, in ξ = x/L

        w_tt + 2a w_tξ − 2a L̇/L w_ξ + a² w_ξξ + EI/(ρL⁴) w_ξξξξ = 0,   a = (1 − ξ) L̇/L

    at Gauss points, by polynomials that are clamped and free at their ends. L = 2 + rate t, EI = 30, ρ = 0.5; w0(ξ): shape at the start, w_t = 0.
    """
    s = 0.5 * (np.polynomial.legendre.leggauss(count)[0] + 1.0)
    polynomials = []
    for n in range(2, count + 2):
        third = -(n + 2) * (n + 1) * n / 6.0
        second = -((n + 2) * (n + 1) + 6.0 * third) / 2.0
        polynomials.append(np.polynomial.Polynomial([0.0, 0.0, second, third, *[0.0] * (n - 2), 1.0]))
    at = [np.column_stack([p.deriv(k)(s) if k else p(s) for p in polynomials]) for k in range(5)]

    bent, *shift = (
        np.linalg.solve(at[0], each) for each in (at[4], (1.0 - s)[:, None] * at[1], (1.0 - s)[:, None] ** 2 * at[2])
    )
    c = np.linalg.solve(at[0], w0(s))
    y, h, one = np.concatenate([c, 0.0 * c]), t / steps, np.eye(2 * count)
    for i in range(steps):  # the implicit midpoint rule
        length = 2.0 + rate * (i + 0.5) * h
        a, b = rate / length, 30.0 / (0.5 * length**4)
        A = np.block(
            [
                [np.zeros((count, count)), np.eye(count)],
                [-a * a * (shift[1] - 2.0 * shift[0]) - b * bent, -2.0 * a * shift[0]],
            ]
        )
        y = np.linalg.solve(one - 0.5 * h * A, (one + 0.5 * h * A) @ y)
    return float(np.array([p(1.0) for p in polynomials]) @ y[:count])


@pytest.mark.parametrize("rate", [0.8, -0.3])
def test_beam_that_moves_along_itself(rate):
    """A bent beam leaves a guide, or is drawn in: its tip by the modes against the partial differential equation above."""
    text = 'name = "Guide"\n' + boom(
        'drive = "acceleration"', "{ bending_y = 4 }", "initial = { amplitudes = [1e-3] }"
    ).replace("rate = 0.3", f"rate = {rate}")
    text = (
        text.replace("[1e-3]", "[1e-3, 0.0, 0.0, 0.0]")
        + '[joints.root]\nkind = "fixed"\nparent = "space"\nchild = "boom"\n'
    )
    system = load_text(text)
    (beta,) = bending_roots(1)
    wanted = moving_beam(2.0, rate, lambda s: 1e-3 * bending_shape(beta, 0.0, s)[0])
    run = integrate(fast(system), [0.0, 2.0], u=np.zeros(7))
    assert column(system, run, "boom.tip.displacement")[-1, 1] == pytest.approx(wanted, abs=5e-8)


def test_mass_is_a_parameter():
    """Which scales the density with the frequencies as they are: the boom with that mass and as much more stiffness."""
    text = SPINNING + boom(RUNS["at rest"])
    heavy = (
        text.replace("mass = 3.0", "mass = 4.5")
        .replace("30.0\nbending_z = 40.0", "45.0\nbending_z = 60.0")
        .replace("polar_inertia = 0.02", "polar_inertia = 0.03")
    )
    found = []
    for system in (load_text(text), load_text(heavy)):
        p = np.array(system.signals.starts("parameters"))
        p[system.signals.where("parameters", "boom.mass")] = 4.5
        x, k = np.array(system.signals.starts("states")), evaluate.constants(system, p)
        found.append(evaluate.motion(system, 0.0, x, np.zeros(system.nu), k, np.zeros(0))[0])
    np.testing.assert_allclose(*found, rtol=1e-11, atol=1e-12)


def test_both_flavours_move_as_scipy_does():
    """Up to its stop and beyond: co-simulation (measured 2e-11), and model exchange in FMPy's CVode."""
    bent = "initial = { amplitudes = [0.02, 0.03] }"
    craft = HUB % "[0.1, 0.2, 0.5]" + ROOT % ("", "", 0.5)
    system = load_text(
        craft + boom(RUNS["stop"].replace("upper = 3.0", "upper = 2.1"), "{ bending_y = 1, bending_z = 1 }", bent)
    )
    u = 0.1 * np.random.default_rng(5).normal(size=system.nu)
    run = integrate(fast(system), [0.0, 0.4], u)
    assert column(system, run, "boom.extends.length")[-1] > 2.1
    names = [entry.name for entry in system.signals.outputs if entry.name.startswith("boom.tip")]
    wanted = [run.y[-1][system.signals.where("outputs", name)] for name in names]
    for flavour in (native_run, python_run):
        np.testing.assert_allclose(flavour(system, u, 0.4, names), wanted, rtol=1e-9, atol=1e-9)
    given = dict(zip((entry.name for entry in system.signals.inputs), u, strict=True))
    host = fmpy.simulate_fmu(str(unpack(build_native, system)), fmi_type="ModelExchange", stop_time=0.4, output_interval=0.1, relative_tolerance=1e-9, start_values=given, output=names)  # fmt: skip
    np.testing.assert_allclose(np.array(list(host[-1]))[1:], wanted, rtol=1e-5, atol=1e-5)


def test_picture():
    """The drawn tip is where the output is: across to round-off, along less the foreshortening."""
    system = load_text(SPINNING + boom(RUNS["drum"]))
    x, u, k, d = start(system)
    values = dict(zip((state.name for state in system.signals.states), x, strict=True))
    picture = system.about.picture()
    motion = motion_of(picture, Result(np.zeros(1), tuple(values), x[None]))
    assert not motion.missing
    i = [body.name for body in picture.bodies].index("boom")
    tip = np.array([6.0, 0.0, 0.0])  # of the whole beam, as it is drawn
    drawn = tip + np.einsum("nvi,n->vi", picture.bodies[i].bend(tip[None]), motion.amplitudes[i][0])[0]
    outputs = evaluate.motion(system, 0.0, x, u, k, d)[1]
    bent = outputs[system.signals.where("outputs", "boom.tip.displacement")]
    np.testing.assert_allclose(drawn[1:], bent[1:], rtol=1e-12)
    assert 2.0 + bent[0] < drawn[0] < 2.0 + 1e-12


def test_linear_model():
    """A and B of the exact Jacobian by central differences of the rates."""
    system = load_text(SPINNING + boom('drive = "force"'))
    x, u, k, d = start(system)
    found = ExactDerivatives(system)(0.0, x, u, k, d)

    def rates(x, u):
        return evaluate.motion(system, 0.0, x, u, k, d)[0]

    h = 1e-6
    A = np.column_stack([(rates(x + h * row, u) - rates(x - h * row, u)) / (2.0 * h) for row in np.eye(len(x))])
    B = np.column_stack([(rates(x, u + row) - rates(x, u - row)) / 2.0 for row in np.eye(len(u))])
    np.testing.assert_allclose(found.A, A, atol=1e-6 * np.abs(A).max())
    np.testing.assert_allclose(found.B, B, atol=1e-12)


PLAIN = SPINNING + boom('stowed = "drum"', more="")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("bending_z = 1 }", "torsion = 1 }\ntorsion = 1.0", r"modes\.torsion = 1 is not allowed: a beam that extends has modes of bending_y and bending_z"),
        ("bending_y = 2, bending_z = 1", "bending_y = 9, bending_z = 9", "expected at most 10 modes of a beam that extends"),
        ("length = 2.0,", "length = 7.0,", r"extends\.length is 7\.0, expected at most 6 m, the length of the beam"),
        ("rate = 0.3, stowed = \"drum\"", 'stowed = "at rest", drum_mass = 1.0', r"drum_mass = 1\.0 is not allowed where the stowed part is at rest"),
        ("rate = 0.3, stowed = \"drum\"", "latch = 8.0", r"extends\.latch is 8\.0, expected a length from 0 to 6 m"),
        ("rate = 0.3, stowed = \"drum\"", "stop = { lower = 1.0, upper = 7.0, stiffness = 1.0 }", r"extends\.stop is \[1\.0, 7\.0\], expected lower and upper between 0 and 6 m"),
        ("rate = 0.3, stowed = \"drum\"", 'drive = "rate"', r"extends\.servo is missing"),
        ("rate = 0.3, stowed = \"drum\"", "rat = 0.3", r"extends has the unknown key 'rat'; did you mean 'rate'"),
        ("tip = 1.0", "tip = 0.5", r"nodes\.tip is 0\.5, expected 1\.0, the tip"),
        ("polar_inertia = 0.02", "polar_inertia = 0.02\ntip_mass = 1.0", "tip_mass = 1.0 is not allowed: put a body on a fixed joint at the tip"),
        ("polar_inertia = 0.02", "polar_inertia = 0.02\nstiffening = false", r"stiffening is false, expected true for a beam that extends"),
        ("modes = { bending_y = 2, bending_z = 1 }", "segments = 2", r"beam\.extends = .* is not allowed with segments"),
        ('name = "Booms"', 'name = "Booms"\nformulation = "natural"', "boom is flexible, expected rigid bodies"),
    ],
)  # fmt: skip
def test_what_is_refused(old, new, sentence):
    assert old in PLAIN
    with pytest.raises(DescriptionError, match=sentence):
        load_text(PLAIN.replace(old, new))


def test_other_formulations_refuse_it_by_name():
    craft = (HUB % "[0.0, 0.0, 0.0]" + ROOT % ("", "", 0.5) + boom('stowed = "drum"', more="")).replace(
        'name = "Booms"', 'name = "Booms"\nformulation = "light"'
    )
    with pytest.raises(DescriptionError, match='"tree": boom is a beam that extends'):
        load_text(craft)
