"""Basilisk: hub with hinged rigid panels, RK4 (its default) at a fixed step. Forward dynamics alone can't be had from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.metadata import version

import numpy as np
from Basilisk.simulation import hingedRigidBodyStateEffector, spacecraft
from Basilisk.utilities import SimulationBaseClass, macros

from .. import models
from ..timing import timed

VERSION = version("bsk")


def _column(numbers) -> list[list[float]]:
    return [[float(number)] for number in numbers]


def simulation(count: int, step: float):
    """(simulation, spacecraft, panels), initialized."""
    sim = SimulationBaseClass.SimBaseClass()
    sim.CreateNewProcess("process").addTask(sim.CreateNewTask("task", macros.sec2nano(step)))
    craft, kept = craft_with_panels(count)
    for model in (craft, *kept):
        sim.AddModelToTask("task", model)
    sim.InitializeSimulation()
    return sim, craft, kept


def craft_with_panels(count: int):
    """(spacecraft, panels)"""
    craft = spacecraft.Spacecraft()
    craft.ModelTag = "craft"
    craft.hub.mHub = models.HUB_MASS
    craft.hub.r_BcB_B = _column((0, 0, 0))
    craft.hub.IHubPntBc_B = np.diag(models.HUB_INERTIA).tolist()
    craft.hub.r_CN_NInit, craft.hub.v_CN_NInit, craft.hub.sigma_BNInit = (_column((0, 0, 0)) for _ in range(3))
    craft.hub.omega_BN_BInit = _column(models.RATE)
    kept = []
    for i in range(count):
        outward, axis = (np.array(v) for v in models.side(i))
        # H: the panel's mass centre is at −d ĥ₁ from the hinge, which turns about ĥ₂
        dcm_HB = np.array([-outward, axis, np.cross(-outward, axis)])
        panel = hingedRigidBodyStateEffector.HingedRigidBodyStateEffector()
        panel.ModelTag = f"panel{i}"
        panel.mass, panel.d, panel.k, panel.c = models.LINK_MASS, models.LINK_LENGTH / 2, models.STIFFNESS, 0.0
        panel.IPntS_S = (dcm_HB @ np.diag(models.panel_inertia(i)) @ dcm_HB.T).tolist()
        panel.r_HB_B, panel.dcm_HB = _column(models.FIRST_HINGE * outward), dcm_HB.tolist()
        panel.nameOfThetaState, panel.nameOfThetaDotState = f"theta{i}", f"thetaDot{i}"
        panel.thetaInit, panel.thetaDotInit = (models.FIRST_ANGLE if i == 0 else 0.0), 0.0
        craft.addStateEffector(panel)
        kept.append(panel)
    return craft, kept


def work_precision(count: int, stop: float, until: float, most: float = 60.0) -> Iterator[tuple[float, float, float]]:
    """(step, seconds of CPU, |ΔE/E|) with halved steps, until the error is at most `until` or a run takes `most` seconds."""
    step, error, taken = 0.08, math.inf, 0.0
    while error > until and taken < most / 2:
        sim, craft, _kept = simulation(count, step)
        sim.ConfigureStopTime(macros.sec2nano(step))
        sim.ExecuteSimulation()
        before = _energy(craft)
        sim.ConfigureStopTime(macros.sec2nano(stop))
        taken, _ = timed(sim.ExecuteSimulation)
        error = abs(_energy(craft) / before - 1.0)
        yield step, taken, error
        step /= 2.0


def _energy(craft) -> float:
    """[J] rotational, deformational and translational: nothing acts from outside."""
    craft.computeEnergyMomentum(0.0)
    return craft.totRotEnergy + craft.totOrbEnergy
