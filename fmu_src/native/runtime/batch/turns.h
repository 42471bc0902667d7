/* Sine and cosine of lanes.
 *
 *     x = q pi/2 + r + tail,  |r| <= pi/4:   pi/2 in three parts, of which q times the first two are exact for |q| < 2^20
 *     sin r = r + r^3 P(r^2),  cos r = 1 - r^2/2 + r^4 Q(r^2):   Chebyshev fits of six terms, errors 2e-17 and 1.3e-18
 *
 * The error is below 1 unit in the last place for |x| < FAR where the result is above 1e-9, and below 1e-25 elsewhere; beyond FAR, and for
 * what is not finite, the C library serves. Tested against long double (tests/batch/test_turns.py). */
#ifndef SPACEFMU_TURNS_H
#define SPACEFMU_TURNS_H

#define FAR 1.6e6

typedef struct {
    real sine, cosine; /* of r */
    Mask quarter;      /* q */
} Turn;

WITH_LANES Turn turn_of(real x) {
    const double round = 6755399441055744.0; /* 1.5 * 2^52: what is added to it is rounded to an integer */
    real shifted = x * 0.6366197723675814 + round, q = shifted - round;
    real rest = x - q * 1.5707963267341256, moved = q * 6.077100506303966e-11, r0 = rest - moved;
    real small = q * 2.0222662487959506e-21 - ((rest - r0) - moved), r = r0 - small, tail = (r0 - r) - small;
    real z = r * r, half = 0.5 * z, w = 1.0 - half;
    real p = NUMBER(1.591810123027412e-10), s = NUMBER(-1.1382614868556325e-11);
    p = p * z - 2.5051131455427946e-08, s = s * z + 2.0876146024689747e-09;
    p = p * z + 2.755731610068303e-06, s = s * z - 2.7557317270560326e-07;
    p = p * z - 0.0001984126983675497, s = s * z + 2.4801587298763433e-05;
    p = p * z + 0.008333333333330946, s = s * z - 0.0013888888888887395;
    p = p * z - 0.16666666666666666, s = s * z + 0.041666666666666664;
    Turn turn;
    turn.sine = r + (r * z * p + tail * w);
    turn.cosine = w + (((1.0 - w) - half) + (z * z * s - r * tail));
    turn.quarter = (Mask)shifted;
    return turn;
}

/* More than a quarter turn from where it began, by `quarter`: sine and cosine change places, and their signs. */
WITH_LANES real of_quarter(real even, real odd, Mask quarter) {
    real value = choose((quarter & 1) != 0, odd, even);
    return (real)((Mask)value ^ ((quarter & 2) << 62));
}

WITH_LANES int any_far(real x) {
    Mask near = (Mask)(x < FAR) & (Mask)(x > -FAR);
    long long all = -1;
    for (int i = 0; i < LANES; i++) all &= near[i];
    return !all;
}

WITH_LANES real sine(real x) {
    Turn turn = turn_of(x);
    real value = of_quarter(turn.sine, turn.cosine, turn.quarter);
    return __builtin_expect(any_far(x), 0) ? sin_lanes(x) : value;
}

WITH_LANES real cosine(real x) {
    Turn turn = turn_of(x);
    real value = of_quarter(turn.sine, turn.cosine, turn.quarter + 1);
    return __builtin_expect(any_far(x), 0) ? cos_lanes(x) : value;
}

#endif
