/* Gaps around change points of linkages (rows_seen.h): through instants before one that comes, or on both sides of one at which the motion
 * starts. The same as dynamics/solver/gaps.py. Functions that can fail return 0, or -1 with the reason in e.reason. */
#ifndef SPACEFMU_GAPS_H
#define SPACEFMU_GAPS_H

#include "simulation.h"

void gaps_room(Simulation *s, Arena *arena);

int in_gap(const Simulation *s);

/* The rows at a time and state, in e.seen; rank: how many count, negative: as many as there are directions. */
int see_here(Simulation *s, double t, const double *x, int rank);

/* The same; later ones are compared with them. */
int see_before(Simulation *s, double t, const double *x);

/* A gap of a length from the present: its rows here and at instants before, a length apart. A step has begun in it. */
int enter_gap(Simulation *s, double length);

/* 1 if the present, a start, is at a change point: a gap begins here, a step has begun in it, and s->least, s->most are the weakness behind it.
 * 0: it is not, -1: failure. */
int starts_in_gap(Simulation *s);

#endif
