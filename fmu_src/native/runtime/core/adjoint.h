/* Derivatives in reverse mode: what a weighted sum of rates and outputs depends on, in one pass. */
#ifndef SPACEFMU_ADJOINT_H
#define SPACEFMU_ADJOINT_H

#include "evaluate.h"

/* bx (nx) and bu (nu): the gradient of  wx_dot x_dot + wy y  at a point, through the solve. work: nx + nu doubles. */
int evaluate_back(Evaluation *e, Point at, const double *wx_dot, const double *wy, double *bx, double *bu, double *work);

#endif
