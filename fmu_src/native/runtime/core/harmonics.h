/* First and second derivatives of a potential by spherical harmonics (dynamics/environment/harmonics.py), and how they change along a motion.
 *
 * With V' = (n - m)! V of the functions without a norm (Montenbruck, Gill, Satellite Orbits, (3.29) to (3.33)), complex T = V' + i W' = A E:
 *
 *     E_0 = a/r,   E_m = (2m - 1) (x + i y) (a/r^2) E_(m-1)
 *     A_mm = 1,    A_nm = (2n - 1) (a z/r^2) A_(n-1)m - ((n - 1)^2 - m^2) (a/r)^2 A_(n-2)m
 *     a (dx + i dy) T_nm = -T_(n+1)(m+1),   a (dx - i dy) T_nm = T_(n+1)(m-1),   a dz T_nm = -T_(n+1)m,   T_n(-m) = (-1)^m T_nm*
 *
 * so that derivatives need no factors: sums of C - i S times T of other degrees and orders, over n first (of A), then over m (of E).
 *
 * table: of each block of FOUR orders, of each degree from its first order on, FOUR C' and FOUR S' (harmonics.py: for_c). */
#ifndef SPACEFMU_HARMONICS_H
#define SPACEFMU_HARMONICS_H

#include "scalar.h"
#include "wide.h"

#define FOUR 4
#define WIDTH(order) ((order) + 2 + 2 + FOUR) /* of a row of A: two orders below 0, which are those above it, and what blocks reach */
#define LONG_E(order) ((order) + 2 + FOUR)     /* of a part of E: the same, zero above `order` */

typedef struct {
    real *A, *E; /* rows from degree 0 on, width each; real parts, then imaginary ones, from order -2 on */
} Recursed;

/* A and E at R; moving: their changes along dR instead, of which `at` has the values. */
WITHIN void harmonic_recursion(const int moving, int degree, int order, double radius, const real *R, const real *dR,
                               Recursed at, Recursed to) {
    const real over = NUMBER(radius) / (R[0] * R[0] + R[1] * R[1] + R[2] * R[2]);
    const real x = R[0] * over, y = R[1] * over, z = R[2] * over, s = NUMBER(radius) * over;
    real dx = x, dy = y, dz = z, ds = s;
    if (moving) {
        const real d = NUMBER(-2.0 / radius) * (x * dR[0] + y * dR[1] + z * dR[2]);
        dx = dR[0] * over + x * d, dy = dR[1] * over + y * d, dz = dR[2] * over + z * d, ds = s * d;
    }
    const int width = WIDTH(order);
    for (int i = 0; i < (degree + 1) * width; i++) to.A[i] = NUMBER(0.0);
    if (!moving) to.A[2] = NUMBER(1.0);
    for (int n = 1; n <= degree; n++) {
        real *restrict row = to.A + n * width + 2;
        const real *before = to.A + (n - 1) * width + 2, *last = before - (n > 1 ? width : 0);
        const real *before_at = at.A + (n - 1) * width + 2, *last_at = before_at - (n > 1 ? width : 0);
        const int top = n <= order ? n : order + 1;
        const real f = NUMBER(2.0 * n - 1.0);
        for (int m = 0; m < top; m++) {
            const real g = NUMBER((double)((n - 1) * (n - 1) - m * m));
            row[m] = f * (z * before[m]) - g * (s * last[m]);
            if (moving) row[m] += f * (dz * before_at[m]) - g * (ds * last_at[m]);
        }
        if (n <= order && !moving) row[n] = NUMBER(1.0);
        row[-1] = row[1], row[-2] = row[2];
    }
    real *c = to.E + 2, *i = c + LONG_E(order);
    const real *c_at = at.E + 2, *i_at = c_at + LONG_E(order);
    c[0] = sqrt(s), i[0] = NUMBER(0.0);
    if (moving) c[0] = NUMBER(0.5) * ds / c[0];
    for (int m = 1; m <= order; m++) {
        const real f = NUMBER(2.0 * m - 1.0);
        c[m] = f * (x * c[m - 1] - y * i[m - 1]), i[m] = f * (x * i[m - 1] + y * c[m - 1]);
        if (moving) c[m] += f * (dx * c_at[m - 1] - dy * i_at[m - 1]), i[m] += f * (dx * i_at[m - 1] + dy * c_at[m - 1]);
    }
    for (int m = order + 1; m < order + FOUR; m++) c[m] = i[m] = NUMBER(0.0);
    c[-1] = -c[1], i[-1] = i[1], c[-2] = c[2], i[-2] = -i[2];
}

/* to[l] += x[l] y[l] of FOUR numbers: one operation where compilers have vectors, which the flags of FMUs' equations do not let them find. */
#if (defined(__clang__) || defined(__GNUC__)) && !defined(LANES)
typedef double harmonic_four __attribute__((vector_size(8 * FOUR), aligned(8), may_alias));
#define AS_FOUR(p) (*(harmonic_four *)(p))
#define FOURS(to, x, y, sign, number) (AS_FOUR(to) = AS_FOUR(to) sign (*(const harmonic_four *)(x) * *(const harmonic_four *)(y)))
#else
#define FOURS(to, x, y, sign, number) \
    do { \
        for (int l = 0; l < FOUR; l++) (to)[l] = (to)[l] sign (number((x)[l]) * (y)[l]); \
    } while (0)
