/* An instance's life, from its experiment to its end. */
#ifndef SPACEFMU_LIFE_H
#define SPACEFMU_LIFE_H

#include "instance.h"

/* tolerance, stop: NULL if they are not defined. */
Status setup_experiment(void *named, const Call *call, const double *tolerance, double start, const double *stop);

Status enter_initialization(void *named, const Call *call);
Status exit_initialization(void *named, const Call *call);
Status terminate_instance(void *named, const Call *call);
Status reset_instance(void *named, const Call *call);
Status set_logging(void *named, const Call *call, int on, size_t count, const char *const categories[]);

#endif
