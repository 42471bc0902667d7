/* Matrices in generated equations, by columns: products, and the solve of a symmetric matrix by L D L'.
 *
 * Patterns of sparse matrices: `begins` of each column among the entries, one more for the end, and the `rows` of the entries. */
#ifndef SPACEFMU_MATRICES_H
#define SPACEFMU_MATRICES_H

#include "scalar.h"
#include "wide.h"

/* The same of a long y and few rows, a number that compilers know here: four sums at once, of which none waits for another. */
WITHIN void add_long_product(const real *x, const int rows, int inner, const real *y, real *restrict z) {
    real a[8], b[8], c[8], d[8];
    for (int j = 0; j < rows; j++) a[j] = b[j] = c[j] = d[j] = NUMBER(0.0);
    int k = 0;
    for (; k + 4 <= inner; k += 4, x += 4 * rows)
        for (int j = 0; j < rows; j++) {
            a[j] += x[j] * y[k];
            b[j] += x[j + rows] * y[k + 1];
            c[j] += x[j + 2 * rows] * y[k + 2];
            d[j] += x[j + 3 * rows] * y[k + 3];
        }
    for (; k < inner; k++, x += rows)
        for (int j = 0; j < rows; j++) a[j] += x[j] * y[k];
    for (int j = 0; j < rows; j++) z[j] += (a[j] + b[j]) + (c[j] + d[j]);
}

#define LONG 64

/* z += x y; x has `rows` rows and `inner` columns, y has `columns`. Four columns of x at once: compilers take four rows then. */
WITHIN void add_product(const real *x, int rows, int inner, const real *y, int columns, real *restrict z) {
    for (int i = 0; i < columns; i++, y += inner, z += rows) {
        if (inner >= LONG && rows == 8) { add_long_product(x, 8, inner, y, z); continue; } /* gravity and its gradient, */
        if (inner >= LONG && rows == 6) { add_long_product(x, 6, inner, y, z); continue; } /* a magnetic field and its change */
        int k = 0;
        for (; k + 4 <= inner; k += 4) {
            const real *a = x + k * rows, *b = a + rows, *c = b + rows, *d = c + rows;
            const real ya = y[k], yb = y[k + 1], yc = y[k + 2], yd = y[k + 3];
            for (int j = 0; j < rows; j++) z[j] = z[j] + a[j] * ya + b[j] * yb + c[j] * yc + d[j] * yd;
        }
        for (; k < inner; k++)
            for (int j = 0; j < rows; j++) z[j] += x[j + k * rows] * y[k];
    }
}

/* z += x y of a sparse x (n rows); y and z are dense. */
WITHIN void add_sparse_product(const real *x, const int *begins, const int *rows, int n, int inner, const real *y, int columns,
                               real *restrict z) {
    for (int i = 0; i < columns; i++, y += inner, z += n)
        for (int k = 0; k < inner; k++)
            for (int e = begins[k]; e < begins[k + 1]; e++) z[rows[e]] += x[e] * y[k];
}

/* z += x y of a sparse y; x (n rows) and z are dense. */
WITHIN void add_product_of_sparse(const real *x, int n, const real *y, const int *begins, const int *rows, int columns,
                                  real *restrict z) {
    for (int i = 0; i < columns; i++, z += n)
        for (int e = begins[i]; e < begins[i + 1]; e++)
            for (int j = 0; j < n; j++) z[j] += x[j + rows[e] * n] * y[e];
}

/* x (n rows, m columns) turned: t (m rows, n columns). */
WITHIN void transpose(const real *x, int n, int m, real *restrict t) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) t[i + j * m] = x[j + i * n];
}

/* x of a symmetric A in A x = b, of `columns` right sides; b is replaced. L' has the pattern `begins`, `rows`, without its diagonal of
 * ones; A's pattern is `a_begins`, `a_rows`; rows and columns are taken in the `order`. Room for entries of L' (l), n diagonals (d), n (w). */
WITHIN void ldl_solve(int n, const real *a, const int *a_begins, const int *a_rows, const int *begins, const int *rows,
                      const int *order, real *restrict l, real *restrict d, real *restrict w, real *restrict x, int columns) {
    for (int i = 0; i < n; i++) w[i] = NUMBER(0.0);
    for (int c = 0; c < n; c++) {
        const int from = a_begins[order[c]], to = a_begins[order[c] + 1];
        for (int k = from; k < to; k++) w[a_rows[k]] = a[k];
        for (int k = begins[c]; k < begins[c + 1]; k++) l[k] = w[order[rows[k]]];
        d[c] = w[order[c]];
        for (int k = from; k < to; k++) w[a_rows[k]] = NUMBER(0.0);
    }
    for (int c = 0; c < n; c++) {
        for (int k = begins[c]; k < begins[c + 1]; k++) {
            const int r = rows[k];
            for (int e = begins[r]; e < begins[r + 1]; e++) l[k] -= l[e] * w[rows[e]];
            w[r] = l[k];
            l[k] /= d[r];
            d[c] -= w[r] * l[k];
        }
        for (int k = begins[c]; k < begins[c + 1]; k++) w[rows[k]] = NUMBER(0.0);
    }
    for (int i = 0; i < columns; i++, x += n) {
        for (int c = 0; c < n; c++) w[c] = x[order[c]];
        for (int c = 0; c < n; c++)
            for (int k = begins[c]; k < begins[c + 1]; k++) w[c] -= l[k] * w[rows[k]];
        for (int c = 0; c < n; c++) w[c] /= d[c];
        for (int c = n - 1; c >= 0; c--)
            for (int k = begins[c + 1] - 1; k >= begins[c]; k--) w[rows[k]] -= l[k] * w[c];
        for (int c = 0; c < n; c++) x[order[c]] = w[c];
    }
}

#endif
