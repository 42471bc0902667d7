"""spacefmu.gym: a VectorEnv over a batch keeps gymnasium's rules, and its steps are those of the FMU."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from spacefmu.fmu_src import api
from spacefmu.fmu_src.results import Result
from spacefmu.gym import BatchEnv
from tests.batch.test_agreement import SAMPLED, small_fmu

OSCILLATOR = {
    "actions": {"push": 2.0},
    "observations": {"place": 2.0, "speed": 1.0},
    "reward": "-(place**2 + abs(speed)) + 0.5*push",
    "step": 0.1,
    "length": 5,
    "draws": {"place": (-1.0, 1.0), "square": lambda rng: rng.choice([4.0, 9.0])},
}


def env_of(count=5, **more):
    return BatchEnv(SAMPLED, count, **(OSCILLATOR | more))


def test_spaces_seeds_and_draws():
    env = env_of()
    assert env.single_action_space.shape == (1,)
    assert env.action_space.shape == (5, 1)
    assert env.observation_space.contains(env.reset(seed=1)[0])
    first = env.reset(seed=1)[0]
    assert np.array_equal(first, env.reset(seed=1)[0])
    assert not np.array_equal(first, env.reset()[0])
    assert np.array_equal(first[1], env_of(2).reset(seed=[2, 3])[0][0])  # the second environment's seed
    assert (np.abs(first[:, 0]) <= 0.5).all()  # divided by 2
    assert len(np.unique(first[:, 0])) == 5
    env.close()


def test_steps_and_rewards_are_those_of_the_fmu():
    pushes = np.random.default_rng(1).uniform(-3.0, 3.0, (20, 3, 1))  # beyond the limits, too
    held = np.clip(pushes[:, 1, 0], -2.0, 2.0)
    table = Result(np.repeat(np.arange(20) * 0.1, 2)[1:], ("push",), np.repeat(held, 2)[:-1, None])
    names = ["place", "speed"]
    wanted = api.simulate(small_fmu(SAMPLED), 2.0, 0.1, {"place": 0.7}, table, names)
    env = env_of(3, length=100, draws={}, values={"place": 0.7, "push": held[0]})  # the table has it at the start, too
    env.reset()
    for i, action in enumerate(pushes):
        observation, reward, *_ = env.step(action)
        place, speed = wanted.values[i + 1]
        np.testing.assert_allclose(observation[1], [place / 2.0, speed], atol=1e-6)
        assert reward[1] == pytest.approx(-(place**2 + abs(speed)) + 0.5 * held[i], abs=1e-8)


def test_the_next_step_resets():
    env = env_of(4, end="place - 0.9", draws={"place": (-0.5, 0.5)}, values={"square": 4.0})
    env.reset(seed=3)
    push = np.zeros((4, 1))
    for _ in range(4):
        _, _, terminated, truncated, _ = env.step(push)
        assert not truncated.any()
        assert not terminated.any()
    _, _, _, truncated, _ = env.step(push)
    assert truncated.all()
    observation, reward, terminated, truncated, _ = env.step(push)
    assert not truncated.any()
    assert (reward == 0.0).all()
    assert (observation[:, 1] == 0.0).all()  # speeds at the start
    assert (np.abs(observation[:, 0]) <= 0.25).all()
    moved = env.step(push)[0]
    assert (moved[:, 1] != 0.0).all()  # they go on from their own time 0


def test_the_same_step_resets_and_tells_the_last_observation():
    env = env_of(
        3, end=lambda values: values["place"] < 0.7, values={"place": 0.72}, draws={}, autoreset_mode="SameStep"
    )
    env.reset()
    while True:
        observation, _, terminated, _, infos = env.step(np.zeros((3, 1)))
        if terminated.any():
            break
    assert terminated.all()
    assert np.allclose(observation, [0.36, 0.0])
    assert infos["_final_obs"].all()
    assert infos["final_obs"][0][0] < 0.35


def test_without_resets_an_episode_that_is_over_is_said():
    env = env_of(2, length=1, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    assert env.step(np.zeros((2, 1)))[3].all()
    with pytest.raises(ResetNeeded, match="environment 0 is over"):
        env.step(np.zeros((2, 1)))
    env.reset(options={"reset_mask": np.array([True, True])})
    env.step(np.zeros((2, 1)))


def test_a_run_that_fails_ends_its_episode():
    env = BatchEnv(
        "HingedPanel",
        3,
        actions={"hub.torque": 1e30},
        observations=["hub.angular_velocity"],
        reward=1.0,
        step=1.0,
        length=9,
    )
    env.reset(seed=1)
    push = np.zeros((3, 3))
    push[1] = 1e30
    for _ in range(3):
        _, rewards, terminated, _, infos = env.step(push)
        if terminated.any():
            break
    assert terminated.tolist() == [False, True, False]
    assert rewards.tolist() == [1.0, 0.0, 1.0]
    assert "fmi2DoStep" in infos["failure"][1]
    observation, *_ = env.step(np.zeros((3, 3)))
    assert np.isfinite(observation).all()


@pytest.mark.parametrize(
    "more, words",
    [
        ({"actions": {"place": 1.0}}, "place is not an input of Sampled"),
        ({"actions": {"push": (1.0, 1.0)}}, "low must be below high"),
        ({"observations": ["plaec"]}, "did you mean 'place'"),
        ({"reward": "-plaec"}, "did you mean 'place'"),
        ({"reward": "__import__('os')"}, "reward"),
        ({"length": 0}, "must be positive"),
    ],
)
def test_what_is_wrong_is_said(more, words):
    with pytest.raises(ValueError, match=words):
        env_of(**more)


def test_wrong_seeds_and_masks_are_said():
    env = env_of(3)
    with pytest.raises(ValueError, match="one per environment"):
        env.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="3 Booleans"):
        env.reset(options={"reset_mask": np.zeros(3, bool)})
