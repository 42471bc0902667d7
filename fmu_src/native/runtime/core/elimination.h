/* The matrix of an implicit step without its zeros. Its tables are made with the model (fmu_src/native/elimination.py):
 * the order of elimination and all entries that it leaves are known, so nothing is searched for at run time. */
#ifndef SPACEFMU_ELIMINATION_H
#define SPACEFMU_ELIMINATION_H

#include "names.h"

/* States by number; rows and columns by their place in `order`. */
typedef struct {
    int n, n_followers, n_colours;
    const int *order;     /* n states, in the order of elimination */
    const int *followers; /* the other states: nothing depends on them */
    const int *begins, *columns, *diagonals; /* L and U row by row: first entries, columns, entries on the diagonal */
    const int *colours, *seeds; /* states that move together, by place: first ones, and all of them */
    const int *reached, *states, *entries; /* a seed: its first row; each row as a state, and as an entry of the matrix */
} Elimination;

/* values: the matrix, in place of it L and U; work: n numbers. 0, or -1 where a pivot is too weak: rows are not exchanged. */
int eliminate(const Elimination *plan, double *values, double *work);

/* Of v, by states, the entries of `order`: the solution in place of the right-hand side; work: n numbers. */
void substitute(const Elimination *plan, const double *values, double *v, double *work);

#endif
