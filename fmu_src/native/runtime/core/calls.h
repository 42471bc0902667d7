/* Which function may be called when, and which variable may be set when: tables that each version of FMI brings, written from
 * fmu_src/interface/legal.py. */
#ifndef SPACEFMU_CALLS_H
#define SPACEFMU_CALLS_H

#include "model.h"
#include "modes.h"
#include "names.h"

/* Modes of an instance: bits, so that a set of them is a number. Steps are never pending here. MODE_INPUTS, MODE_INTERMEDIATE: within a
 * step, the host is asked for inputs, told of an accepted point. Neither is ever saved. */
#define MODE_BIT(name, bit, words) MODE_##name = bit,
typedef enum { MODES(MODE_BIT) } Mode;
#undef MODE_BIT

/* Of the names of all modes in one text, with its end. */
#define MODE_NAMES_LENGTH 300

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

/* The modes in which a variable may be set. */
int modes_to_set(const Rules *rules, const Variable *variable, int kind);

/* A mode's name for messages. */
const char *mode_name(Mode mode);

/* The names of a set of modes, all but that after an error: 'a', 'b' or 'c'. Returns `to`, which has room for MODE_NAMES_LENGTH characters. */
const char *mode_names(int set, char *to);

#endif
