"""The numbers that the solver is tuned by, in one place: the Python flavour reads them here, bounds.h of the C runtime is written from them.

Names in capitals; the comment on a line goes into the header, too (fmu_src/native/c/bounds_header.py).
"""

from __future__ import annotations

# Work of one communication step
TRY_LIMIT = 200_000  # internal steps of one communication step, rejected ones included
EVALUATION_LIMIT = 5_000_000  # evaluations and directional derivatives of one communication step
FIRST_LOOK = 20_000  # after that many a step is given up if TRY_LIMIT would not do at its pace so far
MANY_STEPS = 1_000  # of an explicit method in one communication step: said to the user, once

# Step control, [hairer1993] section II.4
SAFETY = 0.9  # of the length that the error estimate allows
SHRINK = 0.333  # least and
GROW = 6.0  # largest change of length from one step to the next
RETRY = 0.25  # share at which a step that failed altogether is tried again
SHORTEST = 16.0  # units in the last place of time: no step is shorter
SLIVER = 1e-9  # share of a fixed step that does not count as one more

# Error norm
FINEST = 1e-14  # of a nominal value: no error below it is asked for, however little moves;
TIED = 1e-3  # of what the largest moves by: vectors that rows tie to it are not asked to be more exact;
TIED_FINEST = 1e-14  # the same by round-off, of its size
EXCHANGED_SHARE = 3e-3  # of what moves: the nominal values that hosts read. They judge a step by the mean over all states, and errors of steps add up
FINEST_EXCHANGED = 1e-12  # the same of hosts in model exchange, by the nominal values they read;
UNTOLD = 3e-7  # the tolerance of those that do not tell it

# First step, ibid.: its first-order error, by an Euler step, is a hundredth of the tolerance
SMALL_NORM = 1e-5  # a state or slope below it says nothing of scales
BLIND_LENGTH = 1e-6  # then this is tried
FIRST_SHARE = 0.01  # of the scale, and of the tolerance
FIRST_GROWTH = 100.0  # of what the Euler step took
NO_CURVATURE = 1e-15

# Order and overrun of explicit steps
RECALL = 1.01  # growth per step of the predicted step size of an order out of use
SETTLED = 2.0  # change of length below which a pair has shown how far it goes
OVERRUN = 32.0  # communication steps that one step may span

# Event location
CLEAR = 0.5  # of what an indicator moves and bends by in a step: no change of sign is looked for where it stays farther from zero
COARSE = 1e-6  # of a step: how narrow an event is bracketed on its interpolant, before true steps close in
LATE = 0.1  # of the tolerance, as a share of the step: an event found that late takes one more secant, which leaves round-off
STRAIGHT = 1e-3  # of the tolerance: what a tangent from a true step's end may err by, in the place of another true step
PATIENCE = 3  # secant steps in a row that did not halve the bracket, before it is bisected; true steps from the interpolant's root

# Bounded steps: solver.method = real_time, real_time_stiff
BOUND_EVENTS = (
    4  # that end a step at their instant, in one communication step; those beyond are taken where a step ends
)
BOUND_TRIES = 4  # true steps towards an event

# Choice between explicit and implicit steps: solver.method = automatic
LOOK = 25.0  # tries between two looks at the pace and at the stiffness;
LONGEST_LOOK = 1600.0  # up to here doubled, after each implicit step that would not pay
GAIN = 2.0  # implicit steps are tried at a length at which they take so much less work; below 1 explicit ones return
STABILITY = (
    0.3  # length of a step times the spectral radius: explicit steps that are shorter are not limited by stability
)
STAGES_WORK = 8.0  # evaluations that an implicit step counts as, whatever the model, and
COLUMN_WORK = 2.0  # for each state: its column of the matrix
RADIUS_PASSES = 8  # of the power method, the last half of which count
RADIUS_SHIFT = 1e-6  # of nominal values: its differences

# Implicit steps
WEAK_PIVOT = 1e-10  # of the largest entry in its row: an elimination without exchange of rows gives up, and a shorter step is tried

# Instants
SAME_SHARE = 1e-9  # of a communication step, and
SAME_ULPS = 8.0  # units in the last place: times closer than that are one instant
CLOCK_ULPS = 2.0  # units in the last place that a host's clock may lose in one communication step

# Rank decisions and projections
RANK_TOLERANCE = 1e-8  # of the largest row: what elimination leaves of a redundant one is below
BLUR = 10.0  # off the manifold, rows weaker than BLUR times the distance do not count;
DOUBTFUL = 1e-2  # the distance is asked for only if a row is weaker than this
NEWTON_LIMIT = 40  # Newton's method on a manifold is quadratic: more passes mean that it does not converge
SHORTEST_STEP = 1.0 / 64.0  # of Newton's, far from the manifold, before it is given up
PLANNED_WEAK = 5e-2  # weakness of a row that counts from which on the solve is not the planned one, which squares it;
PLANNED_REDUNDANT = 1e-7  # what the planned one leaves of a redundant row is below: the root of round-off
ROUND_OFF_ALLOWANCE = 1e4  # a large system may stay that far above its tolerance, by round-off

# Change points of linkages: singular values of the rows of loops, relative to the largest
NEAR = 0.1  # below it the solver looks where they go
DIP = 0.3  # of the largest weakness of a run: below it the solver looks whether it is NEAR
APPROACH = 0.5  # of the time to zero: no step is longer
GAP_BEGINS = 5e-3  # there the gap begins, or
LEAST_ENTRY = 3e-4  # down to here if it is slow, or
LAST_ENTRY = 1e-5  # to here if others are beside it
BESIDE = 1.5  # gap lengths: rows that vanish within them
TRAVEL = 3.5  # times GAP_BEGINS: what such rows may fall by in the gap
CLEAR_OF_ZERO = 1.4  # a row that vanishes within this factor of a gap's end would be too weak there: the gap is longer
STILL_STRONG = 0.3  # of WEAK: no other row is weaker within a gap
WEAK = 2.5e-2  # rows that are weaker at its begin are polynomials within it
MOST_WEAK = 8  # of them
NODES = 6  # instants that the polynomials go through
SLOW = 0.1  # share by which speeds may change within the gap
TINY = 1e-300  # in the place of zero in divisors
SMALL_SHIFT = 1e-6  # of coordinates, for a rate of change
PROBE = 1e-4  # of coordinates: so far a start is followed along its rates, to see whether rows are stronger there
AT_START = 0.2  # of GAP_BEGINS: a start with weaker rows is at a change point
START_PASSES = 5  # of a start's motion through its gap, by rows at instants on its own way
MOST_TURNED = 0.5  # share by which speeds may change within a start's gap
OFF_BRANCH = 1e-4  # share of the speeds that a start at a change point may be off its branch
MOST_CORRECTED = 1e-3  # share of the speeds that the projection behind a gap may correct
CROSSED = 0.25  # rows whose directions turn by more than this cosine in a step may have crossed a change point
