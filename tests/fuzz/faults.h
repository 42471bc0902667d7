#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>

/* From now on the given call along a path of callers fails, from 1 on; -n: that and all later ones; path 0: none. Counts begin anew. */
void fault_plan(uint64_t path, long call);

long faults_injected(void);

/* Paths that were met, each with its number of calls since the last plan; how many there are. */
int fault_paths(uint64_t *paths, long *calls, int most);

/* Whether the instance is there: some faults make no sense before. */
extern int fault_made;

#endif
