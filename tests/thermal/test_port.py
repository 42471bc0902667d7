"""The thermal port: what temperatures of sections do to beams, plates and bodies with given modes."""

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import constants, motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import Bag
from spacefmu.fmu_src.native.trace.fast import fast
from tests.compare import relative
from tests.thermal.crafts import boom, driven, given, settled

L, ALPHA, H = 5.0, 1.2e-5, 0.02


@pytest.mark.parametrize("more", ["", "tip_mass = 3.0\ntip_inertia = [0.1, 0.2, 0.2]"], ids=["plain", "tip body"])
@pytest.mark.parametrize("sections", [1, 3])
def test_a_steady_difference_bends_a_beam_as_a_circle(sections, more):
    """κ = αΔT/h: away from the warm face by κL²/2 at the tip and κL²/8 in the middle, slopes κL, κL/2. Measured 4e-13."""
    system = load_text(boom(sections, more=more))
    y, _ = settled(system, given(system, boom__temperature_difference_y=10.0))
    curvature = ALPHA * 10.0 / H
    for node, s in (("tip", L), ("middle", L / 2.0)):
        assert y[f"boom.{node}.displacement"][1] == pytest.approx(-curvature * s**2 / 2.0, rel=1e-9)
        assert y[f"boom.{node}.rotation"][2] == pytest.approx(-curvature * s, rel=1e-9)


@pytest.mark.parametrize("sections", [1, 3])
def test_the_root_of_a_heated_beam_is_a_place(sections):
    """A place at x = 0 has no stretch of beam before it: nothing is drawn in there."""
    body = load_text(boom(sections)).made_by[1].tree.links[0].body
    root = body.nodes.at(np.zeros(3))
    assert not np.any(root.second)
    assert np.abs(root.shape).max() < 1e-14


def test_five_modes_alone_lack_slope():
    """Without static shapes: 99.4 % of the deflection, but 92 % of the slope at the tip."""
    system = load_text(boom(static=False))
    y, _ = settled(system, given(system, boom__temperature_difference_y=10.0))
    curvature = ALPHA * 10.0 / H
    assert y["boom.tip.displacement"][1] / (-curvature * L**2 / 2.0) == pytest.approx(0.994, abs=1e-3)
    assert y["boom.tip.rotation"][2] / (-curvature * L) == pytest.approx(0.92, abs=3e-3)


def test_each_section_bends_for_itself_in_either_plane():
    """Section 2 of 4 alone: straight to L/4, then slope κL/4 behind L/2; in x–z the turn about y has the other sign. Of a beam along y."""
    system = load_text(boom(4, modes="{ bending_y = 1, bending_z = 2 }", axis="y"))
    curvature = ALPHA * 10.0 / H
    tip = curvature * (L / 4.0) * (L / 8.0 + L / 2.0)
    u = given(system, boom__temperature_difference_z=[0.0, 10.0, 0.0, 0.0])
    y, _ = settled(system, u)  # the beam's x, y, z are the body's y, z, x
    assert relative(y["boom.tip.displacement"][0], -tip) < 1e-9
    assert relative(y["boom.tip.rotation"][2], curvature * L / 4.0) < 1e-9
    u = given(system, boom__temperature_difference_y=[0.0, 10.0, 0.0, 0.0])
    y, _ = settled(system, u)
    assert relative(y["boom.tip.displacement"][2], -tip) < 1e-9
    assert relative(y["boom.tip.rotation"][0], -curvature * L / 4.0) < 1e-9


def test_mean_temperatures_stretch_axial_modes_alone():
    """αTL, by sections; a beam without axial modes has no such input."""
    system = load_text(boom(2, modes="{ bending_y = 1, axial = 1 }"))
    y, _ = settled(system, given(system, boom__temperature=[293.15 + 30.0, 293.15 - 10.0]))
    assert y["boom.middle.displacement"][0] == pytest.approx(ALPHA * 30.0 * L / 2.0, rel=1e-9)
    assert y["boom.tip.displacement"][0] == pytest.approx(ALPHA * 20.0 * L / 2.0, rel=1e-9)
    assert abs(y["boom.tip.displacement"][1]) < 1e-15
    names = [quantity.name for quantity in load_text(boom()).signals.inputs]
    assert names == ["boom.temperature_difference_y[1]"]


