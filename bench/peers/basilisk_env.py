"""Basilisk's hub with one sprung panel as an environment: a torque on the hub per step, attitude and rates read at its end."""

from __future__ import annotations

import numpy as np
from Basilisk.architecture import messaging
from Basilisk.simulation import extForceTorque
from Basilisk.utilities import SimulationBaseClass, macros

from .basilisk_peer import craft_with_panels

INSIDE = 0.1  # [s] of its RK4 steps: they err by (hω)⁵/120 of the panel's motion (ω = 2.4 rad/s), 7e-6 per step; one of 0.5 s by 2 %


class PanelEnv:
    """One satellite; Basilisk has no vectors of them."""

    def __init__(self, step: float):
        self.step_length = step

    def reset(self) -> np.ndarray:
        self.sim = SimulationBaseClass.SimBaseClass()
        self.sim.CreateNewProcess("process").addTask(self.sim.CreateNewTask("task", macros.sec2nano(INSIDE)))
        self.craft, self._kept = craft_with_panels(1)
        self.push = extForceTorque.ExtForceTorque()
        self.torque = messaging.CmdTorqueBodyMsg()
        self.push.cmdTorqueInMsg.subscribeTo(self.torque)
        self.craft.addDynamicEffector(self.push)
        for model in (self.craft, self.push, *self._kept):
            self.sim.AddModelToTask("task", model)
        self.sim.InitializeSimulation()
        self.time = 0
        return self.step(np.zeros(3))

    def step(self, torque: np.ndarray) -> np.ndarray:
        """Rates (3,) and attitude (3,) after a step under a torque (3,) [N m]."""
        self.torque.write(messaging.CmdTorqueBodyMsgPayload(torqueRequestBody=torque.tolist()), self.time)
        self.time += macros.sec2nano(self.step_length)
        self.sim.ConfigureStopTime(self.time)
        self.sim.ExecuteSimulation()
        state = self.craft.scStateOutMsg.read()
        return np.array([*state.omega_BN_B, *state.sigma_BN])
