/* FMI 3.0 as the core sees it: the state machines of FMI 3.0.2, sections 2.3, 3.2 and 4.2, as tables. */
#ifndef SPACEFMU_FMI3_CALLS_H
#define SPACEFMU_FMI3_CALLS_H

#include "calls.h"
#include "fmi3Functions.h"
#include "host.h"

enum {
    SET_DEBUG_LOGGING,
    ENTER_INITIALIZATION,
    EXIT_INITIALIZATION,
    ENTER_EVENT,
    TERMINATE,
    RESET,
    GET_FLOAT64,
    GET_INT32,
    GET_INT64,
    GET_BOOLEAN,
    GET_OTHER,
    SET_FLOAT64,
    SET_INT32,
    SET_INT64,
    SET_BOOLEAN,
    SET_OTHER,
    GET_STATE,
    SET_STATE,
    FREE_STATE,
    SERIALIZED_SIZE,
    SERIALIZE,
    DESERIALIZE,
    DIRECTIONAL_DERIVATIVE,
    ADJOINT_DERIVATIVE,
    NOT_OFFERED,
    EVALUATE_DISCRETE_STATES,
    UPDATE_DISCRETE_STATES_EXCHANGE,
    UPDATE_DISCRETE_STATES_STEPS,
    ENTER_CONTINUOUS,
    COMPLETED_STEP,
    SET_TIME,
    SET_CONTINUOUS_STATES,
    GET_DERIVATIVES,
    GET_INDICATORS,
    GET_CONTINUOUS_STATES,
    GET_NOMINALS,
    NUMBER_OF_INDICATORS,
    NUMBER_OF_STATES,
    ENTER_STEP_MODE,
    GET_OUTPUT_DERIVATIVES,
    DO_STEP,
    ACTIVATE_PARTITION
};

extern const Call fmi3_calls[];
extern const Rules fmi3_rules;

#define CALL(number) (&fmi3_calls[number])

/* One of several functions that share a row, by its own name. */
#define CALL_NAMED(number, own) (&(const Call){own, fmi3_calls[number].kinds, fmi3_calls[number].modes})

/* The core's status as FMI 3.0 names it. */
static inline fmi3Status fmi3_status(Status status) { return (fmi3Status)status; }

#endif
