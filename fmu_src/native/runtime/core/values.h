/* Getting and setting variables by value references. */
#ifndef SPACEFMU_VALUES_H
#define SPACEFMU_VALUES_H

#include "instance.h"

/* Kinds of variables that one function of FMI serves, as bits. */
enum { REALS = 1 << KIND_REAL, INTEGERS = 1 << KIND_INTEGER | 1 << KIND_ENUMERATION, BOOLEANS = 1 << KIND_BOOLEAN };

/* The variables that value references name, one after the other: the next, or NULL after the last. All references are known. */
typedef struct {
    const unsigned *references;
    size_t count, reached;
    int within; /* the reference that is reached */
} Chosen;

const Variable *next_of(Chosen *chosen);

/* How many variables are named. All references are known. */
size_t length_of(Chosen chosen);

/* 0 if there is an array and all references in it are known; else the call is refused. */
int unknown_references(Instance *instance, const Call *call, Chosen chosen);

/* Arrays that a host hands over to be read, or to be filled, in one of its types. */
typedef enum { TYPE_DOUBLE, TYPE_INT, TYPE_INT64, TYPE_BOOL } Type;
typedef struct {
    Type type;
    const void *given;
    void *wanted;
    const size_t *count; /* how many values there are, by the host's count; NULL: as many as variables */
} Values;

Status get_values(void *named, const Call *call, unsigned kinds, Chosen chosen, Values values);

/* All or nothing: values are written only when every one of them is legal. */
Status set_values(void *named, const Call *call, unsigned kinds, Chosen chosen, Values values);

#endif
