/* Choice between explicit and implicit steps by measured stiffness: solver.method = automatic. */
#ifndef SPACEFMU_STIFFNESS_H
#define SPACEFMU_STIFFNESS_H

#include "simulation.h"

/* Whether solver.method leaves the choice open. */
int is_automatic(const Simulation *s);

/* At the start of a run. */
void begin_choice(Choice *choice);

/* A try counts as so many evaluations; an accepted step took so long. */
void note_try(Simulation *s, double work);
void note_span(Simulation *s, double h);

/* After begin_step: at a look, the steps that take less work over the rest of the way are in force from then on. */
void choose_by_work(Simulation *s, double rest);

#endif
