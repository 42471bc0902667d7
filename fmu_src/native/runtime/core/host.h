/* The program that an FMU runs in, whichever version of FMI it speaks: how calls end, memory, and where messages go. */
#ifndef SPACEFMU_HOST_H
#define SPACEFMU_HOST_H

#include <stddef.h>

#define MESSAGE_LENGTH 600 /* of the longest message, with its end */

/* How a call ended. Every version of FMI has these numbers. */
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL } Status;

/* What a host hears between communication points, and may ask for: see intermediate.h. */
typedef struct {
    double time;
    int set, get, finished, can_return; /* it may set inputs, get values; an accepted step; it may end the communication step */
    int wants_return;
    double return_time;
} Update;

typedef struct Host {
    void *(*allocate)(size_t count, size_t size); /* zeroed; if it or the next is NULL, the C library serves */
    void (*release)(void *memory);
    void (*log)(const struct Host *host, const char *instance, Status status, const char *category, const char *message);
    void (*logger)(void); /* the host's own, of a type that `log` knows; NULL: nobody listens */
    void *environment;    /* the host's own, handed back to it */
    void (*update)(const struct Host *host, Update *update); /* NULL: the host does not listen between communication points */
    void (*updater)(void); /* the host's own, of a type that `update` knows */
} Host;

#endif
