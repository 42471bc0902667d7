/* One simulated model: what varies, and co-simulation's way through time. */
#ifndef SPACEFMU_SIMULATION_H
#define SPACEFMU_SIMULATION_H

#include "bounds.h"
#include "clock.h"
#include "evaluate.h"

#define INPUT_ORDERS 5 /* highest derivative of an input that is used */

/* Of solver.method = automatic, see dynamics/solver/stiffness.py: are steps implicit now; since the last look tries, accepted steps, their time
 * and the evaluations that the tries count as; tries up to the next look; pace, spectral radius and mean length of explicit steps when they ended;
 * implicit steps so far. */
typedef struct {
    double implicit, tries, steps, span, work, patience, pace, radius, length, taken;
} Choice;

/* Everything that varies is doubles in one block, scalars first: saving and restoring is one copy. What each may be is a row
 * in saved.c. */
typedef struct {
    double mode;     /* of the FMI state machine, see calls.h */
    double exchange; /* 1: model exchange, 0: co-simulation */
    double time;
    double stop_time;                 /* HUGE_VAL: not defined */
    double tolerance;                 /* of the experiment; 0: not defined */
    double initialized;               /* x and d follow from the start values and parameters as they are now */
    double step[N_ORDERS];            /* length that the step control would try next, an order; 0: to be estimated, below: after an event */
    double within;                    /* share of the first one at which its dense output meets the tolerance too */
    double disturbed;                 /* a set call has changed a value since the last step, or nothing is known of it */
    double ahead_from, ahead_to;      /* times of a step that reached beyond the last communication point; equal: none */
    double ahead_event;               /* 1: it ends at an event */
    double input_order;               /* highest derivative of the inputs in force; 0: inputs are held */
    double input_time;                /* where the inputs' polynomials have their values u */
    double inputs_used;               /* the input derivatives have served a step: the next ones replace them */
    double steps, rejections, events; /* statistics */
    double to_points, to_events, to_limits; /* of the steps, those that ended there; the others ended by the tolerance */
    Clock clock;           /* the host's */
    Choice choice;
    double misses_told;    /* 1: samples between communication points were spoken of */
    double lates;          /* events that did not fit into the bounded work of their communication step; statistics */
    double weak_most, weak_last; /* weakness of rows: the largest so far, the least of the last step; 0: nothing is known */
    double weak_near;            /* 1: once a change point was near */
    double stiffness_told; /* 1: a run that an implicit method may suit better has said so */
    double drift_limit; /* model exchange: distance from the manifolds at which event mode is asked for */
    double steps_since; /* model exchange: completed steps since event mode was last asked for because of drift */
    double passes, moved, unsettled;  /* of the event iteration in model exchange: calls that changed something so far,
                                         states changed by any of them, another call is needed */
} Scalars;

/* Of the block, from its head: what every co-simulation step may change; with a step ahead and slopes of inputs; all. */
typedef enum { SPAN_STEP, SPAN_AHEAD, SPAN_ALL, N_SPANS } Span;

enum { SOLVER_METHOD, SOLVER_TOLERANCE, SOLVER_MAX_STEP, N_SOLVER };

/* Of rows of loops at the present, see change_points.c. */
typedef struct {
    double *weakness, *falls, *times, *turning;
} Outlook;

