"""The thermal model: heat balance, orders in its nodes, time constants, and both scalars."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.blocks.thermal_model import STEFAN_BOLTZMANN
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.signals import Bag
from tests.algebra.on_symbols import on_symbols
from tests.compare import relative
from tests.thermal.crafts import given

MODEL = """
kind = "thermal_model"
name = "Heat"
shape = "{shape}"
sections = {sections}
nodes = {nodes}
length = 0.5
{size}
thickness = {thickness}
density = 1500.0
specific_heat = 900.0
conductivity = {conductivity}
conductivity_along = {conductivity}
absorptivity = 0.6
emissivity = {emissivity}
{more}
"""


def plate(sections=1, nodes=2, emissivity=0.0, conductivity=0.2, more=""):
    return load_text(
        MODEL.format(
            shape="plate",
            sections=sections,
            nodes=nodes,
            size="width = 0.4",
            thickness=0.01,
            conductivity=conductivity,
            emissivity=emissivity,
            more=more,
        )
    )


def tube(sections=1, nodes=16, emissivity=0.0, conductivity=5.0, more=""):
    return load_text(
        MODEL.format(
            shape="tube",
            sections=sections,
            nodes=nodes,
            size="radius = 0.01",
            thickness=0.0002,
            conductivity=conductivity,
            emissivity=emissivity,
            more=more,
        )
    )


def rates(system, x, u):
    _, _, k, d = start(system)
    return motion(system, 0.0, x, u, k, d)[:2]


def heated(system, times, u, x=None):
    """x (times, nx) by an implicit method: conduction is stiff."""
    begin, _, k, d = start(system, x=x)
    return solve_ivp(
        lambda t, x: motion(system, t, x, u, k, d)[0], (0.0, times[-1]), begin, "BDF", times, rtol=1e-9, atol=1e-9
    ).y.T


LIGHT = {
    "sunlight": [300.0, 500.0, -800.0] * 6,
    "planet_albedo": 100.0,
    "planet_infrared": 200.0,
    "planet_direction": [0.6, 0.0, 0.8] * 6,
    "planet_sine": 0.9,
}


@pytest.mark.parametrize("system", [plate([3, 2], 4, 0.8), tube(6, 8, 0.8)], ids=["plate", "tube"])
def test_heat_that_is_absorbed_is_stored_or_radiated(system):
    """At random temperatures, in all light: Σ C Ṫ = absorbed − radiated, and heat = Σ C T."""
    u = given(system, **LIGHT)
    x = np.random.default_rng(1).uniform(150.0, 400.0, system.nx)
    x_dot, y = rates(system, x, u)
    told = Bag(system.signals, "outputs", y)
    stored = (
        rates(system, x + x_dot, u)[1][system.signals.where("outputs", "heat")] - told["heat"]
    )  # heat is linear in T
    assert told["absorbed"] > 10.0
    assert stored == pytest.approx(told["absorbed"] - told["radiated"], rel=1e-9)
    k = np.array(system.signals.starts("parameters"))
    traced = on_symbols(lambda x, u: system.motion.finish(0.0, x, u, k, np.zeros(0), 0, 0, 0)[0], x, u)
    assert relative(traced, x_dot) < 1e-12


def test_absorbed_light_of_a_plate_and_a_tube():
    """By hand: 0.6 of the light on the area that it meets; a tube's shadow on it is its diameter times its length."""
    flat, round_ = plate(1, 2), tube(1, 64)
    y = Bag(flat.signals, "outputs", rates(flat, np.full(2, 300.0), given(flat, sunlight=[100.0, 0.0, -700.0]))[1])
    assert y["absorbed"] == pytest.approx(0.6 * 700.0 * 0.5 * 0.4, rel=1e-14)
    y = Bag(
        round_.signals, "outputs", rates(round_, np.full(64, 300.0), given(round_, sunlight=[100.0, 600.0, 800.0]))[1]
    )
    assert y["absorbed"] == pytest.approx(0.6 * 1000.0 * 0.02 * 0.5, rel=2e-3)  # measured 8e-4: 64 nodes


def test_conduction_along_and_across():
    """A straight temperature field along a plate of 4 sections: inner ones keep it; heat flows from section to section, k h w ΔT/L."""
    system = plate([4, 2], 3, conductivity=50.0)
    x = np.repeat([300.0, 310.0, 320.0, 330.0], 6)
    x_dot = rates(system, x, given(system))[0].reshape(4, 2, 3)
    assert np.abs(x_dot[1:3]).max() < 1e-12
    capacity = 1500.0 * 900.0 * 0.5 * 0.4 * 0.01
    assert x_dot[0] == pytest.approx(50.0 * 0.01 * 0.4 * 10.0 / 0.5 / capacity, rel=1e-12)
    across = rates(system, np.tile(np.repeat([300.0, 310.0], 3), 4), given(system))[0].reshape(4, 2, 3)
    assert across[:, 0] == pytest.approx(50.0 * 0.01 * 0.5 * 10.0 / 0.4 / capacity, rel=1e-12)


