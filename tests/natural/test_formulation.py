"""`formulation = "natural"`: the same spacecraft by points and vectors, against the tree, from one description."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.natural.system import natural_system
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast
from tests.cli.command import ROOT

SHORT = (
    "DeployableFourBar", "FourBar", "SpaceManipulator", "SpaceManipulatorPlanar", "SpaceManipulatorSpatial", "SpaceStation", "TetheredMasses",
)  # fmt: skip
LONG = ("TetheredPair", "TetheredPairElastic")  # 12,000 s: minutes in SciPy, seconds as FMUs


def both(name):
    """The System of a catalogue entry in both formulations."""
    tree = api.load(name)
    return tree, natural_system(tree.made_by[1])


def differences(tree, natural, y_tree, y_natural):
    """Largest difference of each output, (n, ny) arrays, relative to the largest value of its kind (all velocities, all forces, …), at least 1e-3 and of angles 1 rad;
    all of the tree's outputs are there. Momenta, which may be zero, are measured by those of the parts: √(2mT) [N s], and at an arm of 1 m.
    """
    outputs = tree.signals.quantities("outputs")
    mass = sum(p.start for p in tree.signals.parameters if p.name.endswith(".mass"))
    energy = np.max(np.abs(y_tree[:, tree.signals.where("outputs", "system.kinetic_energy")]))
    sizes = dict.fromkeys(("momentum", "angular_momentum"), max(1e-3, float(np.sqrt(2.0 * mass * energy))))
    for output in outputs:
        largest = float(np.max(np.abs(y_tree[:, tree.signals.where("outputs", output.name)])))
        least = 1.0 if output.unit == "rad" else 1e-3
        sizes[_kind(output)] = max(sizes.get(_kind(output), least), largest)
    found = {}
    undirected = ("perigee", "true_anomaly") if _circular(tree, y_tree) else ()
    for output in outputs:
        if _kind(output) in undirected:
            continue
        at, there = (np.atleast_1d(s.signals.where("outputs", output.name)) for s in (tree, natural))
        found[output.name] = float(np.max(np.abs(y_tree[:, at] - y_natural[:, there]))) / sizes[_kind(output)]
    return found


def _circular(tree, y) -> bool:
    """Of a circular orbit the perigee has no direction: round-off points it."""
    names = [output.name for output in tree.signals.quantities("outputs")]
    if "system.orbit.eccentricity" not in names:
        return False
    return float(np.max(y[:, tree.signals.where("outputs", "system.orbit.eccentricity")])) < 1e-5


def _kind(output):
    """The last word of its name; a mass centre is a place."""
    return output.name.rpartition(".")[2].replace("mass_center", "position")


@pytest.mark.parametrize("name", SHORT + LONG)
def test_one_instant(name):
    """Places, velocities, accelerations, forces of couplings, tensions and energies at the start."""
    tree, natural = both(name)
    y_tree, y_natural = (motion(s, 0.0, *start(s))[1][None] for s in (tree, natural))
    assert max(differences(tree, natural, y_tree, y_natural).values()) < 1e-9


@pytest.mark.parametrize("name", [name for name in SHORT if name not in ("FourBar", "TetheredMasses")])
def test_one_instant_with_every_input(name):
    """Forces, torques of joints, thrusters, wheels at random values: the same accelerations and reactions (FourBar has no input,
    TetheredMasses no accelerations among its outputs)."""
    tree, natural = both(name)
    inputs = tree.signals.inputs
    assert [entry.name for entry in inputs] == [entry.name for entry in natural.signals.inputs]
    pushes = np.array([entry.unit != "" for entry in inputs])  # Booleans stay as they are
    u = np.array(tree.signals.starts("inputs")) + 0.3 * pushes * np.abs(
        np.random.default_rng(4).normal(size=len(inputs))
    )
    y = []
    for system in (tree, natural):
        x, _, k, d = start(system)
        y.append(motion(system, 0.0, x, u, k, d)[1][None])
    found = differences(tree, natural, *y)
    if name == "DeployableFourBar":
        del found["closing.force"]  # across the plane of the linkage: superfluous, so not determined
    assert max(found.values()) < 1e-9
    assert np.max(np.abs(y[0] - motion(tree, 0.0, *start(tree))[1])) > 1e-3


def runs(tree, natural, stop, points=25):
    times = np.linspace(0.0, stop, points)
    return [integrate(fast(system), times, rtol=1e-11, atol=1e-13) for system in (tree, natural)]


@pytest.mark.parametrize(
    ("name", "stop"),
    [
        ("FourBar", 1.0),
        ("SpaceManipulatorPlanar", 3.0),
        *(pytest.param(n, None, marks=pytest.mark.slow) for n in SHORT),
    ],
)
def test_over_the_run(name, stop):
    """1e-9 over the run; events at the same times; rigid rows hold to 1e-10 throughout.

    Measured over the whole experiments, relative to the largest of its kind: planar arm 1e-12, spatial arm 3e-12, FourBar 1e-10,
    DeployableFourBar 3e-11, SpaceStation 3e-11, TetheredMasses 9e-16.
    """
    tree, natural = both(name)
    a, b = runs(tree, natural, stop or tree.about.experiment["stop"])
    worst = differences(tree, natural, a.y, b.y)
    assert max(worst.values()) < 1e-9, max(worst, key=worst.get)
    assert np.allclose(a.events, b.events, rtol=0.0, atol=1e-7)
    _, u, k, _ = start(natural)
    for projection in natural.projections:
        assert np.max(np.abs(projection.stage.assemble(b.time[-1], b.x[-1], u, k, b.d[-1])[3])) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_over_the_long_run(name):
    """Both formulations as native FMUs at a tolerance of 1e-12 over the whole experiment, with cables that go slack and are caught.

    Measured: TetheredPair 4.9e-10 (first.earth_direction, at the end; 1.0e-9 while vectors that move by round-off drove the step), TetheredPairElastic 1.6e-10. Each catch makes
    differences grow. The tree has converged: tolerances of 1e-12 and 1e-13 differ by 1.2e-10; the natural one has not, by 6.1e-10, and at
    1e-13 the two formulations are 7.7e-10 apart: what is left does not fall with the tolerance, as round-off that the catches amplify.
    """
    tree, natural = both(name)
    stop = tree.about.experiment["stop"]
    y = []
    for system in (tree, natural):
        run = api.simulate(
            replace(system, about=replace(system.about, experiment={**system.about.experiment, "tolerance": 1e-12})),
            step=stop / 24,
        )
        y.append(np.column_stack([run[output.name] for output in system.signals.outputs]))
    worst = differences(tree, natural, *y)
    assert max(worst.values()) < 1e-9, max(worst, key=worst.get)


ROD = """
[bodies.hub]
mass = 40.0
inertia = [6.0, 6.5, 7.0]
[bodies.rod]
mass = 4.0
mass_center = [0.5, 0.0, 0.0]
inertia = [0.01, 0.333, 0.333]
nodes = { end = [1.0, 0.0, 0.0] }
[joints.hinge]
parent = "hub"
child = "rod"
place = [0.5, 0.0, 0.0]
kind = "revolute"
axis = "z"
"""
STOPS = f"""
{ROD}
stop = {{ lower = -0.3, upper = 0.8, stiffness = 400.0, damping = 3.0 }}
initial = {{ position = 0.7, rate = 1.5 }}
"""
LOCK = STOPS.replace("stop = {", "latch = 0.9\nstop = {").replace("upper = 0.8", "upper = 1.2")
DOCK = dict(api.load(ROOT / "examples/couplings_docking.toml").about.described_by)["couplings_docking.toml"].decode()
SWITCHING = {"a stop": (STOPS, 2.0, 2), "a latch": (LOCK, 1.0, 1), "a dock that closes": (DOCK, 8.0, 1)}


@pytest.mark.parametrize("case", SWITCHING)
def test_variable_structure(case):
    """What is added and removed during the run, by the switching that the tree has: same events, same motion after them (1e-9)."""
    text, stop, events = SWITCHING[case]
    named = text if "name =" in text else f'name = "Switching"\n{text}'
    tree = load_text(named)
    natural = load_text(named.replace('"\n', '"\nformulation = "natural"\n', 1))
    a, b = runs(tree, natural, stop)
    assert len(a.events) >= events
    np.testing.assert_allclose(b.events, a.events, atol=1e-9)
    worst = differences(tree, natural, a.y, b.y)
    assert max(worst.values()) < 1e-9, max(worst, key=worst.get)


def test_the_sign_of_a_quaternion_follows_the_frame_of_an_orbit():
    """What follows it turns as the tree's quaternion does, relative to O: else its sign is lost after half a revolution."""
    tree, natural = both("TetheredPair")
    x, *others = start(tree)
    of_tree, of_natural = motion(tree, 0.0, x, *others)[0], motion(natural, 0.0, *start(natural))[0]
    for body in ("first", "second"):
        expected = of_tree[tree.signals.where("states", f"{body}.quaternion")]
        found = of_natural[natural.signals.where("states", f"{body}.turned")]
        assert found == pytest.approx(expected, abs=1e-15)


