"""Solves of several units combined: M = diag(M_1, M_2, …), G = diag(G_1, G_2, …)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..system.contract import Staged
from .unit import Unit


class Solves:
    """Stages of several units as one, one block per unit. Carried data: the inputs of all units, then the data of each stage."""

    def __init__(self, rows: list[tuple[Unit, Staged]]):
        self.rows = rows
        self.blocks = [(unit, stage) for unit, stage in rows if stage.assemble is not None]
        self.inputs = list({unit.name: unit.system.nu for unit, _ in rows}.items())

    def staged(self, finish, assemble) -> Staged:
        if not self.blocks:
            return Staged(finish)
        n, m, carry = (sum(getattr(stage, size) for _, stage in self.blocks) for size in ("n", "m", "carry"))
        owners = tuple(owner for unit, stage in self.blocks for owner in _owners(unit, stage))
        speeds = tuple(place for unit, stage in self.blocks for place in _speeds(unit, stage))
        carry += sum(size for _, size in self.inputs)
        return Staged(finish, assemble, n, m, carry, owners=owners * any(owners), speeds=speeds * any(owners))

    def assembled(self, inputs, arguments: Callable, with_stage: bool = False):
        found = [stage.assemble(*(arguments(unit, stage) if with_stage else arguments(unit))) for unit, stage in self.blocks]  # fmt: skip
        shaped = [np.reshape(f[1], (stage.m, stage.n)) for f, (_, stage) in zip(found, self.blocks, strict=True)]
        carry = [*(inputs[name] for name, _ in self.inputs), *(f[4] for f in found)]
        stiffened = [stage.stiffened(*f[:4]) for f, (_, stage) in zip(found, self.blocks, strict=True)]
        M, G = diagonal([M for M, _ in stiffened]), diagonal(shaped)
        return (
            M,
            G,
            np.concatenate([f for _, f in stiffened]),
            np.concatenate([f[3] for f in found]),
            np.concatenate(carry),
        )

    def taken(self, z, multipliers, carry):
        """(inputs by unit, (z, multipliers, carry) by (unit, "motion" or "update")), or None without a solve."""
        if not self.blocks:
            return None
        inputs, at = {}, 0
        for name, size in self.inputs:
            inputs[name], at = carry[at : at + size], at + size
        solves, i, j = {}, 0, 0
        for unit, stage in self.blocks:
            which = "motion" if stage is unit.system.motion else "update"
            solves[unit.name, which] = (z[i : i + stage.n], multipliers[j : j + stage.m], carry[at : at + stage.carry])
            i, j, at = i + stage.n, j + stage.m, at + stage.carry
        return inputs, solves


def _owners(unit: Unit, stage: Staged) -> list[str]:
    return [f"{unit.name}.{owner}" if owner else "" for owner in stage.owners or ("",) * stage.m]


def _speeds(unit: Unit, stage: Staged) -> list[int]:
    begin = unit.layouts["states"][unit.name].start
    return [place + begin if place >= 0 else -1 for place in stage.speeds or (-1,) * stage.n]


def diagonal(blocks):
    """The blocks along a diagonal, zeros elsewhere."""
    return np.concatenate(
        [
            np.concatenate([block if i == j else np.zeros((len(block), other.shape[1])) for j, other in enumerate(blocks)], 1)
            for i, block in enumerate(blocks)
        ]
    )  # fmt: skip