def test_the_difference_is_that_which_bends():
    """(12/h²)∫T z dz of straight pieces: a straight profile has that of its faces, T ∝ z³ three fifths of it, to second order."""
    for nodes in (2, 3, 7):
        system = plate(1, nodes)
        y = Bag(system.signals, "outputs", rates(system, np.linspace(290.0, 310.0, nodes), given(system))[1])
        assert y["temperature_difference_z"][0] == pytest.approx(20.0, rel=1e-12)
        assert y["temperature"][0] == pytest.approx(300.0, rel=1e-14)
    errors = []
    for nodes in (11, 21):
        system = plate(1, nodes)
        x = 300.0 + 10.0 * np.linspace(-1.0, 1.0, nodes) ** 3
        errors.append(
            rates(system, x, given(system))[1][system.signals.where("outputs", "temperature_difference_z")[0]] - 12.0
        )
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)
    system = tube(1, 16)
    phi = 2.0 * np.pi * np.arange(16) / 16
    y = Bag(system.signals, "outputs", rates(system, 300.0 + 5.0 * np.cos(phi) - 3.0 * np.sin(phi), given(system))[1])
    assert relative([y["temperature_difference_y"][0], y["temperature_difference_z"][0]], [10.0, -6.0]) < 1e-12


def test_moment_of_a_suddenly_heated_plate():
    """Flux q on one face, the other insulated: ΔT = (qh/2k)[1 − (96/π⁴) Σ_odd e^(−n²π²at/h²)/n⁴] (Boley, Weiner). Second order in the spacing."""
    h, k, a, q = 0.01, 0.2, 0.2 / (1500.0 * 900.0), 0.6 * 1000.0
    times = np.array([0.05, 0.2]) * h * h / a
    odd = np.arange(1, 60, 2)[:, None]
    series = (
        q
        * h
        / (2.0 * k)
        * (1.0 - 96.0 / np.pi**4 * np.sum(np.exp(-(odd**2) * np.pi**2 * a * times / h**2) / odd**4, axis=0))
    )
    errors = []
    for nodes in (5, 9, 17):
        system = plate(1, nodes)
        x = heated(system, times, given(system, sunlight=[0.0, 0.0, 1000.0]))
        found = [
            Bag(system.signals, "outputs", rates(system, row, given(system))[1])["temperature_difference_z"][0]
            for row in x
        ]
        errors.append(np.abs(found - series) / series)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders - 2.0).max() < 0.15, (errors, orders)
    assert errors[-1].max() < 3e-3


def test_time_constant_of_the_linearized_boom():
    """T' cos φ of a tube decays with 1/τ = k/(ρcr²) + 4εσT̄³/(ρct) (Thornton, Foster), to second order in the nodes around it."""
    warm, losses = 280.0, []
    tau = 1.0 / (5.0 / (1500.0 * 900.0 * 0.01**2) + 4.0 * 0.8 * STEFAN_BOLTZMANN * warm**3 / (1500.0 * 900.0 * 0.0002))
    for nodes in (8, 16):
        system = tube(1, nodes, 0.8)
        wave = 1e-3 * np.cos(2.0 * np.pi * np.arange(nodes) / nodes)
        fall = rates(system, warm + wave, given(system))[0] - rates(system, np.full(nodes, warm), given(system))[0]
        losses.append(-(fall @ wave) / (wave @ wave) * tau - 1.0)
    assert losses[0] / losses[1] == pytest.approx(4.0, rel=0.05)
    assert abs(losses[1]) < 0.015


@pytest.mark.parametrize(
    "change, sentence",
    [
        (("width = 0.4", "radius = 0.1"), "width is 'missing', expected a number: a plate has one"),
        (("nodes = 2", "nodes = 1"), "nodes is 1, expected at least 2 nodes in a section of a plate"),
        (("emissivity = 0.0", "emissivity = 1.5"), "emissivity is 1.5, expected at most 1"),
    ],
)
def test_wrong_models_are_named(change, sentence):
    text = MODEL.format(
        shape="plate",
        sections=1,
        nodes=2,
        size="width = 0.4",
        thickness=0.01,
        conductivity=0.2,
        emissivity=0.0,
        more="",
    )
    with pytest.raises(DescriptionError) as error:
        load_text(text.replace(*change))
    assert sentence in str(error.value)
