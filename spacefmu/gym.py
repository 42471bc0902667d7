"""Environments for gymnasium: pip install 'spacefmu[rl]'.

from spacefmu.gym import BatchEnv

env = BatchEnv("HingedPanel", 256, step=0.5, length=120,
               actions={"hub.torque": 2.0},                          # inputs, with their limits
               observations={"hub.angular_velocity": 0.1},           # variables, with what they are divided by
               reward="-(hub.angular_velocity[1]**2 + hub.angular_velocity[2]**2 + hub.angular_velocity[3]**2)",
               draws={"hub.angular_velocity": (-0.1, 0.1)})          # start values, new at every reset
"""

from __future__ import annotations

from .fmu_src.rl.env import BatchEnv

__all__ = ["BatchEnv"]