def test_the_shape_follows_expansion_and_thickness_but_not_stiffness():
    """Density and frequency of all modes changed: the static shape is geometry, and stays."""
    system = load_text(boom(2))
    p = np.array(system.signals.starts("parameters"))
    for i, quantity in enumerate(system.signals.parameters):
        factor = {"mass": 3.0, "frequency": 1.7, "expansion": 2.0, "thickness_y": 0.5}.get(
            quantity.name.split(".")[-1], 1.0
        )
        p[i] *= factor
    y, _ = settled(system, given(system, boom__temperature_difference_y=10.0), p)
    assert y["boom.tip.displacement"][1] == pytest.approx(-4.0 * ALPHA * 10.0 / H * L**2 / 2.0, rel=1e-9)


PLATE = """
name = "Panel"
[bodies.panel]
nodes = {{ a = [0.75, 0.0], b = [0.7, 0.0], c = [0.8, 0.0], left = [0.75, -0.1], right = [0.75, 0.1], corner = [1.0, 0.5] }}
thermal = {{ expansion = 1e-5, thickness = 0.01, sections = {sections} }}
[bodies.panel.plate]
length = 4.0
width = 1.0
mass = 8.0
{stiffness}
modes = 2
stiffening = false
[joints.root]
parent = "space"
child = "panel"
kind = "fixed"
"""


@pytest.mark.parametrize(
    "stiffness",
    ["bending = 50.0\npoisson = 0.3", "sandwich = { d11 = 50.0, d22 = 20.0, d12 = 6.0, d66 = 12.0 }"],
    ids=["isotropic", "sandwich"],
)
def test_plates_bend_in_both_directions(stiffness):
    """Far from the clamped edge (three widths) the plate is a bowl, w_xx = w_yy = −αΔT/h: no strain is left in it."""
    system = load_text(PLATE.format(sections=1, stiffness=stiffness))
    y, _ = settled(system, given(system, panel__temperature_difference_z=5.0))
    w = {node: y[f"panel.{node}.displacement"][2] for node in ("a", "b", "c", "left", "right")}
    curvature = 1e-5 * 5.0 / 0.01
    assert (w["b"] - 2.0 * w["a"] + w["c"]) / 0.2**2 == pytest.approx(-curvature, rel=5e-3)
    assert (w["left"] - 2.0 * w["a"] + w["right"]) / 0.1**2 == pytest.approx(-curvature, rel=5e-3)


def test_sections_of_a_plate_add_up():
    """Two by two sections at the same difference are one; they are numbered row by row from the root, across first."""
    one, four = (load_text(PLATE.format(sections=sections, stiffness="bending = 50.0")) for sections in ("1", "[2, 2]"))
    whole = settled(one, given(one, panel__temperature_difference_z=5.0))[0]["panel.corner.displacement"]
    parts = settled(four, given(four, panel__temperature_difference_z=5.0))[0]["panel.corner.displacement"]
    assert relative(parts, whole) < 1e-9
    root = settled(four, given(four, panel__temperature_difference_z=[5.0, 5.0, 0.0, 0.0]))[0][
        "panel.corner.displacement"
    ]
    tip = settled(four, given(four, panel__temperature_difference_z=[0.0, 0.0, 5.0, 5.0]))[0][
        "panel.corner.displacement"
    ]
    assert abs(root[2]) > 2.0 * abs(tip[2])  # what bends near the root moves the whole arm behind it
    assert relative(root + tip, whole) < 1e-9


