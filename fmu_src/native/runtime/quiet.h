/* Equations raise floating-point exceptions in branches that are not taken, and where a step is too long. A host may trap
 * them: what is evaluated between quiet_begin and quiet_end raises none that it could see. */
#ifndef SPACEFMU_QUIET_H
#define SPACEFMU_QUIET_H

#include <fenv.h>

typedef fenv_t Quiet;

static inline void quiet_begin(Quiet *host) { feholdexcept(host); }

static inline void quiet_end(const Quiet *host) { fesetenv(host); }

#endif
