#include "derivatives.h"

#include <math.h>
#include <string.h>

#include "adjoint.h"
#include "log.h"

#define BITS(group) (1u << (group))

/* Does a variable belong to the legal ones of a role? Those that change at events only serve where discrete states do. */
static int has_role(const Variable *variable, unsigned groups) {
    int smooth = !variable->discrete || groups & BITS(GROUP_DISCRETE);
    return groups & BITS(variable->group) && variable->kind == KIND_REAL && smooth;
}

/* 0 if all variables may play a role, else the call is refused. */
static int misplaced(Instance *instance, const Call *call, Chosen chosen, unsigned groups, const char *role) {
    if (unknown_references(instance, call, chosen)) return 1;
    for (const Variable *variable; (variable = next_of(&chosen));) {
        if (has_role(variable, groups)) continue;
        refuse(instance, STATUS_ERROR, "%s: %s is not %s", call->name, variable->name, role);
        return 1;
    }
    return 0;
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
    Chosen unknown, known;
    const double *seed;
    double *result;
} Request;

static int finite_change(Instance *instance, const Variable *variable, double change) {
    if (isfinite(change)) return 0;
    return fail(&instance->s.e, "at time %.17g the derivative of %s is not finite; check inputs and parameters", instance->s.now->time,
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
    const Variable *variable;
    memset(instance->dx, 0, model.nx * sizeof(double));
    memset(instance->du, 0, model.nu * sizeof(double));
    for (size_t i = 0; (variable = next_of(&request.known)); i++)
        (variable->group == GROUP_STATE ? instance->dx : instance->du)[variable->index] = request.seed[i];
    if (make_ready(instance) ||
        evaluate_along(&s->e, present(s), 0.0, instance->dx, instance->du, instance->dx_dot, instance->dy))
        return -1;
    for (size_t i = 0; (variable = next_of(&request.unknown)); i++)
        if (change_of(instance, variable, &request.result[i])) return -1;
    return 0;
}

/* Seeds as they are moved by: over the largest of them, and then over the largest share of a value that one of them is. Two numbers,
 * since their product may be below the smallest that a double has. */
typedef struct {
    double seed, share;
} Scale;

static Scale scale_of(Instance *instance, Request request) {
    Scale scale = {0.0, 0.0};
    const Variable *known;
    Chosen each = request.known;
    for (size_t i = 0; (known = next_of(&each)); i++) scale.seed = fmax(scale.seed, fabs(request.seed[i]));
    if (!(scale.seed > 0.0)) return (Scale){1.0, 1.0};
    each = request.known;
    for (size_t i = 0; (known = next_of(&each)); i++) {
        double value = start_values_of(&instance->s, known->group)[known->index];
        scale.share = fmax(scale.share, fabs(request.seed[i]) / scale.seed / fmax(1.0, fabs(value)));
    }
    return scale;
}

/* The unknowns when the knowns have moved by `share` times their scaled seeds, through the assembly of the initial state. */
static int initial_values(Instance *instance, Request request, double share, Scale scale) {
    Simulation *s = &instance->s;
    const Variable *known;
    bring_back(instance);
    for (size_t i = 0; (known = next_of(&request.known)); i++) {
        double *value = start_values_of(s, known->group) + known->index;
        *value += share * (request.seed[i] / scale.seed / scale.share);
        if (!isfinite(*value))
            return fail(&s->e, "%s is too large to be moved along its seed of %g; use a smaller seed", known->name, request.seed[i]);
    }
    s->now->initialized = 0.0;
    return make_ready(instance) || evaluate_motion(&s->e, present(s), WANT_RATES | WANT_OUTPUTS) ? -1 : 0;
}

/* In initialization an unknown depends on start values and parameters through an iteration: central differences. */
static int derive_initial(Instance *instance, Request request) {
    const double share = 6e-6; /* third root of the round-off: the error is about its square */
    const Scale scale = scale_of(instance, request);
    const Variable *variable;
    keep(instance, SPAN_ALL);
    int failed = 0;
    for (int sign = -1; sign <= 1 && !failed; sign += 2) {
        failed = initial_values(instance, request, sign * share, scale);
        Chosen each = request.unknown;
        for (size_t i = 0; !failed && (variable = next_of(&each)); i++) {
            double value = values_of(&instance->s, variable->group)[variable->index];
            request.result[i] = sign < 0 ? value : (value - request.result[i]) / (2.0 * share) * scale.share * scale.seed;
            if (sign > 0) failed = finite_change(instance, variable, request.result[i]);
        }
    }
    bring_back(instance);
    return failed;
}

/* The instance if the variables have their roles and the seeds, those of `seeded`, are finite; else NULL. */
static Instance *admit_request(void *named, const Call *call, Request request, Chosen seeded, Chosen sought) {
    Instance *instance = admit(named, call);
    if (!instance) return NULL;
    if ((sought.count && !request.result) || (seeded.count && !request.seed)) {
        refuse(instance, STATUS_ERROR, "%s: the array of values, seeds or orders is NULL", call->name);
        return NULL;
    }
    const Pairs *legal = mode_of(instance) == MODE_INITIALIZATION ? &initial : &running;
    if (misplaced(instance, call, request.known, legal->known, legal->known_role)) return NULL;
    if (misplaced(instance, call, request.unknown, legal->unknown, legal->unknown_role)) return NULL;
    const Variable *variable;
    for (size_t i = 0; (variable = next_of(&seeded)); i++) {
        if (isfinite(request.seed[i])) continue;
        refuse(instance, STATUS_ERROR, "%s: the seed of %s is %g, expected a finite number", call->name,
               variable->name, request.seed[i]);
        return NULL;
    }
    return instance;
}

static int derive(Instance *instance, Request request) {
    return mode_of(instance) == MODE_INITIALIZATION ? derive_initial(instance, request) : derive_running(instance, request);
}

Status directional_derivative(void *named, const Call *call, Chosen unknown, Chosen known, const double *seed,
                              double *result) {
    Request request = {unknown, known, seed, result};
    Instance *instance = admit_request(named, call, request, known, unknown);
    if (!instance) return STATUS_ERROR;
    Quiet host;
    quiet_begin(&host);
    int failed = derive(instance, request);
    quiet_end(&host);
    return failed ? refuse(instance, STATUS_ERROR, "%s: %s", call->name, instance->s.e.reason) : STATUS_OK;
}

/* In reverse mode. 0, or -1 where a result is not finite, as where a weight of zero meets an unknown without a derivative. */
static int derive_backward(Instance *instance, Request request, double *work) {
    Simulation *s = &instance->s;
    double *wx_dot = instance->dx_dot, *wy = instance->dy, *bx = instance->dx, *bu = instance->du;
    const Variable *variable;
    memset(wx_dot, 0, model.nx * sizeof(double));
    memset(wy, 0, model.ny * sizeof(double));
    Chosen each = request.unknown;
    for (size_t i = 0; (variable = next_of(&each)); i++) {
        if (variable->group == GROUP_DERIVATIVE) wx_dot[variable->index] += request.seed[i];
        else if (variable->group == GROUP_OUTPUT) wy[variable->index] += request.seed[i];
    }
    if (make_ready(instance) || evaluate_back(&s->e, present(s), wx_dot, wy, bx, bu, work)) return -1;
    each = request.unknown; /* a state is one to one with itself */
    for (size_t i = 0; (variable = next_of(&each)); i++)
        if (variable->group == GROUP_STATE) bx[variable->index] += request.seed[i];
    for (size_t i = 0; (variable = next_of(&request.known)); i++) {
        request.result[i] = (variable->group == GROUP_STATE ? bx : bu)[variable->index];
        if (!isfinite(request.result[i])) return -1;
    }
    return 0;
}

/* One directional derivative per known. */
static int add_columns(Instance *instance, Request request, size_t n_known, size_t n_unknown, double *work) {
    double *along = work, *column = work + n_known;
    const double *weight = request.seed;
    Chosen each = request.known;
    memset(along, 0, n_known * sizeof(double));
    for (size_t j = 0; j < n_known; j++) {
        along[j] = 1.0;
        if (derive(instance, (Request){request.unknown, request.known, along, column})) return -1;
        along[j] = request.result[j] = 0.0;
        for (size_t i = 0; i < n_unknown; i++) request.result[j] += weight[i] * column[i];
        if (finite_change(instance, next_of(&each), request.result[j])) return -1;
    }
    return 0;
}

Status adjoint_derivative(void *named, const Call *call, Chosen unknown, Chosen known, const double *seed,
                          double *result) {
    Request request = {unknown, known, seed, result};
    Instance *instance = admit_request(named, call, request, unknown, known);
    if (!instance) return STATUS_ERROR;
    size_t n_known = length_of(known), n_unknown = length_of(unknown), needed = n_known + n_unknown + model.nx + model.nu;
    double *work = host_allocate(&instance->host, (needed + 1) * sizeof(double));
    if (!work) return refuse(instance, STATUS_ERROR, "%s: memory allocation failed", call->name);
    Quiet host;
    quiet_begin(&host);
    int backward = model.back && mode_of(instance) != MODE_INITIALIZATION && !derive_backward(instance, request, work);
    int failed = !backward && add_columns(instance, request, n_known, n_unknown, work);
    quiet_end(&host);
    host_free(&instance->host, work);
    return failed ? refuse(instance, STATUS_ERROR, "%s: %s", call->name, instance->s.e.reason) : STATUS_OK;
}

Status set_input_derivatives(void *named, const Call *call, Chosen inputs, const int *order, const double *value) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (inputs.count && (!order || !value))
        return refuse(instance, STATUS_ERROR, "%s: the array of values, seeds or orders is NULL", call->name);
    if (misplaced(instance, call, inputs, BITS(GROUP_INPUT), "a continuous input")) return STATUS_ERROR;
    Chosen each = inputs;
    const Variable *input;
    for (size_t i = 0; (input = next_of(&each)); i++)
        if (order[i] < 1 || order[i] > INPUT_ORDERS || !isfinite(value[i]))
            return refuse(instance, STATUS_ERROR, "%s: order %d of %s is %g, expected a finite value of order 1 to %d",
                          call->name, order[i], input->name, value[i], INPUT_ORDERS);
    Simulation *s = &instance->s;
    if (s->now->inputs_used != 0.0) { /* those of the last step are over */
        memset(s->u_derivatives, 0, (size_t)INPUT_ORDERS * model.nu * sizeof(double));
        s->now->inputs_used = s->now->input_order = 0.0;
    }
    for (size_t i = 0; (input = next_of(&inputs)); i++) {
        s->u_derivatives[(order[i] - 1) * model.nu + input->index] = value[i];
        s->now->input_order = fmax(s->now->input_order, order[i]);
    }
    return STATUS_OK;
}

