/* Where in a step an indicator first changes sign: on the dense output first, then by a few true steps. */
#ifndef SPACEFMU_LOCATE_H
#define SPACEFMU_LOCATE_H

#include "simulation.h"

/* The sides of zero that the indicators are on at the present. */
int remember_sides(Simulation *s);

/* Looks for the first change of (g > 0) during the step of length *h that led to x_new. 1: *h and x_new are now those right
 * after it; 0: none; -1: failed. ahead: the step reaches beyond its target: its dense output is there, and will be needed. */
int locate_event(Simulation *s, double *h, int ahead);

#endif