typedef struct Simulation {
    Scalars *now; /* head of the block; the arrays below follow it */
    double *x, *u, *d, *p, *solver;
    double *x_given, *d_given; /* start values as set by the user */
    double *x_start, *moved;   /* of the norm of errors, see error_norm.h */
    double *u_derivatives;     /* INPUT_ORDERS rows of nu */
    double *y_held;            /* model exchange: sampled outputs of the last event, all outputs if there is one */
    double *side, *offset, *g_noted; /* of the indicators, in model exchange: see sides.h */
    double *notice_told;       /* a flag a notice */
    double *dense, *x_from, *x_to; /* rows of the dense output; begin and end of the step ahead */
    double *gap;               /* around a change point of a linkage, see rows_seen.h; zeros: none so far */
    size_t block_length;       /* doubles in the block */
    size_t spans[N_SPANS];     /* and in its spans */
    int sampled;               /* whether there are sampled outputs */

    Evaluation e;

    /* Work of the integrators: rates at the present, stages and end of the step under way, rates there if they are known,
     * dense output, and the linearization of implicit methods. */
    double *f_start, *f_end, *stages, *x_stage, *x_new, *d_new, *x_between, *u_at;
    int f_end_known;
    /* Of the indicators: the sides of zero they were on at its beginning, their distances from it there, in the middle, at the
     * end and anywhere else (4 rows of ng), its length, and whether it has to be repeated by the same pair. */
    double *side_before, *margins, whole;
    int keeps_pair, ahead; /* ahead: it reaches beyond its target */
    /* Of the rows of loops (change_points.c): those where the step began, how weak they were in it, whether a change point is near; work. */
    double *u_before, *duals, *row, *turned, *x_here, *x_on, *along, *x_nodes, least, most;
    Outlook outlook;
    const char *owner_before;
    int before_known, rank_before, near, crossed; /* crossed: the step was refused for a change point */
    double *size, *size_new, *size_error; /* of each vector of states: of its motion and its error, see error_norm.h */
    double met, *x_met, *f_met; /* the last true step to an event: its length (0: none), end and rates there */
    double *jacobian, *time_slope, *matrix, *du, *dy;
    int *pivots;
    long tries;                     /* internal steps of this communication step, rejected ones included */
    double step_start, step_length; /* of it */
    long work_before;               /* evaluations when it began */
    long splits, late;              /* of it, with bounded work: events that ended a step at their instant, and others */
    long most_work, most_bound;     /* evaluations of the communication step that took the most, and the largest bound of them */
    double missed;                  /* the first sample within it; HUGE_VAL: there was none */
    int ends_at_events, at_event; /* a communication step may end at an event, and has */
    int first;  /* the step under way is the first after a start or an event */
    int order;  /* of the pairs of `explicit`: the one of the step under way */
    /* Between communication points, NULL where the host does not listen: inputs at a time; an accepted step of length h to x_new, 1 when the host
     * ends it at *reached; and the time at which it wants to return. */
    void (*ask_inputs)(struct Simulation *s, double t);
    int (*tell_step)(struct Simulation *s, double h, double *reached);
    double ends_by;
    void (*on_try)(struct Simulation *s, double h, int accepted); /* called after each try of a step, of the pair s->order; NULL: nobody listens */
    void (*on_event)(struct Simulation *s, double t); /* called at an event, before d becomes d_new; NULL: nobody listens */
} Simulation;

void simulation_room(Simulation *s, Arena *arena);

/* To the start values, as after instantiation. Mode and exchange are left alone. */
void simulation_reset(Simulation *s);

/* What was computed at another point, with other constants or by another method, no longer counts: after the block has changed. */
void forget_work(Simulation *s);

/* Inputs at a time within the present step. */
const double *inputs_at(Simulation *s, double t);

/* First derivatives of the inputs at a time within the present step. */
void input_slopes(const Simulation *s, double t, double *du);

/* Moves the inputs' polynomials to a time, so that u are the values there. */
void move_inputs(Simulation *s, double t);

/* The present point; at a communication point that a time event belongs to, at its time. */
Point present(const Simulation *s);

/* Model exchange: sampled outputs (real and discrete) change in event mode alone. `hold_outputs` keeps the present ones at
 * its end; `output_of` gives an evaluated output, or between events the one that is held. */
int hold_outputs(Simulation *s);
double output_of(const Simulation *s, const Variable *variable, int between_events);

/* Relative tolerance in force. */
double tolerance_of(const Simulation *s);

#endif
