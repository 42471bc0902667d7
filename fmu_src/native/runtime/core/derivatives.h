/* Directional derivatives, and derivatives in time of inputs and outputs. */
#ifndef SPACEFMU_DERIVATIVES_H
#define SPACEFMU_DERIVATIVES_H

#include "values.h"

/* result = (d unknown / d known) seed. Exact while the model runs; in initialization mode by central differences. */
Status directional_derivative(void *named, const Call *call, Chosen unknown, Chosen known, const double *seed,
                              double *result);

/* result = (d unknown / d known)' seed: as many directional derivatives as there are knowns. */
Status adjoint_derivative(void *named, const Call *call, Chosen unknown, Chosen known, const double *seed, double *result);

Status set_input_derivatives(void *named, const Call *call, Chosen inputs, const int *order, const double *value);
Status get_output_derivatives(void *named, const Call *call, Chosen outputs, const int *order, double *value);

#endif
