"""The System: the one contract between physics and FMU.

A plant, a controller and a thermal model are all Systems. Both FMU flavours depend on nothing else.

Every function below is an *equation*: plain NumPy that runs on floats and on symbols, no branch on values,
no writing into its arguments. All of them have the same arguments

    t  time [s]          x (nx,) continuous states     u (nu,) inputs
    k  (nk,) constants = derive(p), computed anew whenever a parameter changes
    d  (nd,) discrete states

so saving, restoring and resetting an FMU means copying arrays: nothing else varies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .signals import SignalTable

if TYPE_CHECKING:  # equations do not need it
    from ..picture.picture import PictureOnce

# The end of the sentence on a value that is not finite, unless a System says more of its rates.
CHECK_VALUES = "; check inputs and parameters"


@dataclass(frozen=True)
class Staged:
    """A function around a named solve: assemble → solve → finish.

    assemble(t, x, u, k, d, *more) → (M, G, f, gamma, carry)
        M (n, n) symmetric, positive definite once `stiffened`, G (m, n) of any rank, f (n,), gamma (m,), carry (c,).
    solve: z (n,), multipliers (m,) with   M z = f + Gᵀ multipliers,   G z = gamma.
        Redundant rows are allowed; the multipliers are then those of least norm. A row of zeros is an inactive constraint: its multiplier
        is zero. NumPy solves on floats, the C runtime in an FMU.
    finish(t, x, u, k, d, *more, z, multipliers, carry) → the function's results. `carry`: values already computed by assemble.

    Without a solve (n = m = carry = 0) assemble is None, and finish gets three empty arrays.
    parts: the results of finish, each by a separate function with the same arguments, if that saves work
        (spacefmu.dynamics.system.recording); else empty.
    stiff, stiffness, pull: M may be singular along motions that the first `stiff` rows R of G prevent. M + stiffness RᵀR is
        positive definite, and with f + stiffness Rᵀgamma (`pull`) has the same solution; but M has fewer entries. Projections
        and jumps have no pull: along rows that are left out as weak, nothing is to move.
    owners, speeds: of a motion with rows of couplings: the coupling of each of its m rows ("": of another kind, such as a
        task of an inverse problem), and where in x each of the n speeds is that z are the rates of (−1: of another block).
    """

    finish: Callable
    assemble: Any = None  # a function as above
    n: int = 0
    m: int = 0
    carry: int = 0
    parts: tuple[Callable, ...] = ()
    owners: tuple[str, ...] = ()
    speeds: tuple[int, ...] = ()
    stiff: int = 0
    stiffness: float = 0.0
    pull: bool = False

    def stiffened(
        self, M: np.ndarray, G: np.ndarray, f: np.ndarray, gamma: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """M, f with what rows add to them: M is then positive definite."""
        if not self.stiff:
            return M, f
        R = np.reshape(G, (self.m, self.n))[: self.stiff]
        return M + self.stiffness * (R.T @ R), f + self.pull * self.stiffness * (R.T @ gamma[: self.stiff])


@dataclass(frozen=True)
class Projection:
    """A manifold of the state: unit quaternions, closed loops, velocity conditions.

    `stage.assemble` gives the metric M, the Jacobian G, f = 0 and gamma = −residual;
    `stage.finish` → the moved state (nx,). The runtime repeats both until max|residual| ≤ `tolerance`.
    Residuals are scaled by their author so that 1 is the size of the system. A stage without a solve is not a projection: the residual
    decides whether the state must be moved.
    `rows`: the owner of each of the m rows, so that a refusal can name the failing one; or empty. `failure`: the message for that row if
    there is only one way to fail; or empty. `level`: "positions" or "rates" if its rows are conditions on the speeds that the motion solves
    for; else empty.
    """

    name: str
    stage: Staged
    tolerance: float = 1e-13
    rows: tuple[str, ...] = ()
    failure: str = ""
    level: str = ""


@dataclass(frozen=True)
class Attitude:
    """A unit quaternion among the states: its owner, the places in x where its four entries and its angular velocity (body axes) begin."""

    name: str
    quaternion: int
    speed: int


@dataclass(frozen=True)
class About:
    """Descriptive data of a System: no equation reads it. Wrappers of a System pass it on unchanged."""

    description: str = ""  # one line
    documentation: str = ""  # a page of plain text on what the model is and assumes
    experiment: dict = field(default_factory=lambda: {"stop": 10.0, "step": 0.01, "tolerance": 1e-8})
    fixed_at_build: tuple[str, ...] = ()  # properties that no parameter changes, one line each
    origin: dict[str, str] = field(default_factory=dict)  # author, version, copyright, license, as far as given
    described_by: tuple[tuple[str, bytes], ...] = ()  # the description and the tables it names, path → content
    picture: PictureOnce | None = None  # returns its picture, for drawings and views


def _identity(p: Any) -> Any:
    return p


def _no_checks(p: Any) -> Any:
    return np.zeros(0)


def _as_given(t: Any, x: Any, u: Any, k: Any, d: Any) -> tuple[Any, Any]:
    return x, d


@dataclass(frozen=True)
class System:
    """States, inputs, parameters, outputs and the equations between them.

    motion      Staged → (x_dot (nx,), y (ny,), g (ng,)): everything from one solve.
                g are the event indicators, scaled to about 1; an event is a change of (g > 0). Hosts of a model
                exchange see them with a band around zero right after an event (runtime/core/sides.h).
    derive      p → k
    check       p → one number per law, in the order of `laws`; the parameters are legal if all are > 0
    initialize  (t, x, u, k, d) → (x, d): from given start values to an initial state; the runtime then
                projects, evaluates g and iterates `update`. If that fails, it tries once more: x as given,
                but d as the first try's `initialize` had it.
    next_time   (t, x, u, k, d) → time of the next time event (inf: none), never before t
    update      Staged with one more argument g after d → (x, d): new discrete states and the jump of x.
                Called at the start, at every indicator or time event and when a communication step begins;
                iterated until nothing changes, at most `update_limit` times. So it must leave a state alone
                at which nothing is due.
    """

    name: str
    about: About
    signals: SignalTable
    motion: Staged
    indicator_count: int = 0
    slow_indicators: bool = False  # all of them change little over a step: solvers check only its end
    derive: Callable = _identity
    constant_count: int | None = None  # nk; None = as many as parameters
    check: Callable = _no_checks
    laws: tuple[str, ...] = ()  # sentences, "hub.mass must be positive"
    without_rates: str = ""  # what it means where a rate is not a number: the end of the sentence that says so
    initialize: Callable = _as_given
    next_time: Callable | None = None
    samples: bool = False  # time events sample inputs: a host's communication points should meet them
    update: Staged | None = None
    update_limit: int = 20
    projections: tuple[Projection, ...] = ()
    attitudes: tuple[Attitude, ...] = ()
    tabled: int = 0  # how many states are modes of bodies with many (scalar.MANY), whose equations are tables, or integrals of exhaust: their text does not grow with them; below zero: its text is as long as that of so many more
    unfolded: System | None = (
        None  # the same with all parameters live, where some are constants (spacefmu.dynamics.system.fold)
    )
    made_by: tuple[Callable, Any] | None = (
        None  # (function, frozen data) that give this System: a Python FMU carries them
    )

    @property
    def nx(self) -> int:
        return len(self.signals.states)

    @property
    def nu(self) -> int:
        return len(self.signals.inputs)

    @property
    def np(self) -> int:
        return len(self.signals.parameters)

    @property
    def nd(self) -> int:
        return len(self.signals.discretes)

    @property
    def ny(self) -> int:
        return len(self.signals.outputs)

    @property
    def ng(self) -> int:
        return self.indicator_count

    @property
    def nk(self) -> int:
        return self.np if self.constant_count is None else self.constant_count
