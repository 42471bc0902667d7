/* The saddle-point solve between `assemble` and `finish`:
 *
 *     M z = f + G' multipliers,      G z = gamma
 *
 * M (n, n) symmetric positive definite, G (m, n) of any rank. Factored once, solved for many right sides.
 * Redundant rows of G are legal: the multipliers are then those of least norm. Rows of zeros are inactive. */
#ifndef SPACEFMU_SADDLE_H
#define SPACEFMU_SADDLE_H

#include "arena.h"

typedef struct {
    int n, m, rank;
    double planned;    /* weakness of the rows by the planned solve, which has left no factors; 0: they are here */
    int redundant;     /* whether rows that do not count are combinations of others, and not zeros alone */
    double *lower;     /* rows of L up to the diagonal, M = L'L; on the diagonal 1/L_ii */
    double *w;         /* m columns of length n: W = L'^-1 G', permuted; then R above, reflectors below the diagonal */
    double *w_scale;   /* m: scalings of the reflectors */
    double *r_rows;    /* rank columns of length m: the rows of R, then their own QR; only if redundant */
    double *r_scale;   /* rank */
    int *order;        /* m: column i of the permuted W is row order[i] of G */
    double *y, *b, *v; /* scratch of lengths n, max(n, m), m */
} Saddle;

/* Room for systems up to (n, m). */
void saddle_room(Saddle *s, Arena *arena, int n, int m);

/* 0, or -1 when M is not positive definite or something is not finite. M and G are row-major and left alone. */
int saddle_factor(Saddle *s, int n, int m, const double *M, const double *G);

/* Its first half: L and W, in `lower` and `w`. */
int saddle_whiten(Saddle *s, int n, int m, const double *M, const double *G);

/* v := L'^-1 v,  L^-1 v,  L' v */
void saddle_inward(Saddle *s, int n, double *v);
void saddle_outward(Saddle *s, int n, double *v);
void saddle_lift(Saddle *s, int n, double *v);

/* The second half of it, where L and W stand in `lower` and `w` already: which rows of G count.
 * -1 also when a 1/L_ii is not finite. */
int saddle_reveal(Saddle *s, int n, int m);

/* The size of the weakest row that counts, relative to the strongest; 1 without rows. */
double saddle_weakest(const Saddle *s);

/* After factoring: rows weaker than `tolerance`, relative to the strongest, no longer count. */
void saddle_forget(Saddle *s, double tolerance);

/* z and multipliers for right sides f (n) and gamma (m). */
void saddle_solve(Saddle *s, const double *f, const double *gamma, double *z, double *multipliers);

/* The same for a = L'^-1 f. */
void saddle_solve_inward(Saddle *s, const double *a, const double *gamma, double *z, double *multipliers);

/* The part of v (m) that no motion can feel: its projection on the null space of G'. Zero if no row is redundant. */
void saddle_unfelt(Saddle *s, double *v);

#endif
