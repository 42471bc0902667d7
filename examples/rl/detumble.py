"""Learn to detumble a satellite: a small network from body rates to torques, trained on 256 satellites at once.

    pip install 'spacefmu[rl]'
    python examples/rl/detumble.py

The satellite is the catalogue's HingedPanel: a hub with a flexible panel of 6 m. It tumbles by up to 0.1 rad/s about each axis, and its actuators give up to 2 N m.
CMA-ES (the package `cma`) tries 16 networks per generation, each on 16 satellites that differ in mass, stiffness and rates.
"""

from __future__ import annotations

import warnings

import numpy as np

from spacefmu.gym import BatchEnv

NETWORKS, DRAWS, HIDDEN, STEPS = 16, 16, 6, 120  # networks per generation, satellites of each, neurons, steps of 0.5 s
RATE = "hub.angular_velocity"
SHAPES = ((3, HIDDEN), (HIDDEN,), (HIDDEN, 3))
SIZE = sum(int(np.prod(shape)) for shape in SHAPES)


def environment(count: int) -> BatchEnv:
    return BatchEnv(
        "HingedPanel",
        count,
        step=0.5,
        length=STEPS,
        actions={"hub.torque": 2.0},
        observations={RATE: 0.1},
        reward=f"-10*sqrt({RATE}[1]**2 + {RATE}[2]**2 + {RATE}[3]**2)",
        draws={RATE: (-0.1, 0.1), "hub.mass": (320.0, 480.0), "panel.mode[1].frequency": (0.2, 0.4)},
        tolerance=1e-6,
    )


def policy(weights: np.ndarray, observation: np.ndarray) -> np.ndarray:
    """Torques [N m] (…, 3) of networks (networks, SIZE) for body rates (networks, draws, 3): 2 tanh(tanh(x A + b) C)."""
    parts, start = [], 0
    for shape in SHAPES:
        size = int(np.prod(shape))
        parts.append(weights[:, start : start + size].reshape(-1, *shape))
        start += size
    a, b, c = parts
    return 2.0 * np.tanh(np.tanh(observation @ a + b[:, None, :]) @ c)


def played(env: BatchEnv, weights: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(mean return of each network, rates [rad/s] of all satellites at the end) of an episode."""
    networks, observation = len(weights), env.reset(seed=seed)[0]
    total = np.zeros(env.num_envs)
    for _ in range(STEPS):
        torque = policy(weights, observation.reshape(networks, -1, 3))
        observation, reward, *_ = env.step(torque.reshape(-1, 3))
        total += reward
    return total.reshape(networks, -1).mean(axis=1), 0.1 * np.linalg.norm(observation, axis=1)


def train(generations: int = 40, seed: int = 1, tell=print) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(weights, rates at the end with them, rates at the end without torque), of satellites that the training has not seen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of matplotlib's plots, which nobody asks for
        import cma
    search = cma.CMAEvolutionStrategy(np.zeros(SIZE), 0.5, {"popsize": NETWORKS, "seed": seed, "verbose": -9})
    env = environment(NETWORKS * DRAWS)
    for generation in range(generations):
        weights = np.array(search.ask())
        returns, _ = played(env, weights, seed=1000 * generation)
        search.tell(list(weights), (-returns).tolist())
        if generation % 5 == 0:
            tell(f"generation {generation:3d}: mean return {returns.mean():8.2f}, best {returns.max():8.2f}")
    best = np.tile(search.mean, (NETWORKS, 1))
    _, after = played(env, best, seed=10**6)
    _, without = played(env, np.zeros_like(best), seed=10**6)
    env.close()
    return search.mean, after, without


if __name__ == "__main__":
    _, after, without = train()
    print(f"rates after {0.5 * STEPS:g} s: median {np.median(after):.2g} rad/s, largest {after.max():.2g} rad/s")
    print(f"without torque:       median {np.median(without):.2g} rad/s, largest {without.max():.2g} rad/s")
