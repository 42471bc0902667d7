"""Several Systems fused into one: the limit of a co-simulation, and one FMU without a master."""

import numpy as np
import pytest

from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.fuse import Fused, Part, Wire, fuse
from spacefmu.dynamics.system import evaluate
from spacefmu.dynamics.system.recording import recorded
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import Signal
from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.archive.members import described_by
from spacefmu.fmu_src.python.stored import dumps, loads
from tests.catalogue_fmus import fmu_file, system_of
from tests.systems_small import OSCILLATOR

EXPERIMENT = {"stop": 2.0, "step": 0.1, "tolerance": 1e-9}
LOOP = """
kind = "system"
name = "Loop"
step = 0.1
stop = 2.0

[units.plant]
model = "HingedPanel"
start = { "hub.angular_velocity" = 0.01 }

[units.controller]
model = "AttitudeController"

[connections]
"controller.quaternion" = "plant.hub.quaternion"
"controller.angular_velocity" = "plant.hub.angular_velocity"
"plant.hub.torque" = "controller.torque"
"""


class Spring(Block):
    """Force per mass of a spring and a damper to the origin, by gains."""

    inputs = (Signal("position", "of the mass", "m"), Signal("rate", "of the mass", "m/s"))
    parameters = (Signal("stiffness", "per mass", "1/s2", 5.0), Signal("damping", "per mass", "1/s", 0.6))
    outputs = (Signal("force", "per mass", "m/s2"),)

    def results(self, now):
        return {"force": -now.stiffness * now.position - now.damping * now.rate}


class Meter(Block):
    """A filtered and a sampled reading."""

    inputs = (Signal("value", "what is read", "N"),)
    states = (Signal("filtered", "reading of a filter of 0.5 s", "N"),)
    sampled = (Signal("held", "last sample", "N"),)
    outputs = (Signal("both", "sum of both readings", "N"),)
    sample_time = 0.25

    def rates(self, now):
        return {"filtered": 2.0 * (now.value - now.filtered)}

    def sample(self, now):
        return {"held": now.value}

    def results(self, now):
        return {"both": now.filtered + now.held}


def fused(systems, wires, starts=None):
    parts = tuple(Part(name, system.made_by, (starts or {}).get(name, {})) for name, system in systems.items())
    return fuse(Fused("Whole", parts, tuple(wires), EXPERIMENT), systems)


def test_a_loop_of_two_blocks_has_the_closed_form():
    """x'' = −4x − 5x − 0.6x' from x = 1: e^(−0.3t)(cos wt + 0.3/w sin wt), w² = 9 − 0.09."""
    wires = [
        Wire(("mass", "position"), ("spring", "position")),
        Wire(("mass", "velocity"), ("spring", "rate")),
        Wire(("spring", "force"), ("mass", "force")),
    ]
    whole = fused({"mass": OSCILLATOR, "spring": Spring().system()}, wires)
    assert [entry.name for entry in whole.signals.inputs] == ["mass.locked"]
    times = np.linspace(0.0, 4.0, 9)
    w = np.sqrt(9.0 - 0.09)
    closed = np.exp(-0.3 * times) * (np.cos(w * times) + 0.3 / w * np.sin(w * times))
    found = integrate(whole, times)
    assert np.abs(found.x[:, whole.signals.where("states", "mass.position")] - closed).max() < 1e-10


def test_start_values_units_and_signs():
    """A factor and starts by entry reach the equations; parameters of the whole can be changed as those of a unit."""
    wires = [
        Wire(("mass", "position"), ("spring", "position"), -2.0),
        Wire(("spring", "force"), ("mass", "force"), 0.5),
    ]
    whole = fused({"mass": OSCILLATOR, "spring": Spring().system()}, wires, {"mass": {"position": 0.3}})
    x, u, k, d = evaluate.start(whole)
    rates, outputs, _ = evaluate.motion(whole, 0.0, x, u, k, d)
    assert x[0] == 0.3
    assert rates[1] == pytest.approx(0.5 * 5.0 * 2.0 * 0.3 - 4.0 * 0.3, abs=1e-15)
    assert outputs[whole.signals.where("outputs", "spring.force")] == pytest.approx(3.0, abs=1e-15)
    with pytest.raises(ValueError, match="spring: no start value is named stifness"):
        fused({"mass": OSCILLATOR, "spring": Spring().system()}, wires, {"spring": {"stifness": 1.0}})


def test_what_a_solve_decides_reaches_other_units_and_their_samples():
    """A cable's tension is a multiplier: a filter and a sampled reading of it run beside the cable, through its jumps."""
    pair, meter = system_of("TetheredMasses"), Meter().system()
    tension = next(e.name for e in pair.signals.outputs if "tension" in e.name)
    whole = fused({"pair": pair, "meter": meter}, [Wire(("pair", tension), ("meter", "value"))])
    times = 0.25 * np.arange(6)  # the instants of samples
    x = np.array(pair.signals.starts("states"))
    x[np.isclose(x, 6.0)] = 9.8  # taut after 0.4 s
    alone = integrate(recorded(pair), times, x=x)
    together = integrate(recorded(whole), times, x=np.concatenate([x, [0.0]]))
    assert np.abs(together.x[:, : pair.nx] - alone.x).max() < 1e-9
    forces = alone.y[:, pair.signals.where("outputs", tension)]
    held = together.d[:, whole.signals.where("discretes", "meter.held")]
    assert forces[0] == 0.0
    assert forces[-1] > 0.01
    assert np.abs(held[-1] - forces[-1]) < 1e-9  # sampled at the last instant: after the jump that made the cable taut


