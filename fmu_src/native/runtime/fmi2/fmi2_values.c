/* FMI 2.0: getting and setting variables (section 2.1.7). */
#include <math.h>
#include <string.h>

#include "instance.h"

enum { REALS = 1 << KIND_REAL, INTEGERS = 1 << KIND_INTEGER | 1 << KIND_ENUMERATION, BOOLEANS = 1 << KIND_BOOLEAN };

static const char *const kind_names[] = {"real", "integer", "boolean", "enumeration"};

/* The variable of a value reference, if it is of one of the kinds; else the call is refused and the result NULL. */
static const Variable *find(Instance *instance, Call call, fmi2ValueReference reference, unsigned kinds) {
    if (reference >= (fmi2ValueReference)model.n_variables) {
        refuse(instance, fmi2Error, "%s: value reference %u is unknown, expected 0 to %d", call_name(call), reference,
               model.n_variables - 1);
        return NULL;
    }
    const Variable *variable = &model.variables[reference];
    if (kinds & 1u << variable->kind) return variable;
    refuse(instance, fmi2Error, "%s: %s is of type %s", call_name(call), variable->name, kind_names[variable->kind]);
    return NULL;
}

/* An array handed over by the host, of any of FMI's three numeric types. */
typedef struct {
    unsigned kinds;
    const fmi2Real *reals;
    const fmi2Integer *integers; /* fmi2Boolean is the same C type */
} Values;

static double value_at(Values values, size_t i) {
    return values.kinds == REALS ? values.reals[i] : (double)values.integers[i];
}

static fmi2Status missing(Instance *instance, Call call, const char *what) {
    return refuse(instance, fmi2Error, "%s: %s is NULL", call_name(call), what);
}

/* Evaluates what the variables need, once for all of them. */
static fmi2Status prepare(Instance *instance, Call call, const fmi2ValueReference references[], size_t count,
                          unsigned kinds) {
    unsigned wanted = 0;
    for (size_t i = 0; i < count; i++) {
        const Variable *variable = find(instance, call, references[i], kinds);
        if (!variable) return fmi2Error;
        if (variable->group == GROUP_DERIVATIVE) wanted |= WANT_RATES;
        if (variable->group == GROUP_OUTPUT) wanted |= WANT_OUTPUTS;
    }
    Simulation *s = &instance->s;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || (wanted && evaluate_motion(&s->e, present(s), wanted));
    quiet_end(&host);
    return failed ? refuse(instance, fmi2Discard, "%s: %s", call_name(call), s->e.reason) : fmi2OK;
}

static int between_events(const Instance *instance) {
    const int starting_or_event = MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_EVENT;
    return instance->s.now->exchange != 0.0 && !(mode_of(instance) & starting_or_event);
}

static fmi2Status get(fmi2Component c, Call call, unsigned kinds, const fmi2ValueReference references[], size_t count,
                      fmi2Real *reals, fmi2Integer *integers) {
    Instance *instance = admit(c, call);
    if (!instance) return fmi2Error;
    if (count == 0) return fmi2OK;
    if (!references || (!reals && !integers)) return missing(instance, call, references ? "value" : "vr");
    fmi2Status status = prepare(instance, call, references, count, kinds);
    for (size_t i = 0; i < count && status == fmi2OK; i++) {
        const Variable *variable = &model.variables[references[i]];
        double value = variable->group == GROUP_OUTPUT
                           ? output_of(&instance->s, variable, between_events(instance))
                           : values_of(&instance->s, variable->group)[variable->index];
        if (reals) reals[i] = value;
        else integers[i] = (fmi2Integer)value;
    }
    return status;
}

/* Who may be set when (FMI 2.0.4, tables of sections 3.2.3 and 4.2.4). */
static const struct {
    Group group;
    int modes, only_tunable_in, only_continuous_in;
} settable[] = {
    {GROUP_STATE, MODE_INSTANTIATED | MODE_INITIALIZATION, 0, 0},
    {GROUP_DISCRETE, MODE_INSTANTIATED | MODE_INITIALIZATION, 0, 0},
    {GROUP_INPUT, MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_EVENT | MODE_CONTINUOUS | MODE_STEP_COMPLETE, 0,
     MODE_CONTINUOUS},
    {GROUP_PARAMETER, MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_EVENT | MODE_STEP_COMPLETE,
     MODE_EVENT | MODE_STEP_COMPLETE, 0},
    {GROUP_SOLVER, MODE_INSTANTIATED | MODE_INITIALIZATION, 0, 0},
};

static int may_be_set(const Variable *variable, Mode mode) {
    if (variable->calculated) return 0;
    for (size_t i = 0; i < sizeof settable / sizeof *settable; i++) {
        if (settable[i].group != variable->group || !(settable[i].modes & mode)) continue;
        return (variable->tunable || !(settable[i].only_tunable_in & mode)) &&
               (!variable->discrete || !(settable[i].only_continuous_in & mode));
    }
    return 0;
}

