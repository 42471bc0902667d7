/* The one-step methods behind solver.method. All of them step from the present point of a simulation to x_new. */
#ifndef SPACEFMU_METHODS_H
#define SPACEFMU_METHODS_H

#include "simulation.h"

/* Coefficients: see dynamics/solver/tableau.py, where they come from and what they mean. */
typedef struct {
    int steps;      /* stages that make the step */
    int stages;     /* with those of the dense output */
    int errors;     /* error estimates; 0: fixed step */
    int dense_rows; /* of the dense output, beyond the cubic one */
    const double *a, *b, *c, *error, *dense;
} Explicit;

typedef struct {
    int stages;
    double gamma;
    const double *a, *c, *alpha, *gammas, *b;
} Rosenbrock;

typedef struct {
    int (*begin)(Simulation *s); /* what a step from the present point needs whatever its length; NULL: nothing */
    int (*step)(Simulation *s, double h, double *error); /* x_new, and the estimated error over the tolerance */
    double order; /* the estimated error is of this order in the step's length; 0: no error control, fixed steps */
    double first_order; /* the same of a first step, which may be judged by another estimate */
    const Explicit *runge_kutta;
    const Rosenbrock *rosenbrock;
} Method;

/* What solver.method chooses: pairs; is the work of a communication step bounded; the set that replaces it where the model is stiff, -1: none. */
typedef struct {
    const Method *list;
    int orders, bounded, stiff;
} MethodSet;

/* Whether matrices are needed. */
int may_be_implicit(const Simulation *s);

/* Is the work of a communication step bounded, whatever happens in it? See bounded.h. */
int is_bounded(const Simulation *s);

/* Pairs of different order among which `explicit` chooses, step by step; other methods are alone. */
int orders_of(const Simulation *s);

/* The method of the step under way. */
const Method *method_of(const Simulation *s);

/* Coefficients of one of its pairs; NULL: it is not a Runge-Kutta method. */
const Explicit *pair_of(const Simulation *s, int order);

int has_dense_output(const Simulation *s);

/* Order of the error estimate of the step under way. */
double order_of(const Simulation *s);

void method_room(Simulation *s, Arena *arena);

/* Matrices of the implicit method, apart from the rest: nx^2 numbers that only an instance needs which has chosen it. */
void rosenbrock_room(Simulation *s, Arena *arena);

/* f_start, and whatever the method needs at the present point. */
int begin_step(Simulation *s);

/* Dense output of the step of length h from x to x_new; then x_between at a share of it, from the x that it began at. */
int dense_prepare(Simulation *s, double h);
void dense_at(Simulation *s, const double *from, double share);

/* Estimated error of the dense output within the step, over the tolerance. */
double dense_error(const Simulation *s);

/* f_end of the step of length h, from the rows of its dense output:  h f_end = F0 - F1 - F2. */
void dense_end(Simulation *s, double h);

/* Used by the methods: f = rates at (t, x) with the inputs of that time. */
int rates_at(Simulation *s, double t, const double *x, double *f);

/* runge_kutta.c, rosenbrock.c */
int runge_kutta_step(Simulation *s, double h, double *error);
int runge_kutta_dense(Simulation *s, double h);
int rosenbrock_begin(Simulation *s);
int rosenbrock_step(Simulation *s, double h, double *error);

#endif
