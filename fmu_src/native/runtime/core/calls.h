/* Which function may be called when, and which variable may be set when: tables that each version of FMI brings. */
#ifndef SPACEFMU_CALLS_H
#define SPACEFMU_CALLS_H

#include "model.h"
#include "names.h"

/* Modes of an instance: bits, so that a set of them is a number. Steps are never pending here. */
typedef enum {
    MODE_INSTANTIATED = 1,
    MODE_INITIALIZATION = 2,
    MODE_EVENT = 4,
    MODE_CONTINUOUS = 8,
    MODE_STEP_COMPLETE = 16,
    MODE_STEP_FAILED = 32,
    MODE_TERMINATED = 64,
    MODE_ERROR = 128,
    MODE_INPUTS = 256,      /* within a step, the host is asked for inputs; */
    MODE_INTERMEDIATE = 512 /* told of an accepted point. Neither is ever saved */
} Mode;

/* Kinds of instances, bits too. */
enum { COSIMULATION = 1, EXCHANGE = 2, BOTH = 3 };

/* One function of FMI: its name, the kinds of instances that have it, the modes in which it may be called. */
typedef struct {
    const char *name;
    int kinds, modes;
} Call;

/* When variables of a group may be set, by kinds of instances; in some modes only parameters that are tunable, inputs that are continuous. */
typedef struct {
    Group group;
    int kinds, modes, only_tunable_in, only_continuous_in;
} Settable;

/* What a version of FMI lays down beside its calls. */
typedef struct {
    int modes[BOTH]; /* that an instance can be in: modes[COSIMULATION], modes[EXCHANGE] */
    const Settable *settable;
    int n_settable;
    int silent; /* with a category off, errors of it are not told either */
} Rules;

int call_allowed(const Call *call, int kind, Mode mode);

int may_be_set(const Rules *rules, const Variable *variable, int kind, Mode mode);

/* A mode's name for messages. */
const char *mode_name(Mode mode);

#endif
