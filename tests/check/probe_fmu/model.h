/* What varies, and how: equations, events, the solver of the co-simulation. */

enum { instantiated = 1, initializing = 2, at_event = 4, continuous = 8, stepping = 16, terminated = 32, in_error = 64 };
enum { TIME, X, V, DER_V, U, K, C, OMEGA, Y, SAMPLED, WALL, REALS };

typedef struct { /* everything that varies: saving, restoring and serializing are copies of it */
    double real[REALS], start, stop, next, tolerance, completed, slope, sloped_from; /* slope: of the input in this step */
    int count, mode, high, bounced, state, stop_defined, is_cs;
    char label[64];
} Values;

typedef struct {
    Values now, early;
    fmi2CallbackFunctions call;
    const fmi2CallbackFunctions *given;
    char name[64];
    const char *given_name;
    int logging, in_trouble, gets, broken;
    void *leaked;
} Instance;

static double damping(const Values *s) { return s->mode == 2 ? 2 * s->real[C] : s->real[C]; }

static void rates(const Values *s, double *dx) {
    const double *r = s->real;
    dx[0] = r[V];
    dx[1] = -r[K] * r[X] - damping(s) * r[V] + r[U] + s->slope * (r[TIME] - s->sloped_from);
    if (IS(me_differs) && !s->is_cs) dx[1] -= 0.05 * r[X];
}

static double indicator(const Values *s) {
    const double gap = IS(chatter) ? 0.0 : 1e-9;
    double z = s->real[X] - s->real[WALL] + (s->high ? gap : -gap);
    if (IS(indicator_zero) && s->bounced) return 0.0;
    return IS(indicator_tiny) ? 1e-9 * z : z;
}

static double output(const Values *s) { return s->real[X] + fmax(s->real[U], 0.0) / 2; }

static double value(Values *s, unsigned r) {
    double dx[2];
    rates(s, dx);
    switch (r) {
        case DER_V: return dx[1] + (IS(derivatives_disagree) || (IS(derivative_stale) && s->real[X] != 0.2) ? 0.01 : 0.0);
        case OMEGA: return sqrt(s->real[K]);
        case Y:
            if (IS(hidden_dependency)) return output(s) + 0.01 * s->real[V];
            if (IS(nan_output) && s->real[TIME] > 0.2) return NAN;
            if (IS(output_jumps) && s->real[TIME] > 0.25) return output(s) + 0.3;
            if (IS(sampled_early) && s->real[TIME] >= s->next) return output(s) + 0.3;
            if (IS(divides_by_zero)) return output(s) + atan(1.0 / (volatile double){0.0}) * 1e-30;
            return output(s);
        case SAMPLED: return IS(discrete_changes_between_events) ? s->real[X] : s->real[SAMPLED];
        default: return s->real[r];
    }
}

static void defaults(Values *s) {
    static const double start[REALS] = {0, 0.2, 1.0, 0, 0, 4.0, 0.1, 0, 0, 0, 0.45};
    memset(s, 0, sizeof *s);
    memcpy(s->real, start, sizeof start);
    if (IS(start_not_in_c)) s->real[K] = 5.0;
    if (IS(input_start_ignored)) s->real[U] = 0.5;
    s->mode = 1;
    strcpy(s->label, "probe");
    s->state = instantiated;
}

static void sample(Values *s) {
    s->real[SAMPLED] = s->real[X];
    s->next = s->start + ++s->count * 0.1;
}

/* One pass of event handling; whether the states jumped. */
static int event(Values *s) {
    int high = indicator(s) > 0, jumped = 0;
    if (IS(event_lost_at_zero) && !high && fabs(indicator(s)) < 1e-6) s->high = high = 1; /* takes a host that lands early for one that bounced */
    if (s->real[TIME] >= s->next - 1e-12) sample(s);
    if (high && !s->high) {
        s->real[V] *= -0.8;
        s->bounced = 1;
        jumped = 1;
    }
    s->high = high;
    return jumped;
}

/* Fourth-order Runge-Kutta over h from s to out. */
static void rk4(const Values *s, double h, Values *out) {
    double k1[2], k2[2], k3[2], k4[2];
    Values a = *s;
    rates(&a, k1);
    a.real[TIME] = s->real[TIME] + h / 2;
    for (int i = 0; i < 2; i++) a.real[X + i] = s->real[X + i] + h / 2 * k1[i];
    rates(&a, k2);
    for (int i = 0; i < 2; i++) a.real[X + i] = s->real[X + i] + h / 2 * k2[i];
    rates(&a, k3);
    a.real[TIME] = s->real[TIME] + h;
    for (int i = 0; i < 2; i++) a.real[X + i] = s->real[X + i] + h * k3[i];
    rates(&a, k4);
    *out = *s;
    for (int i = 0; i < 2; i++) out->real[X + i] = s->real[X + i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    if (IS(step_of_host)) for (int i = 0; i < 2; i++) out->real[X + i] += 10.0 * h * h * k1[i];
    if (IS(ignores_tolerance_in_step)) for (int i = 0; i < 2; i++) out->real[X + i] = s->real[X + i] + h * k1[i]; /* Euler */
    out->real[TIME] = s->real[TIME] + h;
}

#define STEP (IS(ignores_tolerance_in_step) ? 0.05 : IS(step_of_host) ? 1e9 : 1e-3)

static void advance(Values *s, double end) {
    for (long work = 0; s->real[TIME] < end && (work < 200000 || IS(endless_work)); work++) {
        if (s->real[TIME] >= s->next) event(s);
        double h = fmin(STEP, fmin(s->next, end) - s->real[TIME]), low = 0.0, high = h;
        Values to;
        rk4(s, h, &to);
        if ((indicator(&to) > 0) != (indicator(s) > 0)) { /* a bounce: halve until its instant is found */
            for (int i = 0; i < 60; i++) {
                double middle = (low + high) / 2;
                rk4(s, middle, &to);
                if ((indicator(&to) > 0) != (indicator(s) > 0)) high = middle; else low = middle;
            }
            rk4(s, high, &to);
            *s = to;
            event(s);
        } else {
            *s = to;
            if (fabs(end - s->real[TIME]) < 1e-12 * fmax(1.0, fabs(end))) s->real[TIME] = end;
            else if (fabs(s->next - s->real[TIME]) < 1e-12 * fmax(1.0, fabs(end))) s->real[TIME] = s->next;
        }
    }
}