def test_given_modal_loads_do_what_the_beams_do():
    """A beam's first modes as a table of integrals, with the loads EI(w'(b) − w'(a)) α/h: the same motion as the beam's own."""
    beam = load_text(boom(2, static=False, modes="{ bending_y = 2 }", more="stiffening = false"))
    body = beam.made_by[1].tree.links[0].body
    own, k = (
        body.integrals_at_build,
        Bag(beam.signals, "parameters", constants(beam, np.array(beam.signals.starts("parameters")))),
    )
    loads = (-ALPHA / H * body.held(k, np.ones(body.modes))[:, None] * body.thermal.loads[0].shapes).T
    tip = body.nodes["tip"]
    text = f"""
name = "Boom"
[bodies.boom]
mass = {own.mass}
mass_center = {(own.first / own.mass).tolist()}
inertia = {{ xx = 0.0, yy = {own.inertia[1, 1] - own.mass * 2.5**2}, zz = {own.inertia[1, 1] - own.mass * 2.5**2} }}
thermal = {{ loads = {{ y = {loads.tolist()} }} }}
[bodies.boom.modal]
frequency = {body.frequencies.tolist()}
modal_mass = {np.diag(own.modal_mass).tolist()}
s1 = {own.s1.T.tolist()}
h1 = {own.h1.tolist()}
h3 = {own.h3.tolist()}
h4 = {own.h4.tolist()}
h5 = {own.h5.tolist()}
nodes = {{ tip = {{ position = {tip.position.tolist()}, translation = {tip.shape.T.tolist()}, rotation = {tip.turn.T.tolist()} }} }}
[joints.root]
parent = "space"
child = "boom"
kind = "fixed"
"""
    table = load_text(text)
    times = np.linspace(0.0, 3.0, 13)
    found = [
        integrate(fast(system), times, given(system, boom__temperature_difference_y=[10.0, -4.0])).y
        for system in (beam, table)
    ]
    where = [system.signals.where("outputs", "boom.tip.displacement") for system in (beam, table)]
    assert relative(found[1][:, where[1]], found[0][:, where[0]]) < 1e-9


@pytest.mark.parametrize("omega_tau", [0.1, 1.0, 10.0])
def test_heating_slower_than_the_mode_excites_it_less(omega_tau):
    """ΔT = ΔT∞(1 − e^(−t/τ)) on one undamped mode: what oscillates in the end, over the static deflection, is 1/√(1 + (ωτ)²)."""
    system = load_text(boom(static=False, modes="{ bending_y = 1 }"))
    frequency = (
        2.0 * np.pi * system.signals.parameters[system.signals.where("parameters", "boom.mode[1].frequency")].start
    )
    tau = omega_tau / frequency
    times = np.linspace(0.0, 2.0 * np.pi / frequency, 8)
    heating = driven(system, boom__temperature_difference_y=lambda t: 10.0 * (1.0 - np.exp(-t / tau)))
    eta = integrate(fast(system), times, heating, rtol=1e-10).x[:, 0]
    still = settled(system, given(system, boom__temperature_difference_y=10.0))[1][0]
    phase = frequency * times
    fit = np.column_stack(
        [np.ones(8), np.cos(phase), np.sin(phase), np.exp(-times / tau)]
    )  # what dies out with the heating
    mean, *swing, _ = np.linalg.lstsq(fit, eta, rcond=None)[0]
    assert mean == pytest.approx(still, rel=1e-6)
    assert np.hypot(*swing) / abs(still) == pytest.approx(1.0 / np.sqrt(1.0 + omega_tau**2), rel=1e-6)


HUB = """
[bodies.hub]
mass = 20.0
inertia = { xx = 3.0, yy = 4.0, zz = 5.0 }
initial = { angular_velocity = [0.3, 0.1, -0.2] }
"""


def floating(text: str) -> str:
    return text.replace('parent = "space"', 'parent = "hub"\nplace = [0.3, 0.1, 0.0]').replace(
        "[joints", HUB + "[joints"
    )


