/* An FMU instance: the simulation behind the functions of FMI, its host, and the mode it is in. */
#ifndef SPACEFMU_INSTANCE_H
#define SPACEFMU_INSTANCE_H

#include "calls.h"
#include "host.h"
#include "quiet.h"
#include "simulation.h"

typedef struct {
    Simulation s; /* first: a pointer to it is one to the instance */
    Host host;
    const Rules *rules;
    char *name;
    unsigned logged;               /* categories the host wants to hear of, see log.h; errors are always told */
    double *dx, *du, *dx_dot, *dy; /* seeds and results of directional derivatives */
    void *matrices;                /* of the implicit method, once it is chosen; else NULL */
    double *before;                /* a copy of the simulation's block, to return to */
    int event_mode, early_return;  /* co-simulation: the host handles events in event mode; steps may end at them */
} Instance;

/* NULL when the host has no memory left. kind: COSIMULATION or EXCHANGE. */
Instance *instance_create(const Host *host, const Rules *rules, const char *name, int kind);
void instance_destroy(Instance *instance);

void *host_allocate(const Host *host, size_t bytes);
void host_free(const Host *host, void *memory);

Mode mode_of(const Instance *instance);
void set_mode(Instance *instance, Mode mode);
int kind_of(const Instance *instance);

/* The instance that a host has named if the call is allowed now, else NULL: the caller then returns STATUS_ERROR. */
Instance *admit(void *named, const Call *call);

/* Constants, and in initialization mode the initial state, of the values set so far: 0, or -1 with e.reason. */
int make_ready(Instance *instance);

/* The same, and the motion at the present as wanted (WANT_ bits of evaluate.h; 0: nothing of it); traps of the host sleep. */
int present_motion(Instance *instance, unsigned wanted);

/* Keeps all that varies, to return to it later. */
void keep(Instance *instance);
void bring_back(Instance *instance);

/* The array of a group's values; and of those that the host sets. */
double *values_of(Simulation *s, Group group);
double *start_values_of(Simulation *s, Group group);

#endif
