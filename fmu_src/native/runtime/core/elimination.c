#include "elimination.h"

#include <math.h>

#include "bounds.h"

/* Row i of A, minus its multiples l_ik of the rows u_k above, leaves l_ik and u_i. */
int eliminate(const Elimination *plan, double *values, double *work) {
    const int *begins = plan->begins, *columns = plan->columns, *diagonals = plan->diagonals;
    for (int i = 0; i < plan->n; i++) {
        double largest = 0.0;
        for (int e = begins[i]; e < begins[i + 1]; e++) {
            work[columns[e]] = values[e];
            largest = fmax(largest, fabs(values[e]));
        }
        for (int e = begins[i]; e < diagonals[i]; e++) {
            int k = columns[e];
            double multiple = work[k] /= values[diagonals[k]];
            for (int above = diagonals[k] + 1; above < begins[k + 1]; above++)
                work[columns[above]] -= multiple * values[above];
        }
        for (int e = begins[i]; e < begins[i + 1]; e++) values[e] = work[columns[e]];
        if (!(fabs(values[diagonals[i]]) > WEAK_PIVOT * largest)) return -1;
    }
    return 0;
}

void substitute(const Elimination *plan, const double *values, double *v, double *work) {
    const int *begins = plan->begins, *columns = plan->columns, *diagonals = plan->diagonals;
    for (int i = 0; i < plan->n; i++) { /* L y = v */
        double sum = v[plan->order[i]];
        for (int e = begins[i]; e < diagonals[i]; e++) sum -= values[e] * work[columns[e]];
        work[i] = sum;
    }
    for (int i = plan->n - 1; i >= 0; i--) { /* U z = y */
        double sum = work[i];
        for (int e = diagonals[i] + 1; e < begins[i + 1]; e++) sum -= values[e] * work[columns[e]];
        v[plan->order[i]] = work[i] = sum / values[diagonals[i]];
    }
}
