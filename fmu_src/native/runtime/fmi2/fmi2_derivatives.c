/* FMI 2.0: directional derivatives (section 2.1.9), and derivatives in time of inputs and outputs (section 4.2.1). */
#include <math.h>
#include <string.h>

#include "instance.h"

#define BITS(group) (1u << (group))

/* The real variable of a value reference if its group is among `groups`, else the call is refused. Variables that
 * change at events only serve where discrete states do. */
static const Variable *real_of(Instance *instance, Call call, fmi2ValueReference reference, unsigned groups,
                               const char *role) {
    if (reference < (fmi2ValueReference)model.n_variables) {
        const Variable *variable = &model.variables[reference];
        int smooth = !variable->discrete || groups & BITS(GROUP_DISCRETE);
        if (groups & BITS(variable->group) && variable->kind == KIND_REAL && smooth) return variable;
    }
    refuse(instance, fmi2Error, "%s: value reference %u is not %s", call_name(call), reference, role);
    return NULL;
}

/* Legal pairs (FMI 2.0.4, section 2.1.9). */
typedef struct {
    unsigned known, unknown;
    const char *known_role, *unknown_role;
} Pairs;

static const Pairs running = {
    BITS(GROUP_STATE) | BITS(GROUP_INPUT),
    BITS(GROUP_STATE) | BITS(GROUP_DERIVATIVE) | BITS(GROUP_OUTPUT),
    "a continuous state or input",
    "a continuous state, derivative or output",
};
static const Pairs initial = {
    BITS(GROUP_STATE) | BITS(GROUP_INPUT) | BITS(GROUP_PARAMETER) | BITS(GROUP_DISCRETE),
    BITS(GROUP_STATE) | BITS(GROUP_DERIVATIVE) | BITS(GROUP_OUTPUT) | BITS(GROUP_DISCRETE),
    "a real start value, input or parameter",
    "a real state, derivative or output",
};

typedef struct {
    const fmi2ValueReference *unknown, *known;
    size_t n_unknown, n_known;
    const fmi2Real *seed;
    fmi2Real *result;
} Request;

static int finite_change(Instance *instance, const Variable *variable, double change) {
    if (isfinite(change)) return 0;
    return fail(&instance->s.e, "at time %.17g the derivative of %s is not finite", instance->s.now->time,
                variable->name);
}

/* The change of a variable when the seeds are dx, du and the results dx_dot, dy; others need not be finite. */
static int change_of(Instance *instance, const Variable *variable, double *change) {
    const double *group = variable->group == GROUP_STATE        ? instance->dx
                          : variable->group == GROUP_DERIVATIVE ? instance->dx_dot
                                                                : instance->dy;
    *change = group[variable->index];
    return finite_change(instance, variable, *change);
}

/* Exact: the derivative of the equations, through the solve. */
static int derive_running(Instance *instance, Request request) {
    Simulation *s = &instance->s;
    memset(instance->dx, 0, model.nx * sizeof(double));
    memset(instance->du, 0, model.nu * sizeof(double));
    for (size_t i = 0; i < request.n_known; i++) {
        const Variable *known = &model.variables[request.known[i]];
        (known->group == GROUP_STATE ? instance->dx : instance->du)[known->index] = request.seed[i];
    }
    if (make_ready(instance) ||
        evaluate_along(&s->e, present(s), 0.0, instance->dx, instance->du, instance->dx_dot, instance->dy))
        return -1;
    for (size_t i = 0; i < request.n_unknown; i++)
        if (change_of(instance, &model.variables[request.unknown[i]], &request.result[i])) return -1;
    return 0;
}

/* The unknowns when the knowns have moved by `share` times their seeds over the largest, through the assembly of the initial
 * state. */
static int initial_values(Instance *instance, Request request, double share, double largest) {
    Simulation *s = &instance->s;
    bring_back(instance);
    for (size_t i = 0; i < request.n_known; i++) {
        const Variable *known = &model.variables[request.known[i]];
        double *value = start_values_of(s, known->group) + known->index;
        *value += share * (request.seed[i] / largest);
        if (!isfinite(*value))
            return fail(&s->e, "%s is too large to be moved along its seed %g", known->name, request.seed[i]);
    }
    s->now->initialized = 0.0;
    return make_ready(instance) || evaluate_motion(&s->e, present(s), WANT_RATES | WANT_OUTPUTS) ? -1 : 0;
}

