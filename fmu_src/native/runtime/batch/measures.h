/* Numbers of runs, made while they go on: what fmu_src/studies/metrics.py does with a table over time. */
#ifndef SPACEFMU_MEASURES_H
#define SPACEFMU_MEASURES_H

#include "pack.h"

enum { MAX, MIN, LARGEST, MEAN, RMS, FINAL, SETTLING_TIME }; /* in the order of KINDS there */

/* Of `count` values from `first` on, shown = factor value + offset; of several their length. */
typedef struct {
    int kind, first, count;
    double factor, offset, after, target, band;
} Measure;

/* So far: the number, how many points it is of, and whether the last one was outside of the band. */
typedef struct {
    real number;
    double points;
    Mask outside;
} Measured;

void measure(const Measure *measure, double time, const real *values, Measured *so_far);

/* The number at the end; not a number: there is none. */
real measured(const Measure *measure, const Measured *so_far);

#endif
