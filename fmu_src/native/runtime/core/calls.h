/* Which FMI function may be called when: the state machines of FMI 2.0.4, sections 3.2.3 and 4.2.4, as one table. */
#ifndef SPACEFMU_CALLS_H
#define SPACEFMU_CALLS_H

#include "names.h"

/* Modes of an instance. Steps are never pending here, so the standard's "step in progress" and "step canceled" do not
 * occur. */
typedef enum {
    MODE_INSTANTIATED = 1,
    MODE_INITIALIZATION = 2,
    MODE_EVENT = 4,
    MODE_CONTINUOUS = 8,
    MODE_STEP_COMPLETE = 16,
    MODE_STEP_FAILED = 32,
    MODE_TERMINATED = 64,
    MODE_ERROR = 128
} Mode;

typedef enum {
    SET_DEBUG_LOGGING,
    SETUP_EXPERIMENT,
    ENTER_INITIALIZATION,
    EXIT_INITIALIZATION,
    TERMINATE,
    RESET,
    GET_REAL,
    GET_INTEGER,
    GET_BOOLEAN,
    GET_STRING,
    SET_REAL,
    SET_INTEGER,
    SET_BOOLEAN,
    SET_STRING,
    GET_STATE,
    SET_STATE,
    FREE_STATE,
    SERIALIZED_SIZE,
    SERIALIZE,
    DESERIALIZE,
    DIRECTIONAL_DERIVATIVE,
    ENTER_EVENT,
    NEW_DISCRETE_STATES,
    ENTER_CONTINUOUS,
    COMPLETED_STEP,
    SET_TIME,
    SET_CONTINUOUS_STATES,
    GET_DERIVATIVES,
    GET_INDICATORS,
    GET_CONTINUOUS_STATES,
    GET_NOMINALS,
    SET_INPUT_DERIVATIVES,
    GET_OUTPUT_DERIVATIVES,
    DO_STEP,
    CANCEL_STEP,
    GET_STATUS,
    GET_REAL_STATUS,
    GET_INTEGER_STATUS,
    GET_BOOLEAN_STATUS,
    GET_STRING_STATUS
} Call;

const char *call_name(Call call);

/* May an instance of this kind (exchange: model exchange, else co-simulation) be called so in this mode? */
int call_allowed(Call call, int exchange, Mode mode);

/* The modes that an instance of this kind can be in, as bits. */
int modes_of(int exchange);

/* A mode's name for messages. */
const char *mode_name(Mode mode);

#endif
