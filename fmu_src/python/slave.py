"""The slave that pythonfmu's wrapper calls: it handles every call, and never raises.

An exception that reaches the wrapper of pythonfmu 0.7.0 returns fmi2Fatal, and the next call crashes. So every error is caught here,
logged with its cause (and a traceback, unless it is a deliberate refusal), and returned as far as the wrapper can: only fmi2DoStep can
return another status than fmi2OK, namely fmi2Discard. After an error elsewhere the instance is in FMI's error state, so the next fmi2DoStep
returns the status that the failed call could not.
"""

from __future__ import annotations

import math
import sys
import traceback

from pythonfmu.enums import Fmi2Status
from pythonfmu.fmi2slave import Fmi2Slave

from spacefmu.dynamics.solver.step_length import StepFailed
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.evaluate import Refused

from ..interface.legal import InstanceMode
from .instance import Instance, Refusal
from .leaving import leave_in_order

_EXPECTED = (Refusal, Refused, StepFailed)  # their messages are sufficient: no traceback


class SystemSlave(Fmi2Slave):
    """A System as a pythonfmu slave. A subclass per FMU defines `system()` and `identity`."""

    identity = ""

    @staticmethod
    def system() -> System:
        raise NotImplementedError

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if self.resources in sys.path:
            sys.path.remove(self.resources)  # the wrapper adds it at every instantiation; all our modules are loaded
        leave_in_order(self.resources, type(self).__name__)
        self._instance = Instance(self.system(), self.identity)
        self._stiffness_told = False

    # ---- calls of the wrapper

    def setup_experiment(self, start_time, stop_time=None, tolerance=None):
        self._try(self._instance.setup_experiment, start_time, stop_time, tolerance)

    def enter_initialization_mode(self):
        self._try(self._instance.enter_initialization)

    def exit_initialization_mode(self):
        self._try(self._instance.exit_initialization)

    def terminate(self):
        solver = self._instance.solver
        self.log(
            f"steps={solver.steps} rejected={solver.rejections} events={solver.events} evaluations={solver.evaluations} "
            f"to_points={solver.to_points} to_events={solver.to_events} by_limit={solver.to_limits} by_tolerance={solver.by_tolerance} "
            f"late={solver.lates} implicit={solver.control.choice.taken:.0f}",
            category="logSolver",
        )
        self._try(self._instance.terminate)

    def do_step(self, current_time, step_size) -> bool:
        solver = self._instance.solver
        done, _ = self._try(self._instance.step, current_time, step_size, status=Fmi2Status.discard)
        while self._instance.notices:
            self.log(self._instance.notices.pop(0), Fmi2Status.warning, "logStatusWarning")
        if not self._stiffness_told and (words := solver.stiffness()):
            self._stiffness_told = True
            self.log(words, Fmi2Status.warning, "logStatusWarning")
        for words in self._instance.events():
            self.log(words, category="logEvents")
        return done

    def get_real(self, vrs):
        return self._get(vrs, ("real",), float, math.nan)

    def get_integer(self, vrs):
        return self._get(vrs, ("integer", "enumeration"), int, 0)

    def get_boolean(self, vrs):
        return self._get(vrs, ("boolean",), lambda value: value != 0.0, False)

    def get_string(self, vrs):
        return self._get(vrs, ("string",), str, "")

    def set_real(self, vrs, values):
        self._try(self._instance.set, vrs, values, ("real",))

    def set_integer(self, vrs, values):
        self._try(self._instance.set, vrs, values, ("integer", "enumeration"))

    def set_boolean(self, vrs, values):
        self._try(self._instance.set, vrs, values, ("boolean",))

    def set_string(self, vrs, values):
        self._try(self._instance.set, vrs, values, ("string",))

    def _get_fmu_state(self) -> bytes:
        done, state = self._try(self._instance.save)
        return state if done else b""

    def _set_fmu_state(self, state: bytes):
        self._try(self._instance.restore, state)

    @staticmethod
    def _fmu_state_to_bytes(state: bytes) -> bytes:
        """A saved state is its own serialization; bytes are validated when they are restored."""
        return state

    @staticmethod
    def _fmu_state_from_bytes(state: bytes) -> bytes:
        return state

    # ---- errors

    def _get(self, references, kinds, convert, nothing):
        done, values = self._try(self._instance.get, references, kinds)
        return [convert(value) for value in values] if done else [nothing] * len(references)

    def _try(self, function, *arguments, status=Fmi2Status.error):
        """(True, result), or (False, None) with the error logged and the instance in the corresponding state."""
        try:
            return True, function(*arguments)
        except BaseException as error:  # even an interrupt must not reach the wrapper
            if self._instance.mode != InstanceMode.STEP_FAILED:
                self._instance.mode = InstanceMode.ERROR
            text = str(error) if isinstance(error, _EXPECTED) else "".join(traceback.format_exception(error))
            print(f"{self.instance_name}: {text}", file=sys.stderr)  # also visible in a host with logging off
            self.log(text.replace("%", "%%").replace("#", "##"), status, f"logStatus{status.name.capitalize()}")
            return False, None
