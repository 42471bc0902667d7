/* Which communication point a time event belongs to: the nearest, where the host's points are meant to meet it.
 *
 * A host that counts its time by t += h is off the grid of its own steps by what the additions round: n^2 eps / 2 steps after n of
 * them, a hundred after 10^9. A sample that was meant for a communication point then lies a little beside it. How far is known from
 * the last one that was met, but for the round-off of the steps since. Time events that are farther off, as a thruster's pulse that
 * ends anywhere, are taken where they are. The same as dynamics/solver/clock.py. */
#ifndef SPACEFMU_CLOCK_H
#define SPACEFMU_CLOCK_H

#include "names.h"

/* Doubles, part of the block of everything that varies. */
typedef struct {
    double offset; /* from the last time event that met a communication point to that point */
    double doubt;  /* by how much it may have changed since, by round-off; below 0: no step was taken yet */
    double early;  /* from the present communication point to the time event that belongs to it; 0: none does, or it is not ahead */
} Clock;

/* Times closer than this mean the same instant within a communication step of length h. */
double time_slack(double t, double h);

/* A communication step of length h begins. A host that starts late may have counted its time up to there by such steps. */
void clock_begin(Clock *clock, double t, double h);

/* Does a time event belong to a communication point, steps around which have length h? */
int clock_meets(const Clock *clock, double event, double point, double h);

/* A time event was met at a communication point. */
void clock_note(Clock *clock, double event, double point, double h);

#endif