/* In initialization an unknown depends on start values and parameters through an iteration: central differences. */
static int derive_initial(Instance *instance, Request request) {
    const double share = 6e-6; /* third root of the round-off: the error is about its square */
    double largest = 0.0;
    for (size_t i = 0; i < request.n_known; i++) {
        const Variable *known = &model.variables[request.known[i]];
        double value = start_values_of(&instance->s, known->group)[known->index];
        largest = fmax(largest, fabs(request.seed[i]) / fmax(1.0, fabs(value)));
    }
    if (!(largest > 0.0)) largest = 1.0; /* no seed, or none that counts beside its value */
    keep(instance);
    int failed = 0;
    for (int sign = -1; sign <= 1 && !failed; sign += 2) {
        failed = initial_values(instance, request, sign * share, largest);
        for (size_t i = 0; i < request.n_unknown && !failed; i++) {
            const Variable *unknown = &model.variables[request.unknown[i]];
            double value = values_of(&instance->s, unknown->group)[unknown->index];
            request.result[i] = sign < 0 ? value : (value - request.result[i]) / (2.0 * share) * largest;
            if (sign > 0) failed = finite_change(instance, unknown, request.result[i]);
        }
    }
    bring_back(instance);
    return failed;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[], size_t nUnknown,
                                        const fmi2ValueReference vKnown_ref[], size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[]) {
    Instance *instance = admit(c, DIRECTIONAL_DERIVATIVE);
    if (!instance) return fmi2Error;
    if ((nUnknown && (!vUnknown_ref || !dvUnknown)) || (nKnown && (!vKnown_ref || !dvKnown)))
        return refuse(instance, fmi2Error, "fmi2GetDirectionalDerivative: an array is NULL");
    int starting = mode_of(instance) == MODE_INITIALIZATION;
    const Pairs *legal = starting ? &initial : &running;
    for (size_t i = 0; i < nKnown; i++) {
        const Variable *known =
            real_of(instance, DIRECTIONAL_DERIVATIVE, vKnown_ref[i], legal->known, legal->known_role);
        if (!known) return fmi2Error;
        if (!isfinite(dvKnown[i]))
            return refuse(instance, fmi2Error,
                          "fmi2GetDirectionalDerivative: the seed of %s is %g, expected a finite number", known->name,
                          dvKnown[i]);
    }
    for (size_t i = 0; i < nUnknown; i++)
        if (!real_of(instance, DIRECTIONAL_DERIVATIVE, vUnknown_ref[i], legal->unknown, legal->unknown_role))
            return fmi2Error;
    Request request = {vUnknown_ref, vKnown_ref, nUnknown, nKnown, dvKnown, dvUnknown};
    Quiet host;
    quiet_begin(&host);
    int failed = starting ? derive_initial(instance, request) : derive_running(instance, request);
    quiet_end(&host);
    if (failed) return refuse(instance, fmi2Error, "fmi2GetDirectionalDerivative: %s", instance->s.e.reason);
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[]) {
    Instance *instance = admit(c, SET_INPUT_DERIVATIVES);
    if (!instance) return fmi2Error;
    if (nvr && (!vr || !order || !value))
        return refuse(instance, fmi2Error, "fmi2SetRealInputDerivatives: an array is NULL");
    for (size_t i = 0; i < nvr; i++) {
        const Variable *input =
            real_of(instance, SET_INPUT_DERIVATIVES, vr[i], BITS(GROUP_INPUT), "a continuous input");
        if (!input) return fmi2Error;
        if (order[i] < 1 || order[i] > INPUT_ORDERS || !isfinite(value[i]))
            return refuse(instance, fmi2Error,
                          "fmi2SetRealInputDerivatives: order %d of %s is %g, expected a finite one of order 1 to %d",
                          order[i], input->name, value[i], INPUT_ORDERS);
    }
    Simulation *s = &instance->s;
    if (s->now->inputs_used != 0.0) { /* those of the last step are over */
        memset(s->u_derivatives, 0, (size_t)INPUT_ORDERS * model.nu * sizeof(double));
        s->now->inputs_used = s->now->input_order = 0.0;
    }
    for (size_t i = 0; i < nvr; i++) {
        s->u_derivatives[(order[i] - 1) * model.nu + model.variables[vr[i]].index] = value[i];
        s->now->input_order = fmax(s->now->input_order, order[i]);
    }
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[]) {
    Instance *instance = admit(c, GET_OUTPUT_DERIVATIVES);
    if (!instance) return fmi2Error;
    if (nvr && (!vr || !order || !value))
        return refuse(instance, fmi2Error, "fmi2GetRealOutputDerivatives: an array is NULL");
    Simulation *s = &instance->s;
    /* dy/dt = dy/dx x_dot + dy/du u_dot + dy/dt, with the inputs' slopes at the end of the last step */
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || evaluate_motion(&s->e, present(s), WANT_RATES);
    if (!failed) {
        memcpy(instance->dx, s->e.x_dot, model.nx * sizeof(double));
        input_slopes(s, s->now->time, instance->du);
        failed = evaluate_along(&s->e, present(s), 1.0, instance->dx, instance->du, instance->dx_dot, instance->dy);
    }
    quiet_end(&host);
    if (failed) return refuse(instance, fmi2Error, "fmi2GetRealOutputDerivatives: %s", s->e.reason);
    for (size_t i = 0; i < nvr; i++) {
        const Variable *output =
            real_of(instance, GET_OUTPUT_DERIVATIVES, vr[i], running.unknown, running.unknown_role);
        if (!output) return fmi2Error;
        if (order[i] != 1)
            return refuse(instance, fmi2Error, "fmi2GetRealOutputDerivatives: order %d of %s, expected 1", order[i],
                          output->name);
        if (change_of(instance, output, &value[i]))
            return refuse(instance, fmi2Error, "fmi2GetRealOutputDerivatives: %s", s->e.reason);
    }
    return fmi2OK;
}