/* dy/dt = dy/dx x_dot + dy/du u_dot + dy/dt, with the inputs' slopes at the end of the last step */
static int output_slopes(Instance *instance) {
    Simulation *s = &instance->s;
    if (make_ready(instance) || evaluate_motion(&s->e, present(s), WANT_RATES)) return -1;
    memcpy(instance->dx, s->e.x_dot, model.nx * sizeof(double));
    input_slopes(s, s->now->time, instance->du);
    return evaluate_along(&s->e, present(s), 1.0, instance->dx, instance->du, instance->dx_dot, instance->dy);
}

Status get_output_derivatives(void *named, const Call *call, Chosen outputs, const int *order, double *value) {
    Instance *instance = admit(named, call);
    if (!instance) return STATUS_ERROR;
    if (outputs.count && (!order || !value))
        return refuse(instance, STATUS_ERROR, "%s: the array of values, seeds or orders is NULL", call->name);
    if (misplaced(instance, call, outputs, running.unknown, running.unknown_role)) return STATUS_ERROR;
    Quiet host;
    quiet_begin(&host);
    int failed = output_slopes(instance);
    quiet_end(&host);
    if (failed) return refuse(instance, STATUS_ERROR, "%s: %s", call->name, instance->s.e.reason);
    const Variable *output;
    for (size_t i = 0; (output = next_of(&outputs)); i++) {
        int wanted = order[outputs.reached]; /* one per reference */
        if (wanted != 1)
            return refuse(instance, STATUS_ERROR, "%s: order %d of %s, expected 1: higher derivatives of outputs are not provided", call->name, wanted, output->name);
        if (change_of(instance, output, &value[i]))
            return refuse(instance, STATUS_ERROR, "%s: %s", call->name, instance->s.e.reason);
    }
    return STATUS_OK;
}
