/* FMI 2.0 as the core sees it: the state machines of FMI 2.0.4, sections 3.2.3 and 4.2.4, as tables. */
#ifndef SPACEFMU_FMI2_CALLS_H
#define SPACEFMU_FMI2_CALLS_H

#include "calls.h"
#include "fmi2Functions.h"
#include "host.h"

enum {
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
};

extern const Call fmi2_calls[];
extern const Rules fmi2_rules;

#define CALL(number) (&fmi2_calls[number])

/* The core's status as FMI 2.0 names it. */
static inline fmi2Status fmi2_status(Status status) { return (fmi2Status)status; }

#endif