def test_what_no_order_can_bring_about_is_refused():
    echo = Spring().system()
    with pytest.raises(ValueError, match=r"algebraic loop: other\.position, one\.position"):
        fused(
            {"one": echo, "other": echo},
            [Wire(("one", "force"), ("other", "position")), Wire(("other", "force"), ("one", "position"))],
        )
    pair = system_of("TetheredMasses")
    tension = next(e.name for e in pair.signals.outputs if "tension" in e.name)
    with pytest.raises(ValueError, match=r"pair.chief.force\[1\] is known only after the solve"):
        fused({"pair": pair}, [Wire(("pair", tension), ("pair", "chief.force[1]"))])
    with pytest.raises(ValueError, match=r"one\.strength: no state, output or derivative"):
        fused({"one": echo}, [Wire(("one", "strength"), ("one", "position"))])


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    path = tmp_path_factory.mktemp("loop") / "loop.toml"
    path.write_text(LOOP)
    return path


def test_one_fmu_is_the_limit_of_the_co_simulation(loop):
    """A sampled controller holds its torque, so Gauss-Seidel at its sample time has no coupling error: both are equal to
    the solver's tolerance, and so are both flavours of the one FMU."""
    system = cosim.read_system(loop)
    coupled = cosim.cosimulate(system, {"plant": fmu_file("HingedPanel"), "controller": fmu_file("AttitudeController")})
    whole = api.load(loop)
    fmu = api.build(whole, loop.parent / "native.fmu")
    native = api.simulate(fmu)
    python = api.simulate(api.build(whole, loop.parent / "python.fmu", flavour="python"))
    reference = integrate(recorded(whole), native.time[:11])
    for name in ("plant.hub.quaternion", "plant.hub.angular_velocity", "controller.torque"):
        assert np.abs(coupled[name]).max() > 1e-3
        assert np.abs(native[name] - python[name]).max() < 1e-9
        # before rates were kept from seeing a sample early: 3e-7 of the torque
        assert np.abs(native[name] - coupled[name]).max() < 1e-7  # tolerance 1e-8; measured 1.7e-8 N m
    quaternion = whole.signals.where("states", "plant.hub.quaternion")
    assert np.abs(native["plant.hub.quaternion"][:11] - reference.x[:, quaternion]).max() < 1e-8


def test_monolithic_is_an_algorithm_of_a_system(loop):
    run = api.cosimulate(loop, algorithm="monolithic", stop=0.3, record=["controller.torque"])
    assert len(run.time) == 4
    assert np.abs(run["controller.torque"]).max() > 0.1
    whole = api.load(loop)
    function, data = loads(dumps(*whole.made_by))
    assert function(data).signals.starts("states") == whole.signals.starts("states")
    with pytest.raises(ValueError, match="cannot be paced to a clock"):
        api.cosimulate(loop, algorithm="monolithic", clock=lambda t: None)


def test_finished_fmus_are_refused(loop):
    path = loop.with_name("finished.toml")
    path.write_text(LOOP.replace('"HingedPanel"', '"plant.fmu"'))
    with pytest.raises(ValueError, match=r"unit plant is a finished FMU \(plant\.fmu\)"):
        api.load(path)


FUSED = """
kind = "system"
name = "Pointing"
step = 0.1
stop = 1.0
[units.plant]
model = "HingedPanel"
start = {{ "hub.mass" = 410.0 }}
[units.controller]
model = "{controller}"
[connections]
"controller.quaternion" = "plant.hub.quaternion"
"controller.angular_velocity" = "plant.hub.angular_velocity"
"plant.hub.torque" = "controller.torque"
"""


def test_a_fused_fmu_carries_its_parts_and_can_be_seen(tmp_path):
    """Descriptions of the units travel in it: it is drawn, its report has masses, and it becomes the same System again.

    The view is that of the co-simulation of the same units: the same bodies, at the same places at the start.
    """
    (tmp_path / "pointing.toml").write_text(FUSED.format(controller="AttitudeController"))
    system = api.load(tmp_path / "pointing.toml")
    fmu = api.build(system, tmp_path / "pointing.fmu", flavour="python")
    assert set(described_by(fmu)) == {
        "pointing.toml", "units/plant/HingedPanel.toml", "units/controller/AttitudeController.toml"
    }  # fmt: skip
    again = api.load(fmu)
    assert again.signals.starts("parameters") == system.signals.starts("parameters")
    run = api.simulate(fmu, stop=0.2, step=0.1)
    sight = api.look(run)
    ((_, clip),) = sight.clips.items()
    assert [body.name for body in again.about.picture().bodies] == ["plant.hub", "plant.panel"]
    assert clip.motion.positions.shape[1] == 2
    hub = np.array([run[f"plant.hub.position[{i}]"] for i in (1, 2, 3)]).T
    assert clip.motion.positions[:, 0] == pytest.approx(hub, abs=1e-12)
    api.report(run, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "plant" in page
    assert "410 kg at" in page  # the start value that the system gives its unit
    assert "contains no spacefmu description" not in page