/* Everything about one value that can be wrong. */
static fmi2Status inspect(Instance *instance, Call call, const Variable *variable, double value) {
    int bounded =
        variable->group == GROUP_PARAMETER || variable->group == GROUP_SOLVER || variable->kind == KIND_ENUMERATION;
    if (variable->group == GROUP_PARAMETER && variable->calculated)
        return refuse(instance, fmi2Error, "%s: %s is a constant of this FMU, which was built with it as a number",
                      call_name(call), variable->name);
    if (!may_be_set(variable, mode_of(instance)))
        return refuse(instance, fmi2Error, "%s: %s can't be set in state '%s'", call_name(call), variable->name,
                      mode_name(mode_of(instance)));
    if (!isfinite(value))
        return refuse(instance, fmi2Error, "%s: %s = %g, expected a finite number", call_name(call), variable->name,
                      value);
    if (bounded && !(value >= variable->min && value <= variable->max))
        return refuse(instance, fmi2Discard, "%s: %s = %g, expected a value from %g to %g", call_name(call),
                      variable->name, value, variable->min, variable->max);
    return fmi2OK;
}

/* Takes the energy of each spacecraft at the present off its work (sign -1, before its parameters change) or adds it (1, after). */
static int book(Instance *instance, double sign) {
    Simulation *s = &instance->s;
    if (!model.n_booked) return 0;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || evaluate_motion(&s->e, present(s), WANT_OUTPUTS);
    quiet_end(&host);
    for (int i = 0; i < model.n_booked && !failed; i++) {
        const Booked *row = &model.booked[i];
        s->x[row->work] += sign * (s->e.y[row->kinetic] + s->e.y[row->potential]);
    }
    s->now->moved = 1.0; /* a state has: hosts of a model exchange are told */
    return failed ? -1 : 0;
}

/* Parameters changed during the run: refused altogether if they break a law, or nothing can be computed with them. */
static fmi2Status retune(Instance *instance, Call call) {
    Simulation *s = &instance->s;
    Quiet host;
    quiet_begin(&host);
    int law = broken_law(&s->e, s->p);
    quiet_end(&host);
    s->e.derived = 0;
    if (law < 0 && !book(instance, 1.0)) return fmi2OK;
    const char *why = law >= 0 ? model.laws[law] : s->e.reason;
    bring_back(instance);
    return refuse(instance, fmi2Discard, "%s: refused, %s", call_name(call), why);
}

/* All or nothing: values are written only when every one of them is legal. */
static fmi2Status set(fmi2Component c, Call call, const fmi2ValueReference references[], size_t count, Values values) {
    Instance *instance = admit(c, call);
    if (!instance) return fmi2Error;
    if (count == 0) return fmi2OK;
    if (!references || (!values.reals && !values.integers)) return missing(instance, call, references ? "value" : "vr");
    int parameters = 0;
    for (size_t i = 0; i < count; i++) {
        const Variable *variable = find(instance, call, references[i], values.kinds);
        fmi2Status status = variable ? inspect(instance, call, variable, value_at(values, i)) : fmi2Error;
        if (status != fmi2OK) return status;
        parameters |= variable->group == GROUP_PARAMETER;
    }
    Simulation *s = &instance->s;
    int starting = mode_of(instance) == MODE_INSTANTIATED || mode_of(instance) == MODE_INITIALIZATION;
    if (parameters && !starting) {
        keep(instance);
        if (book(instance, -1.0)) {
            bring_back(instance);
            return refuse(instance, fmi2Discard, "%s: %s", call_name(call), s->e.reason);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const Variable *variable = &model.variables[references[i]];
        double *to = start_values_of(s, variable->group) + variable->index;
        double value = variable->kind == KIND_BOOLEAN ? value_at(values, i) != 0.0 : value_at(values, i);
        if (memcmp(to, &value, sizeof value)) s->now->disturbed = 1.0;
        *to = value;
    }
    if (starting) s->now->initialized = 0.0, s->e.derived &= !parameters;
    return parameters && !starting ? retune(instance, call) : fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]) {
    return get(c, GET_REAL, REALS, vr, nvr, value, NULL);
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[]) {
    return get(c, GET_INTEGER, INTEGERS, vr, nvr, NULL, value);
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[]) {
    return get(c, GET_BOOLEAN, BOOLEANS, vr, nvr, NULL, value);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]) {
    return set(c, SET_REAL, vr, nvr, (Values){REALS, value, NULL});
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer value[]) {
    return set(c, SET_INTEGER, vr, nvr, (Values){INTEGERS, NULL, value});
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Boolean value[]) {
    return set(c, SET_BOOLEAN, vr, nvr, (Values){BOOLEANS, NULL, value});
}

/* No model has string variables: every reference is of another type. */
static fmi2Status no_strings(fmi2Component c, Call call, const fmi2ValueReference vr[], size_t count) {
    Instance *instance = admit(c, call);
    if (!instance) return fmi2Error;
    if (count == 0) return fmi2OK;
    if (!vr) return missing(instance, call, "vr");
    find(instance, call, vr[0], 0);
    return fmi2Error;
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[]) {
    (void)value;
    return no_strings(c, GET_STRING, vr, nvr);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[]) {
    (void)value;
    return no_strings(c, SET_STRING, vr, nvr);
}
