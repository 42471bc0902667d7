"""The constants of the solver, in one place.

The Python flavour imports them;
the header bounds.h of the C runtime is generated from them (fmu_src/native/c/bounds_header.py).
"""

from __future__ import annotations

# Work of one communication step
TRY_LIMIT = 200_000  # internal steps per communication step, rejected ones included
EVALUATION_LIMIT = 5_000_000  # evaluations and directional derivatives per communication step
FIRST_LOOK = (
    20_000  # internal steps after which a step is abandoned if, at its pace so far, TRY_LIMIT would not suffice
)
MANY_STEPS = 1_000  # internal steps of an explicit method per communication step above which the user gets one warning

# Step control, [hairer1993] section II.4
SAFETY = 0.9  # factor on the step size that the error estimate allows
SHRINK = 0.333  # smallest and
GROW = 6.0  # largest ratio of two successive step sizes
RETRY = 0.25  # factor on the step size after a step that failed completely
SHORTEST = 16.0  # smallest step size, in units in the last place of time
SLIVER = 1e-9  # remainder of a fixed step that does not count as another step, relative to the step

# Error norm
FINEST = 1e-14  # smallest error that a step must meet, relative to the nominal value
TIED = 1e-3  # vectors that rows tie to larger motions: allowed error, relative to the error of the largest motion
TIED_FINEST = 1e-14  # the same for round-off, relative to the size of the largest motion
EXCHANGED_SHARE = 3e-3  # nominal values that hosts read, relative to the motion: hosts average the error over all states, and errors of steps add up
FINEST_EXCHANGED = 1e-12  # smallest error that a host must meet, relative to the nominal values that it reads
UNTOLD = 3e-7  # tolerance assumed for hosts that pass none

# First step, ibid.: its first-order error, by an Euler step, is a hundredth of the tolerance
SMALL_NORM = 1e-5  # norm of a state or slope below which it gives no scale
BLIND_LENGTH = 1e-6  # first step size in that case
FIRST_SHARE = 0.01  # first step size relative to the scale, and to the tolerance
FIRST_GROWTH = 100.0  # largest ratio of the first step size to that of the Euler step
NO_CURVATURE = 1e-15

# Order and overrun of explicit steps
RECALL = 1.01  # growth per step of the predicted step size of a pair that is not in use
SETTLED = 2.0  # ratio of step sizes below which the step size of a pair counts as settled
OVERRUN = 32.0  # largest number of communication steps in one internal step

# Event location
CLEAR = (
    0.5  # of an indicator's change and curvature in a step: farther from zero it is not searched for a change of sign
)
COARSE = 1e-6  # width of an event's bracket on the interpolant, relative to the step, before true steps refine it
LATE = 0.1  # of the tolerance, relative to the step: an event located later than that takes one more secant step, down to round-off
STRAIGHT = 1e-3  # of the tolerance: largest error of the tangent at the end of a true step; above it another true step is taken
PATIENCE = 3  # secant steps without halving the bracket before bisection; true steps from the root of the interpolant

# Bounded steps: solver.method = real_time, real_time_stiff
BOUND_EVENTS = (
    4  # events per communication step that end a step at their instant; further ones are handled at the end of a step
)
BOUND_TRIES = 4  # true steps to locate an event

# Choice between explicit and implicit steps: solver.method = automatic
LOOK = 25.0  # tries between two measurements of pace and stiffness
LONGEST_LOOK = 1600.0  # largest value of LOOK, which doubles after each implicit step that would not pay
GAIN = 2.0  # ratio of work from which implicit steps are tried; below 1 explicit steps return
STABILITY = 0.3  # step size times spectral radius: shorter explicit steps are not limited by stability
STAGES_WORK = 8.0  # cost of an implicit step in evaluations, for any model, and
COLUMN_WORK = 2.0  # for each state: its column of the matrix
RADIUS_PASSES = 8  # iterations of the power method, of which the last half count
RADIUS_SHIFT = 1e-6  # its finite differences, relative to nominal values

# Implicit steps
WEAK_PIVOT = 1e-10  # smallest pivot relative to the largest entry in its row: below it elimination without row exchange stops, and a shorter step is tried

# Instants
SAME_SHARE = 1e-9  # of a communication step, and
SAME_ULPS = 8.0  # units in the last place: times closer than that are the same instant
CLOCK_ULPS = 2.0  # error of a host's clock per communication step, in units in the last place

# Rank decisions and projections
RANK_TOLERANCE = 1e-8  # of the largest row: a row with a smaller remainder after elimination is redundant
BLUR = 10.0  # off the manifold, rows weaker than BLUR times the distance are ignored
DOUBTFUL = 1e-2  # the distance is computed only if a row is weaker than this
NEWTON_LIMIT = 40  # Newton's method on a manifold is quadratic: with more iterations it does not converge
SHORTEST_STEP = 1.0 / 64.0  # smallest damping factor of Newton's method far from the manifold, before it is abandoned
PLANNED_WEAK = 5e-2  # weakest row for the planned solve, which squares the condition; weaker rows use the full solve
PLANNED_REDUNDANT = 1e-7  # largest remainder of a redundant row in the planned solve: the square root of round-off
ROUND_OFF_ALLOWANCE = 1e4  # a large system may exceed its tolerance by this factor, by round-off

# Change points of linkages: singular values of the rows of loops, relative to the largest
NEAR = 0.1  # below it the solver monitors where singular values go
DIP = 0.3  # relative to the largest value of the run: below it the solver checks NEAR
APPROACH = 0.5  # largest step size, relative to the time to zero
GAP_BEGINS = 5e-3  # the gap begins here, or
LEAST_ENTRY = 3e-4  # down to here if the motion is slow, or
LAST_ENTRY = 1e-5  # down to here if other change points are near
BESIDE = 1.5  # in gap lengths: other rows that vanish within this time are near
TRAVEL = 3.5  # times GAP_BEGINS: largest decrease of such rows within the gap
CLEAR_OF_ZERO = (
    1.4  # a row that vanishes within this factor of a gap's end would be too weak there: the gap is extended
)
STILL_STRONG = 0.3  # of WEAK: no other row may be weaker within a gap
WEAK = 2.5e-2  # rows that are weaker at its beginning are replaced by polynomials within it
MOST_WEAK = 8  # largest number of such rows
NODES = 6  # instants through which the polynomials pass
SLOW = 0.1  # largest relative change of speeds within the gap
TINY = 1e-300  # replaces zero in divisors
SMALL_SHIFT = 1e-6  # of coordinates, for a rate of change
PROBE = 1e-4  # of coordinates: how far a start is followed along its rates, to see whether rows become stronger
AT_START = 0.2  # of GAP_BEGINS: a start with weaker rows is at a change point
START_PASSES = 5  # iterations of a start's motion through its gap, each with rows on the motion found before
MOST_TURNED = 0.5  # largest relative change of speeds within a start's gap
OFF_BRANCH = 1e-4  # largest relative distance of speeds from their branch for a start at a change point
MOST_CORRECTED = 1e-3  # largest relative correction of speeds by the projection after a gap
CROSSED = 0.25  # rows whose directions rotate by more than this cosine in a step may have crossed a change point
