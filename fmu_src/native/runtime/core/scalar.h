/* The number that generated equations compute with, and the operations that C has no sign for.
 *
 * Equations are written in `real` and in these names alone: what computes several runs at once brings others (runtime/batch/lanes.h). */
#ifndef SPACEFMU_SCALAR_H
#define SPACEFMU_SCALAR_H

#include <math.h>

typedef double real;

#define NUMBER(x)   (x) /* in an expression, and */
#define ENTRY(x)    x   /* in a table */

#define SQUARE(x)   ((x) * (x))
#define TWICE(x)    (2.0 * (x))
#define INVERSE(x)  (1.0 / (x))
#define LESS(x, y)  ((x) < (y))
#define AT_MOST(x, y) ((x) <= (y))
#define EQUAL(x, y) ((x) == (y))
#define DIFFERENT(x, y) ((x) != (y))
#define NOT(x)      (!(x))
#define BOTH_OF(x, y) ((x) && (y))
#define ANY_OF(x, y) ((x) || (y))
#define WHERE(condition, x) ((condition) ? (x) : 0.0)
#define SIGN(x)     ((x) < 0 ? -1.0 : (x) > 0 ? 1.0 : (x))
#define PICK(table, index) ((table)[(int)(index)])

#endif
