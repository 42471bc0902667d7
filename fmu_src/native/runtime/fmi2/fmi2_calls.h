/* FMI 2.0 as the core sees it: the state machines of FMI 2.0.4, sections 3.2.3 and 4.2.4, as tables. */
#ifndef SPACEFMU_FMI2_CALLS_H
#define SPACEFMU_FMI2_CALLS_H

#include "calls.h"
#include "fmi2Functions.h"
#include "fmi2_legal.h"
#include "host.h"

#define CALL_NUMBER(number, name, kinds, modes) number,
enum { FMI2_CALLS(CALL_NUMBER) };
#undef CALL_NUMBER

extern const Call fmi2_calls[];
extern const Rules fmi2_rules;

#define CALL(number) (&fmi2_calls[number])

/* The core's status as FMI 2.0 names it. */
static inline fmi2Status fmi2_status(Status status) { return (fmi2Status)status; }

#endif
