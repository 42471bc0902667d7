"""(j) Many runs: AttitudeSlew with draws by lanes, against its FMU; environment steps of a satellite with a panel, against Basilisk's.

CPU time of one thread: two cores do twice as many.
"""

from __future__ import annotations

import numpy as np

import spacefmu
from spacefmu.fmu_src.batch.batch import RunNumber
from spacefmu.fmu_src.batch.library import lanes_here
from spacefmu.fmu_src.cosim.single import Simulator

from . import models
from .results import Results, folder
from .timing import timed

DRAWN = ("plant.hub.mass", *(f"plant.panel.mode[{i}].frequency" for i in (1, 2, 3)), *(f"plant.antenna.mode[{i}].frequency" for i in (1, 2)),
         "plant.wheel.x.spin_inertia", "plant.wheel.y.spin_inertia", "controller.stiffness[1]", "controller.damping[1]")  # fmt: skip
NUMBERS = (
    RunNumber("controller.error", "largest", after=110.0),
    RunNumber("plant.panel.tip.displacement", "max"),
    RunNumber("plant.wheel.x.speed", "largest"),
)
STOP, STEP, TOLERANCE = 180.0, 0.1, 1e-9
ENVS, ENV_STEP, TORQUE = 1024, 0.5, 0.5  # [s], [N m]


def draws(system, runs: int) -> dict[str, np.ndarray]:
    """±20 % of ten parameters."""
    starts = {p.name: p.start for p in system.signals.parameters}
    rng = np.random.default_rng(1)
    return {name: starts[name] * rng.uniform(0.8, 1.2, runs) for name in DRAWN}


def slews(results: Results, runs: int, stop: float) -> None:
    system = spacefmu.load("AttitudeSlew")
    values = draws(system, runs)
    fmu = spacefmu.build(system, folder() / "AttitudeSlew.fmu")
    with Simulator(fmu, logged=False) as simulator:
        settings = [{name: float(column[i]) for name, column in values.items()} for i in range(4)]
        watched = [number.of for number in NUMBERS]
        alone = min(timed(lambda own=own: simulator.run(stop, STEP, own, record=watched))[0] for own in settings)
    results.row("j", "AttitudeSlew by its FMU in the loop in C: CPU per run", 1e3 * alone, "ms")
    for lanes in [lanes for lanes in (4, 8) if lanes <= lanes_here()]:
        with spacefmu.Batch(system, runs, lanes, threads=1) as batch:

            def whole(batch=batch):
                batch.begin(values, stop, TOLERANCE)
                batch.sort()
                return batch.run(stop, STEP, measures=NUMBERS)

            taken = min(timed(whole)[0] for _ in range(3)) / runs
            key = "slews" if lanes == lanes_here() else ""
            words = f"AttitudeSlew in {lanes} lanes at 1e-9, ten parameters ±20 %, three metrics: runs per hour on two cores"
            results.row(
                "j",
                words,
                2.0 * 3600.0 / taken,
                "",
                f"{1e3 * taken:.2f} ms of CPU per run, {batch.bytes_per_run / 1e3:.0f} kB per lane",
                key,
            )


def environment(count: int):
    """A satellite with one sprung panel, torques on its hub, 0.5 s per step; and a policy that brakes it."""
    from spacefmu.gym import BatchEnv

    path = folder() / "EnvPanel.toml"
    path.write_text(models.panels(1).replace("[bodies.hub]\n", '[bodies.hub]\nforces_at = ["frame"]\n', 1))
    rate = {f"hub.angular_velocity[{i}]": (-0.05, 0.05) for i in (1, 2, 3)}
    reward = "-(hub.angular_velocity[1]**2 + hub.angular_velocity[2]**2 + hub.angular_velocity[3]**2)"
    observations = ["hub.angular_velocity", "hub.quaternion"]
    return BatchEnv(path, count, actions={"hub.torque": TORQUE}, observations=observations, reward=reward, step=ENV_STEP, length=10**9, draws=rate, threads=1)  # fmt: skip


def environments(results: Results, count: int, steps: int) -> None:
    from .peers.basilisk_env import PanelEnv

    env, peer = environment(count), PanelEnv(ENV_STEP)
    observation, _ = env.reset(seed=1)
    theirs = peer.reset()

    def ours() -> None:
        nonlocal observation
        for _ in range(steps):
            observation, *_ = env.step(np.clip(-20.0 * observation[:, :3], -TORQUE, TORQUE))

    def basilisk() -> None:
        nonlocal theirs
        for _ in range(10 * steps):
            theirs = peer.step(np.clip(-20.0 * theirs[:3], -TORQUE, TORQUE))

    times = [(timed(ours)[0] / (steps * count), timed(basilisk)[0] / (10 * steps)) for _ in range(5)]
    own, other = (min(column) for column in zip(*times, strict=True))
    results.row("j", f"environment steps per second of CPU, {count} environments, one thread", 1.0 / own, "")
    results.row(
        "j", "the same satellite stepped in Basilisk (RK4, 0.1 s), environment steps per second of CPU", 1.0 / other, ""
    )
    results.row("j", "ratio of environment steps per second, spacefmu.gym to Basilisk", other / own, key="env_steps")
    env.close()


def run(results: Results, runs: int = 512, stop: float = STOP, count: int = ENVS, steps: int = 60) -> None:
    slews(results, runs, stop)
    environments(results, count, steps)
