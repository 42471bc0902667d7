/* A model's equations on lanes: lanes.c, generated from the instruction lists that model.c is written from (native/c/lanes.py). */
#ifndef SPACEFMU_LANE_MODEL_H
#define SPACEFMU_LANE_MODEL_H

#include "lanes.h"

typedef void (*LaneExpression)(const real **arg, real **res, real *w);

/* Arguments and results: those of model.h. NULL: as there. */
typedef struct {
    int serves; /* whether lanes can share steps: no solve between assemble and finish; else runs take the scalar core */
    LaneExpression rates, outputs, indicators, next_time, update;
    const LaneExpression *residuals, *finishes; /* of the projections */
} LaneModel;

extern const LaneModel lane_model;

#endif
