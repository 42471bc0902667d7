/* One block of memory for an instance, dealt out in pieces.
 *
 * A first pass over all `arena_take` calls with base = NULL counts, the second deals: so the sizes are
 * written once, beside the arrays they belong to, and an instance is one allocation. */
#ifndef SPACEFMU_ARENA_H
#define SPACEFMU_ARENA_H

#include "names.h"

#include <stddef.h>

typedef struct {
    char *base; /* NULL: only count */
    size_t used;
} Arena;

/* Room for `count` items of `size` bytes, aligned for doubles and pointers; NULL while counting. */
static inline void *arena_take(Arena *arena, size_t count, size_t size) {
    size_t place = arena->used;
    arena->used += (count * size + 15) / 16 * 16;
    return arena->base ? arena->base + place : NULL;
}

static inline double *arena_doubles(Arena *arena, size_t count) { return arena_take(arena, count, sizeof(double)); }

#endif