HEAT = {
    "boom__temperature_difference_y": lambda t: 200.0 * np.sin(3.0 * t),
    "boom__temperature_difference_z": lambda t: 100.0 * np.cos(2.0 * t),
    "boom__temperature": lambda t: 293.15 + 50.0 * np.sin(5.0 * t),
}


def test_energy_balance_and_momentum_of_a_heated_craft():
    """Free in space, spinning, heated in all ways: T + V − work + losses, momentum and angular momentum stay. Measured 3e-12."""
    system = load_text(floating(boom(modes="{ bending_y = 1, bending_z = 1, axial = 1 }")))
    run = integrate(fast(system), np.linspace(0.0, 0.25, 3), driven(system, **HEAT))
    column = {
        name: system.signals.where("outputs", f"system.{name}")
        for name in ("kinetic_energy", "potential_energy", "momentum", "angular_momentum")
    }
    work, lost = (run.x[:, system.signals.where("states", f"system.{name}")] for name in ("work", "dissipated_energy"))
    energy = run.y[:, column["kinetic_energy"]] + run.y[:, column["potential_energy"]]
    assert np.ptp(work) > 1e-5
    assert np.ptp(lost) > 1e-6
    assert np.abs(energy - work + lost - energy[0]).max() < 1e-10 * energy.max()
    for name in ("momentum", "angular_momentum"):
        values = run.y[:, column[name]]
        assert np.abs(values - values[0]).max() < 1e-10 * max(np.abs(values).max(), 1.0)


SATELLITE = """
name = "Satellite"
formulation = "{formulation}"
[bodies.hub]
mass = 100.0
inertia = {{ xx = 30.0, yy = 40.0, zz = 50.0 }}
initial = {{ angular_velocity = [0.1, 0.2, 0.3] }}
[bodies.wing]
thermal = {{ expansion = 2e-5, thickness = 0.02, sections = 2 }}
beam = {{ length = 5.0, mass = 10.0, bending_y = 100.0, polar_inertia = 0.5, modes = {{ bending_y = 2 }}, stiffening = false }}
[joints.mount]
parent = "hub"
child = "wing"
kind = "fixed"
"""


def test_formulations_take_the_same_temperatures():
    """The tree's equations and the closed form of [tkachev]: rates of all states in common."""
    found = []
    for formulation in ("tree", "closed"):
        system = load_text(SATELLITE.format(formulation=formulation))
        x, _, k, d = start(system)
        u = given(system, wing__temperature_difference_y=[5.0, 50.0])
        rates = motion(system, 0.0, x, u, k, d)[0]
        found.append({entry.name: rate for entry, rate in zip(system.signals.states, rates, strict=True)})
    tree, closed = found
    shared = [name for name in tree if name in closed]
    assert any(name.startswith("wing.mode[4]") for name in shared)
    assert relative([closed[name] for name in shared], [tree[name] for name in shared]) < 1e-11


@pytest.mark.parametrize(
    "key, text, sentence",
    [
        (
            "thickness",
            "thickness = {{ z = 0.1 }}",
            "bodies.boom.thermal.thickness.z is 0.1, expected a beam that bends in bending_z",
        ),
        ("expansion", "thickness = 0.1", "bodies.boom.thermal.expansion is missing"),
        (
            "loads",
            "expansion = 1e-5, thickness = 0.1, loads = {{ y = [[1.0]] }}",
            "belongs to a body whose modes are given",
        ),
        ("sections", "expansion = 1e-5, thickness = 0.1, sections = [2, 2]", "a beam has sections along it"),
    ],
)
def test_wrong_tables_are_named(key, text, sentence):
    start, end = boom().index("thermal = {") + len("thermal = {"), boom().index(" }\n[bodies.boom.beam]")
    with pytest.raises(DescriptionError) as error:
        load_text(boom()[:start] + text.format() + boom()[end:])
    assert sentence in str(error.value)
