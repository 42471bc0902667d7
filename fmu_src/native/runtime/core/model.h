/* What the runtime knows of a model. model.c, generated from a System (dynamics/system/contract.py), fills `model`.
 *
 * Arrays of doubles, lengths below:   t  time    x  states    u  inputs    p  parameters
 *                                     k  constants derived from p          d  discrete states
 * Every generated function takes arrays of pointers to its arguments and results, and a work array that belongs to the
 * instance (its size is in `model`), so nothing here is static and writable. */
#ifndef SPACEFMU_MODEL_H
#define SPACEFMU_MODEL_H

#include "elimination.h"
#include "names.h"

typedef void (*Expression)(const double **arg, double **res, double *w);

/* A solve between two expressions:  M z = f + G' multipliers,  G z = gamma  (see saddle.h).
 * assemble: arg {t, x, u, k, d [, g]} -> res {M (n*n, row-major), G (m*n, row-major), f, gamma, carry};
 * factored: {L, W, a, gamma, carry} in their place, M = L'L, W = L'^-1 G', a = L'^-1 f.
 * planned: whether model.planned may solve it.
 * stiff, stiffness, pull: M is positive definite once stiffness R'R is added to it, with R the first `stiff` rows of G (0: it is so already),
 * and pull R'gamma to f: the stiffness, or 0.
 * NULL: there is nothing to solve, and n = m = carry = 0. */
typedef struct {
    Expression assemble;
    int n, m, carry, factored, planned, stiff;
    double stiffness, pull;
} Solve;

/* residual: arg {t, x, u, k, d} -> res {gamma}, which is minus the residual: whether there is anything to solve for;
 * finish: arg {t, x, u, k, d, z, multipliers, carry} -> res {x}. */
typedef struct {
    const char *name;
    Solve solve;
    Expression residual, finish;
    double tolerance;
    const char *const *rows; /* what each row belongs to; NULL: not told */
    const char *failure;     /* what to say of a row that fails; NULL: its residual */
    int coupling;            /* whether its rows are those of the motion: positions or rates of couplings */
} Projection;

typedef enum {
    GROUP_TIME,
    GROUP_STATE,
    GROUP_DERIVATIVE,
    GROUP_INPUT,
    GROUP_OUTPUT,
    GROUP_DISCRETE,
    GROUP_PARAMETER,
    GROUP_SOLVER,
    GROUP_INDICATOR
} Group;
typedef enum { KIND_REAL, KIND_INTEGER, KIND_BOOLEAN, KIND_ENUMERATION } Kind;

/* One FMI variable, a scalar. */
typedef struct {
    const char *name;
    Group group;
    int index;
    Kind kind;
    int tunable;     /* parameters */
    int discrete;    /* inputs and outputs */
    int calculated;  /* no start value to set */
    double min, max; /* -HUGE_VAL, HUGE_VAL: none; values outside are refused for parameters */
} Variable;

/* The variables that a value reference names: an array's lie one after the other. */
typedef struct {
    int first, length;
} Reference;

/* A Boolean output that the log speaks of, once, where it is false. */
typedef struct {
    const char *name, *text;
} Notice;

/* A spacecraft's state of work and outputs of energy: what a parameter tuned in mid-run changes in these is work. */
typedef struct {
    int work, kinetic, potential;
} Booked;

typedef struct {
    const char *name, *guid;
    int nx, nu, np, nk, nd, ny, ng;

    int n_hoisted;     /* constants behind the nk of k: what follows from them and is asked for often */
    Expression derive; /* {p} -> {k, with the n_hoisted} */
    Expression check;  /* {p} -> {one number a law, all > 0}; NULL: no laws */
    int n_laws;
    const char *const *laws; /* sentences */
    const char *without_rates; /* what it means where a rate is not finite: the end of the sentence that says so */
    Expression initialize;   /* {t, x, u, k, d} -> {x, d} */

    Solve motion;          /* shared by the next; each: {t, x, u, k, d, z, multipliers, carry} -> */
    Expression rates;      /* {x_dot} */
    Expression outputs;    /* {y}; NULL when ny = 0 */
    Expression indicators; /* {g}; NULL when ng = 0 */
    Expression planned;    /* {M, G, f, gamma} -> {z, multipliers, seen}, see planned.h; NULL: the solve has no plan */
    int slow_indicators;   /* whether all change little over a step, so that its end alone is looked at */

    Expression next_time; /* {t, x, u, k, d} -> {time}; NULL: no time events */
    int samples;          /* whether time events sample inputs */
    Solve update_solve;   /* assemble takes g after d */
    Expression update;    /* {t, x, u, k, d, g, z, multipliers, carry} -> {x, d}; NULL: no events */
    int update_limit;

    /* Of the motion's rows, if some are those of couplings (else NULL): the coupling of each, and where each speed is in x; -1: of rows and
     * speeds of another kind, in blocks of their own. loops_alone: there are none of these. */
    const char *const *owners;
    const int *row_owner, *speeds;
    int loops_alone;

    int n_projections;
    const Projection *projections;

    /* Derivatives of the above when t, x, u move with the seeds dt, dx, du:
     * motion_along: {t, x, u, k, d, dt, dx, du} -> {dM, dG, df, dgamma, dcarry}; NULL: nothing to solve;
     * along: {t, x, u, k, d, z, multipliers, carry, dt, dx, du, dz, dmultipliers, dcarry} -> {dx_dot, dy}. */
    Expression motion_along, along;
    /* Gradients of the results, weighted: motion_back: {t, x, u, k, d, wM, wG, wf, wgamma, wcarry} -> {bx, bu};
     * back: {t, x, u, k, d, z, multipliers, carry, wx_dot, wy} -> {bx, bu, bz, bmultipliers, bcarry}. NULL: columns are added up. */
    Expression motion_back, back;
    /* Arguments of rates -> {d x_dot / d x: row by row, or the entries of elimination}; NULL: found by directions. */
    Expression jacobian;
    const Elimination *elimination; /* of the matrix of an implicit step; NULL: it is full */

    const double *start_x, *start_u, *start_p, *start_d;
    const double *nominal_x, *nominal_rate; /* of states and of their derivatives */
    int n_vectors;     /* of states: the norm of errors takes each as a whole */
    const int *vector; /* of each state */
    const int *speed;  /* of each vector the one that is its derivative; -1: none */
    const int *tie;    /* of each vector the unit that it shares with those that rows tie it to; -1: it is not tied */
    const unsigned char *quadrature; /* a flag per vector: left out of error control */
    double default_tolerance;

    int n_variables;
    const Variable *variables;
    int n_references; /* one per value reference; NULL: value references are positions in `variables` */
    const Reference *references;
    int n_booked;
    const Booked *booked;
    int n_notices;
    const Notice *notices;
    Expression noticed; /* arguments of outputs -> {their values}; NULL: no notices */

    int sz_w; /* the largest work array of any expression */
} Model;

extern const Model model;

#endif
