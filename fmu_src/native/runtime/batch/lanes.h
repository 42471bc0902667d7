/* The number of generated equations that compute LANES runs at once: a vector of doubles, and the operations of scalar.h on it.
 *
 * GCC's and clang's vector extensions: AVX-512 takes 8 doubles per instruction, AVX2 takes 4, other processors fewer, by the same text.
 * A truth is 1.0 or 0.0, as in scalar.h; a Mask has all bits of a lane, or none. */
#ifndef SPACEFMU_LANES_H
#define SPACEFMU_LANES_H

#include <math.h>

#ifndef LANES
#define LANES 4
#endif

typedef double real __attribute__((vector_size(8 * LANES)));
typedef long long Mask __attribute__((vector_size(8 * LANES)));

/* The same number in all lanes; -0.0 stays. */
#define NUMBER(x) ((double)(x) - (real){0})
#if LANES == 8
#define ENTRY(x) {x, x, x, x, x, x, x, x}
#elif LANES == 4
#define ENTRY(x) {x, x, x, x}
#else
#define ENTRY(x) {x, x}
#endif

#define WITH_LANES static inline __attribute__((always_inline))

WITH_LANES real choose(Mask where, real x, real y) { return (real)((where & (Mask)x) | (~where & (Mask)y)); }
WITH_LANES Mask truth(real x) { return (Mask)(x != 0.0); }
WITH_LANES real as_number(Mask where) { return (real)(where & (Mask)NUMBER(1.0)); }
WITH_LANES real sign_of(real x) {
    return choose((Mask)(x < 0.0), NUMBER(-1.0), choose((Mask)(x > 0.0), NUMBER(1.0), x));
}

/* What generated equations write, in the place of scalar.h: of these names, so only where they are. */
#ifdef SPACEFMU_LANES
#define SPACEFMU_SCALAR_H

#define SQUARE(x)   ((x) * (x))
#define TWICE(x)    (2.0 * (x))
#define INVERSE(x)  (1.0 / (x))
#define LESS(x, y)  as_number((Mask)((x) < (y)))
#define AT_MOST(x, y) as_number((Mask)((x) <= (y)))
#define EQUAL(x, y) as_number((Mask)((x) == (y)))
#define DIFFERENT(x, y) as_number((Mask)((x) != (y)))
#define NOT(x)      as_number(~truth(x))
#define BOTH_OF(x, y) as_number(truth(x) & truth(y))
#define ANY_OF(x, y) as_number(truth(x) | truth(y))
#define WHERE(condition, x) ((real)(truth(condition) & (Mask)(x)))
#define SIGN(x)     sign_of(x)
#define PICK(table, index) picked(table, index)

/* Each lane has an index of its own. */
WITH_LANES real picked(const real *table, real index) {
    real result;
    for (int i = 0; i < LANES; i++) result[i] = table[(int)index[i]][i];
    return result;
}

/* Lane by lane: what has an instruction for vectors becomes it, the rest calls the C library. */
#define BY_LANES_1(name)                                        \
    WITH_LANES real name##_lanes(real x) {                      \
        real result;                                            \
        for (int i = 0; i < LANES; i++) result[i] = name(x[i]); \
        return result;                                          \
    }
#define BY_LANES_2(name)                                              \
    WITH_LANES real name##_lanes(real x, real y) {                    \
        real result;                                                  \
        for (int i = 0; i < LANES; i++) result[i] = name(x[i], y[i]); \
        return result;                                                \
    }

BY_LANES_1(sin) BY_LANES_1(cos) BY_LANES_1(exp) BY_LANES_1(log) BY_LANES_1(tan) BY_LANES_1(asin) BY_LANES_1(acos)
BY_LANES_1(atan) BY_LANES_1(sinh) BY_LANES_1(cosh) BY_LANES_1(tanh) BY_LANES_1(asinh) BY_LANES_1(acosh) BY_LANES_1(atanh)
BY_LANES_1(log1p) BY_LANES_1(expm1)
BY_LANES_2(pow) BY_LANES_2(atan2) BY_LANES_2(fmod) BY_LANES_2(hypot)

#if defined(__clang__)
#define sqrt(x) __builtin_elementwise_sqrt(x)
#define floor(x) __builtin_elementwise_floor(x)
#define ceil(x) __builtin_elementwise_ceil(x)
#define fmin(x, y) __builtin_elementwise_min(x, y)
#define fmax(x, y) __builtin_elementwise_max(x, y)
#else
BY_LANES_1(sqrt) BY_LANES_1(floor) BY_LANES_1(ceil) BY_LANES_2(fmin) BY_LANES_2(fmax)
#define sqrt(x) sqrt_lanes(x)
#define floor(x) floor_lanes(x)
#define ceil(x) ceil_lanes(x)
#define fmin(x, y) fmin_lanes(x, y)
#define fmax(x, y) fmax_lanes(x, y)
#endif

WITH_LANES real fabs_lanes(real x) { return (real)((Mask)x & ~(Mask)NUMBER(-0.0)); }
WITH_LANES real copysign_lanes(real x, real y) {
    return (real)(((Mask)x & ~(Mask)NUMBER(-0.0)) | ((Mask)y & (Mask)NUMBER(-0.0)));
}

#include "turns.h" /* sine and cosine */

#define sin(x) sine(x)
#define cos(x) cosine(x)
#define exp(x) exp_lanes(x)
#define log(x) log_lanes(x)
#define tan(x) tan_lanes(x)
#define asin(x) asin_lanes(x)
#define acos(x) acos_lanes(x)
#define atan(x) atan_lanes(x)
#define sinh(x) sinh_lanes(x)
#define cosh(x) cosh_lanes(x)
#define tanh(x) tanh_lanes(x)
#define asinh(x) asinh_lanes(x)
#define acosh(x) acosh_lanes(x)
#define atanh(x) atanh_lanes(x)
#define log1p(x) log1p_lanes(x)
#define expm1(x) expm1_lanes(x)
#define fabs(x) fabs_lanes(x)
#define pow(x, y) pow_lanes(x, y)
#define atan2(x, y) atan2_lanes(x, y)
#define fmod(x, y) fmod_lanes(x, y)
#define hypot(x, y) hypot_lanes(x, y)
#define copysign(x, y) copysign_lanes(x, y)

#endif
#endif
