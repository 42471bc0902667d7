/* FMI 3.0 as the core sees it: the state machines of FMI 3.0.2, sections 2.3, 3.2 and 4.2, as tables. */
#ifndef SPACEFMU_FMI3_CALLS_H
#define SPACEFMU_FMI3_CALLS_H

#include "calls.h"
#include "fmi3Functions.h"
#include "fmi3_legal.h"
#include "host.h"

#define CALL_NUMBER(number, name, kinds, modes) number,
enum { FMI3_CALLS(CALL_NUMBER) };
#undef CALL_NUMBER

extern const Call fmi3_calls[];
extern const Rules fmi3_rules;

#define CALL(number) (&fmi3_calls[number])

/* One of several functions that share a row, by its own name. */
#define CALL_NAMED(number, own) (&(const Call){own, fmi3_calls[number].kinds, fmi3_calls[number].modes})

/* The core's status as FMI 3.0 names it. */
static inline fmi3Status fmi3_status(Status status) { return (fmi3Status)status; }

#endif
