"""A gymnasium VectorEnv over a batch of runs: inputs are actions, chosen variables observations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spacefmu.dynamics.system.contract import System

from ..api.batches import Batch
from .formulas import Judge, Judgement, Look

Range = float | tuple[float, float]
Draw = tuple[float, float] | Callable[[np.random.Generator], float]


class BatchEnv(VectorEnv):
    """`num_envs` environments of one model: a description file, a catalogue entry, a system, or a System.

    actions: inputs with their limits, one number (−limit … limit) or (low, high). observations: variables, or variables with their divisors.
    reward: a formula of the model's variables, or a function of their arrays. end: ends an episode where it is above 0 (or True); default never.
    length: steps after which an episode is truncated. step: length of one environment step [s]. draws: start values, uniform in (low, high), or a function of
    a random generator, new at every reset. values: start values that are the same in all episodes. tolerance: of the solver, default the model's.
    reads: further variables that functions use. A run that fails ends its episode; infos["failure"] has the reason.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        model: System | Path | str,
        num_envs: int,
        *,
        actions: Mapping[str, Range],
        observations: Sequence[str] | Mapping[str, float],
        reward: Judgement,
        end: Judgement = 0.0,
        step: float,
        length: int,
        draws: Mapping[str, Draw] | None = None,
        values: Mapping[str, float] | None = None,
        tolerance: float = 0.0,
        reads: Sequence[str] = (),
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        lanes: int | None = None,
        threads: int | None = None,
    ):
        if not step > 0.0 or length < 1:
            raise ValueError(f"step is {step:g} s, length is {length}; both must be positive")
        self.batch = Batch(model, num_envs, lanes, threads)
        self.num_envs, self.dt, self.length, self._tolerance = num_envs, step, length, tolerance
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self._draws = {name: each for given, each in (draws or {}).items() for name in self.batch.elements([given])}
        self._values = dict(values or {})
        scales = observations if isinstance(observations, Mapping) else dict.fromkeys(observations, 1.0)
        self.observed = self.batch.elements(list(scales))
        self._scale = np.array([1.0 / scale for name, scale in scales.items() for _ in self.batch.elements([name])])
        known = [*self.batch.model.references]
        self._reward, self._end = Judge("reward", reward, known), Judge("end", end, known)
        wanted = [*self.observed, *self.batch.elements(reads), *self._reward.names, *self._end.names]
        self._names = tuple(dict.fromkeys(wanted))
        self._kept = self.batch.references(self._names)
        self._inputs, low, high = self._actions(actions)
        self.single_action_space = Box(low.astype(np.float32), high.astype(np.float32))
        self.single_observation_space = Box(-np.inf, np.inf, (len(self.observed),), np.float32)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._low, self._high = low, high
        self._generators = [np.random.default_rng() for _ in range(num_envs)]
        self._steps = np.zeros(num_envs, int)
        self._over = np.ones(num_envs, bool)  # over since the last step: to be reset

    def _actions(self, actions: Mapping[str, Range]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Value references of the inputs, and their limits."""
        inputs = {signal.name for signal in self.batch.system.signals.inputs}
        names, limits = [], []
        for name, given in actions.items():
            for each in self.batch.elements([name]):
                if each not in inputs:
                    raise ValueError(f"actions: {each} is not an input of {self.batch.model.name}")
                names.append(each)
                limits.append((-given, given) if isinstance(given, int | float) else given)
        low, high = np.array(limits, float).T
        if not (low < high).all():
            raise ValueError(
                f"actions: the limits of {names[int(np.argmin(low < high))]} are {limits}; low must be below high"
            )
        return self.batch.references(names), low, high

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None):
        """Reset all environments, or those of options["reset_mask"]. seed: one per environment, or the first one's, from which the others count up."""
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        if seeds is not None and len(seeds) != self.num_envs:
            raise ValueError(f"seed has {len(seeds)} entries; must be {self.num_envs}, one per environment")
        mask = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ValueError(f"options['reset_mask'] must be {self.num_envs} Booleans, one of them True")
        for i, own in enumerate(seeds or []):
            if own is not None and mask[i]:
                self._generators[i] = np.random.default_rng(own)
        self._begin(mask, whole=bool(mask.all()))
        return self._observation(self.batch.values(self._kept)), {}

    def _begin(self, mask: np.ndarray, whole: bool = False) -> None:
        which = np.flatnonzero(mask)
        given: dict[str, object] = dict(self._values)
        for name, draw in self._draws.items():
            own = (self._generators[i] for i in which)
            given[name] = np.array([draw(g) if callable(draw) else g.uniform(*draw) for g in own])
        refused = self.batch.begin(given, tolerance=self._tolerance, which=None if whole else which)
        if refused:
            run, reason = next(iter(refused.items()))
            raise ValueError(f"environment {run} cannot start: {reason}")
        self._steps[mask], self._over[mask] = 0, False

    def step(self, actions):
        """Observations, rewards, terminations, truncations, infos; environments that are over restart according to the autoreset mode."""
        again = self._over.copy()
        if self.autoreset_mode == AutoresetMode.DISABLED and again.any():
            raise gymnasium.error.ResetNeeded(
                f"environment {int(np.argmax(again))} is over; reset it by options['reset_mask']"
            )
        pushes = np.clip(np.asarray(actions, float).reshape(self.num_envs, -1), self._low, self._high)
        table = self.batch.step(self.dt, (self._inputs, pushes), self._kept)
        self._steps += 1
        failed = np.zeros(self.num_envs, bool)
        infos: dict[str, Any] = {}
        for run, reason in (self.batch.reasons() if self.batch.any_failed() else {}).items():
            failed[run] = not again[run]
            infos.setdefault("failure", np.full(self.num_envs, None, object))[run] = reason
        look = Look(self._names, table)
        rewards = np.where(failed, 0.0, self._reward(look, self.num_envs)).astype(float)
        terminations = failed | (np.asarray(self._end(look, self.num_envs), float) > 0.0)
        truncations = ~terminations & (self._steps >= self.length)
        if again.any():  # these begin in this step, whatever their action
            rewards[again], terminations[again], truncations[again] = 0.0, False, False
            self._begin(again)
            table = self.batch.values(self._kept)
        self._over = terminations | truncations
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._over.any():
            final = self._observation(table)
            infos["final_obs"] = np.array([final[i] if over else None for i, over in enumerate(self._over)], object)
            infos["_final_obs"] = self._over.copy()
            self._begin(self._over.copy())
            table = self.batch.values(self._kept)
        return self._observation(table), rewards, terminations, truncations, infos

    def _observation(self, table: np.ndarray) -> np.ndarray:
        return (table[:, : len(self.observed)] * self._scale).astype(np.float32)

    def close_extras(self, **kwargs) -> None:
        self.batch.close()
