/* Step control: which of a method's pairs takes the next step, and how long it is. */
#ifndef SPACEFMU_STEP_LENGTH_H
#define SPACEFMU_STEP_LENGTH_H

#include "simulation.h"

/* Length to try towards a target, or beyond it up to `far`, of the pair that is chosen with it: `order`. */
double length_towards(Simulation *s, double target, double far);

/* Of a rest: the longest equal parts that solver.max_step allows. */
double equal_part(const Simulation *s, double rest);

/* Evaluations that a try of the pair under way counts as. */
double work_of_try(const Simulation *s);

/* Change of length after a step with that error over the tolerance. */
double change_of_length(const Simulation *s, double error);

/* After a step of length h that held the tolerance, `rejected`: not at once; worst: error of its end and, if it is used, of its
 * dense output. */
void lengthen(Simulation *s, double h, double error, double worst, int rejected);

/* After a step of length h whose end held the tolerance, and whose dense output did not. */
void shorten_within(Simulation *s, double h, double error, double worst);

/* The pair of lowest order that is believed to take a length, or has not been tried. */
int cheapest_order(const Simulation *s, double length);

/* After an event lengths are below zero: the first step is estimated anew, and is no longer than the last would have been. */
void forget_lengths(Simulation *s);

#endif
