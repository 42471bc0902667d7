/* Runs that share a vector: each has an instance of its own, the FMU's, and those that are `joined` take their steps together.
 *
 * A communication step in which something belongs to one run alone is taken by that run's instance, from where the step began: a start, an event
 * in state, a jump, a time event between communication points, a step that its own error control does not let pass. It joins again when its
 * step control knows a length. So lanes decide nothing that the scalar solver decides otherwise. */
#ifndef SPACEFMU_PACK_H
#define SPACEFMU_PACK_H

#include "instance.h"
#include "lane_model.h"
#include "methods.h"

enum { REASON_LENGTH = MESSAGE_LENGTH };

typedef struct {
    Instance *lane[LANES];
    int count;            /* lanes in use; the others repeat the first one's numbers, and never join */
    int shares;           /* whether runs of this model can share steps */
    Mask joined, failed;
    char *reason[LANES];  /* of lanes that failed */
    double time;          /* the batch's; */
    real base;            /* a lane's own is counted from when its run began */
    double step[N_ORDERS], within; /* as in Scalars, of all joined lanes */
    double ahead_from, ahead_to;   /* a step that reached beyond the last communication point; equal: none */
    double alone_until;            /* no step reaches ahead before: an event is near */
    int f_known, order, tries;
    long evaluations, alone; /* of lanes at once; communication steps of single lanes */

    real t, tolerance;
    real *x, *u, *k, *d, *y, *g, *w;
    real *x_before, *d_before, *moved_before; /* where the communication step began, */
    Clock clock_before[LANES];                /* and the clocks */
    double disturbed_before[LANES];
    real *x_new, *d_new, *x_next, *d_next, *x_stage, *x_between, *f, *f_end, *stages, *gamma;
    real *x_start, *moved, *size, *size_new, *size_error; /* of the norm of errors */
    real *dense, *x_from, *x_to;
    real *side, *margins;
} Pack;

void pack_room(Pack *pack, Arena *arena);

/* Its instances are initialized, and stand at a time. */
void pack_begin(Pack *pack, double time);

/* The same of one lane, whose run begins at a time of the batch while others go on; fine: it is initialized. */
void lane_begins(Pack *pack, int lane, double time, int fine);

/* A communication step of all lanes that have not failed. */
void pack_step(Pack *pack, double t, double h);

/* Outputs (y) or rates (into f) of all lanes at the present. */
void pack_outputs(Pack *pack);
void pack_rates(Pack *pack, real *f);

/* Mean growth rate of small motions [1/s], which the costs of runs go by. */
real pack_cost(Pack *pack);

/* Used by the steps. Rates at a time and state; f may be the result's place. */
void lane_rates(Pack *pack, real t, const real *x, real *f);
void leave(Pack *pack, Mask lanes);
int project_lanes(Pack *pack, real t, real *x);

/* pack_norm.c: see error_norm.h. */
void note_lanes(Pack *pack);
real lane_norm(Pack *pack, const real *v, const real *x_new);

/* pack_travel.c: joined lanes from the present to `end`, through steps that may reach `far`. Lanes that can't leave. */
void travel(Pack *pack, double end, double far, double step_length);

static inline Simulation *own(const Pack *pack, int lane) { return &pack->lane[lane]->s; }

static inline void put_in(real *vectors, int lane, const double *values, int count) {
    for (int i = 0; i < count; i++) vectors[i][lane] = values[i];
}

/* The lanes' own times at one of the batch's. */
WITH_LANES real own_time(const Pack *pack, double time) { return time - pack->base; }

/* Masks */
WITH_LANES int any(Mask mask) {
    long long all = 0;
    for (int i = 0; i < LANES; i++) all |= mask[i];
    return all != 0;
}
WITH_LANES Mask of_lane(int lane) {
    Mask mask = {0};
    mask[lane] = -1;
    return mask;
}
WITH_LANES double largest(real values, Mask lanes) { /* not a number if one is not */
    double most = 0.0;
    for (int i = 0; i < LANES; i++)
        if (lanes[i] && !(values[i] <= most)) {
            if (isnan(values[i])) return values[i];
            most = values[i];
        }
    return most;
}
WITH_LANES Mask finite(const real *values, int count) {
    real sum = {0};
    for (int i = 0; i < count; i++) sum += values[i] - values[i];
    return (Mask)(sum == 0.0);
}

#endif
