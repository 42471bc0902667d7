/* The model's equations at a point: constants, the motion with its solve, directional derivatives.
 *
 * Functions that can fail return 0, or -1 with the reason in `reason`. */
#ifndef SPACEFMU_EVALUATE_H
#define SPACEFMU_EVALUATE_H

#include "arena.h"
#include "model.h"
#include "saddle.h"

/* What an equation sees beside the constants. */
typedef struct {
    double t;
    const double *x, *u, *d;
} Point;

/* What stands between assemble and finish. */
typedef struct {
    double *M, *G, *f, *gamma, *carry, *z, *multipliers;
    Saddle saddle;
} Stage;

/* The singular values of a motion's rows, see rows_seen.h: U (m columns of length m), s and the scales of rows (m); work. */
typedef struct {
    int rank;
    double *u, *s, *scale, *push, *weak, *wanted;
} RowsSeen;

enum { WANT_RATES = 1, WANT_OUTPUTS = 2, WANT_INDICATORS = 4, WANT_NOTICED = 8 };

/* Where the motion was evaluated and what is known there: asked again, nothing is computed twice. */
typedef struct {
    int solved;
    unsigned known; /* WANT_ bits */
    double t, *x, *u, *d;
    double *x_dot, *y, *g; /* results of evaluate_motion, */
    double *noticed;       /* and of the outputs those with a notice */
    Stage motion;
} Evaluated;

typedef struct {
    double *k;   /* constants of the parameters */
    int derived; /* k is that of the present parameters */

    /* The point that was last asked for; its arrays change places with those of the one before when another is asked for. */
    int solved;
    unsigned known;
    double t, *x, *u, *d, *x_dot, *y, *g, *noticed;
    Stage motion;
    Evaluated before; /* the last other one */

    Stage event;  /* of projections and updates: apart, so that they leave the motion's solve alone */
    Stage change; /* of evaluate_along, and of rows that are looked at */
    RowsSeen seen;
    const double *gap; /* around a change point, see rows_seen.h; NULL: no rows that can have one */
    /* The least and the largest weakness of rows, and how many count, since someone cleared `solves`. */
    int solves, ranks[2];
    double weakness[2];
    double *x_new, *x_old, *d_new, *g_seen, *law;

    double *w; /* work array of the generated functions */

    long evaluations, directions;
    char reason[300];
} Evaluation;

/* Arguments and results of a generated function, in the order of model.h. */
typedef struct {
    const double *list[14];
} Arguments;
typedef struct {
    double *list[5];
} Results;

void evaluation_room(Evaluation *e, Arena *arena);

void call(Evaluation *e, Expression expression, Arguments arguments, Results results);

/* Writes the reason (as printf does) and returns -1. */
int fail(Evaluation *e, const char *format, ...);

/* What a solve that fails is told. */
int refuse_matrix(Evaluation *e, double t);

int all_finite(const double *values, int count);

/* The first value that is not finite, -1: all are. */
int first_not_finite(const double *values, int count);

/* The name of a variable, by its place in its group. */
const char *name_of(Group group, int index);

/* Index of the first law that the parameters break, or -1 if they are legal. */
int broken_law(Evaluation *e, const double *p);

/* k = derive(p) */
int derive_constants(Evaluation *e, const double *p);

/* M, G, f, gamma, carry at a point; g: the one more argument of an update's assemble, else NULL. */
void assemble_stage(Evaluation *e, const Solve *solve, Stage *stage, Point at, const double *g);

/* z and multipliers of what is assembled. off: how far x is off the manifold, 0: all rows count. */
int solve_stage(Evaluation *e, const Solve *solve, Stage *stage, double t, double off);

/* M of a solve and f become those of a positive definite M; f alone: of further right sides. Once after each assembly. */
void stiffen(const Solve *solve, Stage *stage);
void stiffen_right(const Solve *solve, const double *G, const double *gamma, double *f);

/* The factors of the motion's solve at the point that was evaluated last, for more right sides: a planned solve leaves none. */
int motion_factors(Evaluation *e, Point at);

/* What was evaluated no longer counts: after constants or a gap have changed. */
void forget_points(Evaluation *e);

/* x_dot, y, g and noticed as wanted, all from one solve. */
int evaluate_motion(Evaluation *e, Point at, unsigned wanted);

/* Change of x_dot and y when t, x, u move with dt, dx, du; the caller asks whether those it needs are finite. */
int evaluate_along(Evaluation *e, Point at, double dt, const double *dx, const double *du, double *dx_dot, double *dy);

#endif
