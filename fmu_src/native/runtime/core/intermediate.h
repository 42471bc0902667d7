/* Between communication points: the host is asked for inputs at the times of the solver, and told of accepted steps. */
#ifndef SPACEFMU_INTERMEDIATE_H
#define SPACEFMU_INTERMEDIATE_H

#include "values.h"

/* Notes which variables the host will get and set there: 0, or -1 when one of them can't be, or there is no memory. */
int require_between(Instance *instance, Chosen chosen);

/* Begins a communication step from t to end: the solver's ways to the host, if it listens. quiet: what `quiet_begin` was given. */
void begin_between(Instance *instance, double t, double end, Quiet *quiet);

/* Whether a host may name a reference now: between communication points only what it required. */
int named_between(const Instance *instance, unsigned reference);

#endif
