/* An FMU instance: the simulation behind the FMI functions, its host's callbacks, and its voice. */
#ifndef SPACEFMU_INSTANCE_H
#define SPACEFMU_INSTANCE_H

#include "calls.h"
#include "fmi2Functions.h"
#include "quiet.h"
#include "simulation.h"

/* Log categories, bits in this order; the names are in instance.c and in the model description. */
enum { LOG_EVENTS = 1, LOG_WARNING = 2, LOG_DISCARD = 4, LOG_ERROR = 8, LOG_FATAL = 16, LOG_SOLVER = 32, LOG_ALL = 64 };

typedef struct {
    Simulation s; /* first: a pointer to it is one to the instance */
    fmi2CallbackFunctions host;
    char *name;
    unsigned logged;               /* categories the host wants to hear of; errors are always told */
    double *dx, *du, *dx_dot, *dy; /* seeds and results of directional derivatives */
    void *matrices;                /* of the implicit method, once it is chosen; else NULL */
    double *before;                /* a copy of the simulation's block, to return to */
} Instance;

/* NULL when the host has no memory left. */
Instance *instance_create(const fmi2CallbackFunctions *host, const char *name, int exchange);
void instance_destroy(Instance *instance);

void *host_allocate(const fmi2CallbackFunctions *host, size_t bytes);
void host_free(const fmi2CallbackFunctions *host, void *memory);

Mode mode_of(const Instance *instance);
void set_mode(Instance *instance, Mode mode);

/* The instance behind a component if the call is allowed now, else NULL: the caller then returns fmi2Error. */
Instance *admit(fmi2Component component, Call call);

/* Logs the reason (as printf does), goes to the error mode if the status is fmi2Error, and returns the status. */
fmi2Status refuse(Instance *instance, fmi2Status status, const char *format, ...);

/* An event or statistic, for a host that wants to hear of it. */
void tell(Instance *instance, unsigned category, const char *format, ...);

/* Tells of an event what it switched, a message a discrete state that is no real; of one that switched none its time alone. */
void tell_event(Instance *instance, double t, const double *before, const double *after);

/* Warns of each Boolean output with a notice that is false at the present, if it has not yet. */
void tell_notices(Instance *instance);

/* Sets the logged categories by name: 0, or -1 for an unknown one. */
int choose_categories(Instance *instance, int on, size_t count, const fmi2String names[]);

/* Constants, and in initialization mode the initial state, of the values set so far: 0, or -1 with e.reason. */
int make_ready(Instance *instance);

/* Keeps all that varies, to return to it later. */
void keep(Instance *instance);
void bring_back(Instance *instance);

/* The array of a group's values; and of those that the host sets. */
double *values_of(Simulation *s, Group group);
double *start_values_of(Simulation *s, Group group);

#endif
