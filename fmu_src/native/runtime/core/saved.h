/* What a saved state may hold. Bytes with a right checksum can come from anyone: every number in them is checked. */
#ifndef SPACEFMU_SAVED_H
#define SPACEFMU_SAVED_H

#include "simulation.h"

/* Is each number of a block, laid out as the simulation's own, one that a simulation of the same FMI type can have?
 * 0, or -1 with e.reason. Modes are told from each other by `modes`, the bits that are legal for the type. */
int inspect_block(Simulation *s, const double *block, int modes);

#endif
