/* An FMU written by hand, to try the checker on: a mass on a spring that bounces off a wall, sampled ten times a second.

     x' = v,   v' = -k x - c v + u,   y = x + max(u, 0)/2 (a kink, and u starts at it),   omega = sqrt(k)
     at x = wall: v becomes -0.8 v,  high becomes x > wall;      at t = start + n/10: sampled becomes x, count becomes n

   It follows FMI 2.0 in every point. Compiled with -DFAULT=name it has that one fault; faults.py lists them.
   With short_sighted it has none, but discards derivatives far ahead of the last completed step, as it may. */

#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef WITHIN_FMI3 /* nothing of FMI 2.0 is exported */
#include "fmi2FunctionTypes.h"
#define fmi2Version "2.0"
#else
#include "fmi2Functions.h"
#endif

#include "faults.h"
#include "model.h"
#include "life.h"
#include "values.h"
#include "saved.h"
#include "exchange.h"
#include "cosimulation.h"
