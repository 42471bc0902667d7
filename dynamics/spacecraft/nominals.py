"""Nominal values: reference sizes for the errors of states, in addition to the states' own values.

Model-exchange hosts use tolerance · nominal as the absolute tolerance; spacefmu's solver reduces it for small motions (dynamics/solver/error_norm.py). One rule
gives all of them, from sizes and frequencies at the start:

    L   length of the craft [m]: its largest written distance, or the largest ℓ of its bodies
    ℓ   length of a body [m]: root mean square distance of its mass from its frame, ℓ² = tr(J)/(2m)
    T   length of the default experiment [s]: a speed that is wrong by δ misplaces its coordinate by δT in the end
    m   mass of all bodies [kg]

    places L, angles and quaternions 1                   their speeds    over T, of angles around a planet at most over √(a³/μ), a its radius
    amplitude of a mode   |η| = ℓ BENT √(m_body/μ)       its rate  Ω|η|,  μ modal mass, Ω = √(K/μ) clamped at the root
    work and losses       m (L/T)²                       power           over T
    propellant            m
    thrust that rises     its maximum, or 1 N
    exhaust's momenta     m_p c and m_p c L,  m_p propellant at the start, c exhaust velocity;  its energy, and that of propulsion   m_p c²/2
    derivatives that are not states: nominal of the state times (that of its speed over that of its coordinate), or over T

√(μ/m_body) is the root mean square displacement by a unit amplitude, so that shapes may be scaled at will.
Round-off of the gravity gradient on a body with equal moments of inertia is 1e-20 rad/s in a step: 1/T of a week would ask for
less than that, and steps of low order would chase it. A piece that declares a nominal keeps it. Proved by tests/spacecraft/test_nominals.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..bodies.body import FlexibleBody
from ..environment.planet import MU, RADIUS
from ..loads.actuator import ThrusterValve
from ..system.signals import Bag, SignalTable, State
from .structure import Spacecraft

BENT = 1e-3  # deflection of a flexible body over its length


def with_nominals(craft: Spacecraft, table: SignalTable) -> SignalTable:
    """The same table with nominal values of states and of their derivatives."""
    k = Bag(table, "parameters", np.array(table.starts("parameters")))
    T = craft.experiment["stop"] - craft.experiment.get("start", 0.0)
    by_unit, by_name = _by_unit(craft, k, T), _by_mode(craft, k, T) | _by_propulsion(craft, k)
    states = [
        replace(state, nominal=state.nominal or by_name.get(state.name) or by_unit.get(state.unit))
        for state in table.quantities("states")
    ]
    return table.with_group("states", _with_derivatives(states, T))


def _by_unit(craft: Spacecraft, k: Bag, T: float) -> dict[str, float]:
    integrals = [link.body.integrals(k) for link in craft.tree.links]
    mass = sum(body.mass for body in integrals)
    L = max([craft.size, *(_length(body) for body in integrals if body.mass > 0.0)])
    return {
        "m": L, "rad": 1.0, "1": 1.0,
        "m/s": L / T, "rad/s": 1.0 / min(T, _falling(craft, k)), "1/s": 1.0 / T,
        "J": mass * (L / T) ** 2 or 1.0,
        "kg": mass or 1.0,
    }  # fmt: skip


def _falling(craft: Spacecraft, k: Bag) -> float:
    """√(a³/μ) [s], the time in which a planet's gravity turns a craft, a its radius; inf without a planet."""
    return float(np.sqrt(k[RADIUS] ** 3 / k[MU])) if craft.environment.planet and k[MU] > 0.0 else np.inf


def _length(body) -> float:
    """ℓ [m] of a body's Integrals."""
    return float(np.sqrt(0.5 * np.trace(body.inertia) / body.mass))


def _by_mode(craft: Spacecraft, k: Bag, T: float) -> dict[str, float]:
    """Amplitudes and rates of all modes; a mode without stiffness has the frequency 1/T."""
    found = {}
    for body in (link.body for link in craft.tree.links if isinstance(link.body, FlexibleBody)):
        integrals = body.integrals(k)
        mu = integrals.density * np.diag(integrals.modal_mass)
        Omega = np.maximum(body.angular_frequencies(k), 1.0 / T)
        eta = BENT * _length(integrals) * np.sqrt(integrals.mass / mu)
        for i in range(body.modes):
            found[f"{body.name}.mode[{i + 1}].amplitude"] = float(eta[i])
            found[f"{body.name}.mode[{i + 1}].rate"] = float(Omega[i] * eta[i])
    return found


def _by_propulsion(craft: Spacecraft, k: Bag) -> dict[str, float]:
    """Nominal values of thrusts that rise, and of momenta and energy of the exhaust."""
    found, propulsion = {}, craft.propulsion
    impulse, energy = 0.0, 0.0
    for burner in propulsion.burners:
        speed = float(burner.pressed(None, k)[1])
        mass = sum(feed.tank.propellant.start or feed.tank.capacity.start for feed in burner.feeds)
        if burner.lagged is not None:
            largest = (
                valve for valve in craft.actuators if isinstance(valve, ThrusterValve) and valve.name == burner.name
            )
            found[burner.lagged.name] = next((float(valve.maximum.start) for valve in largest), 1.0)
        impulse, energy = max(impulse, mass * speed), max(energy, 0.5 * mass * speed**2)
    if propulsion.burners:
        found[propulsion.exhaust_momentum.name] = impulse
        found[propulsion.exhaust_angular_momentum.name] = impulse * craft.size
        found[propulsion.exhaust_energy.name] = found[propulsion.supplied_energy.name] = energy
    return found


def _with_derivatives(states: list[State], T: float) -> list[State]:
    names = {state.name for state in states}
    coordinate_of = {state.derivative: state for state in states if state.derivative}

    def frequency(state: State) -> float:
        coordinate = coordinate_of.get(state.name)
        if coordinate is None or not coordinate.nominal or not state.nominal:
            return 1.0 / T
        return state.nominal / coordinate.nominal

    return [
        replace(state, derivative_nominal=state.nominal * frequency(state))
        if state.nominal and state.derivative not in names
        else state
        for state in states
    ]
