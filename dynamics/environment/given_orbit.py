"""Orbits and attitudes of the frame O from files and inputs: the keys file, follow, attitude and input of environment.orbit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..system.keys import Resolver
from . import Environment
from .frames import ELEMENTS, OrbitFrame, elements_of
from .given_frames import CarriedAlong, FollowingFrame, Frame, OwnedFrame, TurnedFrame
from .kepler import point_and_velocity
from .motion_file import attitude_path, orbit_path
from .orbit_file import state_of
from .turning import Turning


def given_orbit(environment: Environment, orbit: Any, mu: float, names: Resolver) -> Environment:
    """The Environment with the frame of the table environment.orbit; `names`: of that table."""
    turning = environment.medium(Turning)
    frame: Frame = environment.frame
    assert isinstance(frame, OrbitFrame)
    if orbit.follow and orbit.file is None:
        names.expected("follow", "nothing without a file, an OEM")
    if orbit.input and (orbit.follow or orbit.attitude is not None):
        names.expected("input", "nothing with follow or attitude", True)
    for key in ("file", "attitude"):
        if getattr(orbit, key) is not None and turning is None:
            names.expected(key, "nothing without a table environment.time, which has the epoch")
    for key in ELEMENTS if orbit.file is not None else ():
        if key in names.given:
            names.expected(key, "nothing with a file")
    if turning is not None and orbit.file is not None:
        frame = _read("file", names, lambda path: _on_file(frame, path, orbit.follow, mu, turning), frame)
    if orbit.input and isinstance(frame, OrbitFrame):
        frame = OwnedFrame(point_and_velocity(mu, *(float(getattr(frame, key).start) for key in ELEMENTS)))
    if turning is not None and orbit.attitude is not None and isinstance(frame, OrbitFrame | FollowingFrame):
        origin = frame
        frame = _read("attitude", names, lambda path: TurnedFrame(origin, attitude_path(path, turning)), frame)
    environment = replace(environment, frame=frame)
    return environment.holding(CarriedAlong()) if orbit.follow else environment


def _on_file(frame: Any, path: Any, follow: bool, mu: float, turning: Turning) -> Frame:
    if follow:
        return FollowingFrame(orbit_path(path, turning))
    return type(frame)(**elements_of(mu, *state_of(path, turning)))


def _read(key: str, names: Resolver, make: Callable[[Any], Frame], instead: Frame) -> Frame:
    path = names.file(key)
    try:
        return make(path)
    except ValueError as error:
        names.refused(key, f"{path.name} {error}")
        return instead
