/* An FMU instance: the simulation behind the functions of FMI, its host, and the mode it is in. */
#ifndef SPACEFMU_INSTANCE_H
#define SPACEFMU_INSTANCE_H

#include "calls.h"
#include "host.h"
#include "quiet.h"
#include "simulation.h"

/* Of intermediate.h: what the host required, and the step under way. */
typedef struct {
    unsigned *required; /* value references */
    size_t n_required;
    int asks, shows;         /* whether inputs are among them, and anything else */
    int broken;              /* a call of the host was refused there */
    double told, asked, end; /* times: of the last accepted point, of the inputs that are set, of the step's end */
    Quiet *quiet;
} Between;

typedef struct {
    Simulation s; /* first: a pointer to it is one to the instance */
    Host host;
    const Rules *rules;
    char *name;
    unsigned logged;               /* categories the host wants to hear of, see log.h; errors are always told */
    double *dx, *du, *dx_dot, *dy; /* seeds and results of directional derivatives */
    void *matrices;                /* of the implicit method, once it is chosen; else NULL */
    double *before;                /* a copy of the simulation's block, to return to */
    size_t kept;                   /* bytes of it */
    Between between;
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

/* Keeps what varies in a span of the block, to return to it later. */
void keep(Instance *instance, Span span);
void bring_back(Instance *instance);

/* The array of a group's values; and of those that the host sets. */
double *values_of(Simulation *s, Group group);
double *start_values_of(Simulation *s, Group group);

#endif