def test_joint_axes_are_states_of_the_same_name():
    tree, natural = both("SpaceManipulatorPlanar")
    for name in ("shoulder.angle", "shoulder.rate", "elbow.angle", "elbow.rate"):
        assert tree.signals.states[tree.signals.where("states", name)] == _plain(natural, name)


def _plain(system, name):
    return replace(system.signals.states[system.signals.where("states", name)], approximate=False)


THIN = f"""
name = "Thin"
formulation = "natural"
{ROD.replace("0.01, 0.333", "0.0, 0.333")}
initial = {{ position = 0.7, rate = 0.5 }}
"""


def test_thin_rods_have_no_inertia_about_themselves():
    """Legal in both: the hinge carries the rod round; equal accelerations."""
    natural = load_text(THIN)
    tree = load_text(THIN.replace('formulation = "natural"', ""))
    y_tree, y_natural = (motion(s, 0.0, *start(s))[1][None] for s in (tree, natural))
    assert max(differences(tree, natural, y_tree, y_natural).values()) < 1e-10


def test_a_rod_that_may_spin_freely_is_refused():
    """Its hinge along itself: the mass matrix is truly singular, and the description says so whatever the formulation."""
    with pytest.raises(DescriptionError, match=r"hinge\.rate"):
        load_text(THIN.replace('axis = "z"', 'axis = "x"'))


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("FlexibleSatellite", {}, "is flexible, expected rigid bodies .*, or formulation = .tree."),
        ("SpaceStation", {'kind = "universal"\naxes = ["y", "z"]': 'kind = "gimbal"\naxes = ["y", "z", "x"]', "position = [\"1 deg\", \"-0.5 deg\"]": "position = [0, 0, 0]"}, "joint port can't be made of shared points and vectors"),
        ("FourBar", {"[couplings.closing]": "[relations.gear]\nterms = { hinge1 = 1.0, hinge2 = -1.0 }\n[couplings.closing]"}, "gear is written in joint coordinates"),
    ],
)  # fmt: skip
def test_what_it_cannot_hold_is_named(name, change, sentence):
    text = dict(api.load(name).about.described_by)[f"{name}.toml"].decode()
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(DescriptionError, match=sentence):
        load_text(text.replace(f'name = "{name}"', f'name = "{name}"\nformulation = "natural"', 1))


@pytest.mark.slow
def test_native_fmu(tmp_path):
    """The FMU of a closed loop in natural coordinates runs as the tree's: 1e-8 over its experiment at its tolerance."""
    tree, natural = both("FourBar")
    results = [api.simulate(system, stop=5.0, step=0.5) for system in (tree, natural)]
    for name in ("bar2.position", "bar4.end.velocity", "closing.force", "bar1.quaternion"):
        scale = np.max(np.abs(results[0][name]))
        assert np.max(np.abs(results[0][name] - results[1][name])) < 1e-8 * scale