#endif
#define SAME(x) (x)

/* F_j of one step of the degree, j from -reach to reach, real part and imaginary one each: sums of (C' - i S') A E. */
WITHIN void harmonic_sums(const int reach, int degree, int order, const double *table, int width, const real *A, const real *c,
                          const real *e, real *restrict F) {
    real re[5][FOUR], im[5][FOUR];
    for (int j = 0; j < 5; j++)
        for (int l = 0; l < FOUR; l++) re[j][l] = im[j][l] = NUMBER(0.0);
    for (int block = 0; block <= order; block += FOUR) {
        real a[5][FOUR], b[5][FOUR];
        for (int j = 0; j < 5; j++)
            for (int l = 0; l < FOUR; l++) a[j][l] = b[j][l] = NUMBER(0.0);
        for (int n = block; n <= degree; n++, table += 2 * FOUR) {
            const real *row = A + (n + reach) * width + 2 + block - reach;
            for (int j = 0; j <= 2 * reach; j++) {
                FOURS(a[j], table, row + j, +, NUMBER);
                FOURS(b[j], table + FOUR, row + j, +, NUMBER);
            }
        }
        for (int j = 0; j <= 2 * reach; j++) {
            const int m = block + j - reach;
            FOURS(re[j], a[j], c + m, +, SAME);
            FOURS(re[j], b[j], e + m, +, SAME);
            FOURS(im[j], a[j], e + m, +, SAME);
            FOURS(im[j], b[j], c + m, -, SAME);
        }
    }
    for (int j = 0; j <= 2 * reach; j++) {
        F[2 * j] = (re[j][0] + re[j][1]) + (re[j][2] + re[j][3]);
        F[2 * j + 1] = (im[j][0] + im[j][1]) + (im[j][2] + im[j][3]);
    }
}

/* d/dx, d/dy, d/dz by a, and with `second` d2/dx2, dxdy, dxdz, dy2, dydz by a^2, += what A and E give. */
WITHIN void harmonic_derivatives(const int second, int degree, int order, const double *table, Recursed A, Recursed E, real *restrict to) {
    const int top = order + 1 + second, width = WIDTH(top);
    const real *c = E.E + 2, *e = c + LONG_E(top);
    real F[10];
    harmonic_sums(1, degree, order, table, width, A.A, c, e, F);
    to[0] += NUMBER(0.5) * (F[0] - F[4]);
    to[1] -= NUMBER(0.5) * (F[1] + F[5]);
    to[2] -= F[2];
    if (!second) return;
    harmonic_sums(2, degree, order, table, width, A.A, c, e, F);
    to[3] += NUMBER(0.25) * (F[8] + F[0]) - NUMBER(0.5) * F[4];
    to[4] += NUMBER(0.25) * (F[9] - F[1]);
    to[5] += NUMBER(0.5) * (F[6] - F[2]);
    to[6] -= NUMBER(0.25) * (F[8] + F[0]) + NUMBER(0.5) * F[4];
    to[7] += NUMBER(0.5) * (F[7] + F[3]);
}

#define KINDS(second) ((second) ? 8 : 3)

/* Derivatives of `sets` potentials, one behind the other, at R; moving: their change along dR. `size`: of the table of one. */
WITHIN void harmonic_field(const int moving, const int second, int degree, int order, int sets, int size, double radius,
                           const double *table, const real *R, const real *dR, real *restrict to, real *restrict w) {
    const int high = degree + 1 + second, top = order + 1 + second, one = (high + 1) * WIDTH(top);
    const Recursed at = {w, w + one}, change = {at.E + 2 * LONG_E(top), at.E + 2 * LONG_E(top) + one};
    harmonic_recursion(0, high, top, radius, R, dR, at, at);
    if (moving) harmonic_recursion(1, high, top, radius, R, dR, at, change);
    for (int i = 0; i < sets * KINDS(second); i++) to[i] = NUMBER(0.0);
    for (int i = 0; i < sets; i++, table += size, to += KINDS(second)) {
        harmonic_derivatives(second, degree, order, table, moving ? change : at, at, to);
        if (moving) harmonic_derivatives(second, degree, order, table, at, change, to);
    }
}

/* Gradient by R of the results weighted by y. */
WITHIN void harmonic_field_back(const int second, int degree, int order, int sets, int size, double radius, const double *table,
                                const real *R, const real *y, real *restrict to, real *restrict w) {
    const int count = sets * KINDS(second);
    for (int axis = 0; axis < 3; axis++) {
        const real along[3] = {NUMBER(axis == 0), NUMBER(axis == 1), NUMBER(axis == 2)};
        harmonic_field(1, second, degree, order, sets, size, radius, table, R, along, w, w + count);
        to[axis] = NUMBER(0.0);
        for (int i = 0; i < count; i++) to[axis] += y[i] * w[i];
    }
}

#endif
