/* One saddle solve for a test: allocates its own room. Returns the rank of G, or -1 when the solve fails. */
#include <stdlib.h>

#include "saddle.h"

int saddle_probe(int n, int m, const double *M, const double *G, const double *f, const double *gamma, double *z,
                 double *multipliers, double *unfelt) {
    Saddle s;
    Arena arena = {NULL, 0};
    saddle_room(&s, &arena, n, m);
    arena.base = malloc(arena.used);
    arena.used = 0;
    saddle_room(&s, &arena, n, m);
    int failed = saddle_factor(&s, n, m, M, G), rank = s.rank;
    if (!failed) {
        saddle_solve(&s, f, gamma, z, multipliers);
        saddle_unfelt(&s, unfelt);
    }
    free(arena.base);
    return failed ? -1 : rank;
}
