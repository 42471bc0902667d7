#include "values.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "intermediate.h"
#include "log.h"
#include "loop_events.h"

static const char *const kind_names[] = {"real", "integer", "boolean", "enumeration"};

static int n_references(void) { return model.references ? model.n_references : model.n_variables; }

/* The variables that a value reference names; none if it is unknown. */
static Reference named_by(unsigned reference) {
    if (reference >= (unsigned)n_references()) return (Reference){0, 0};
    return model.references ? model.references[reference] : (Reference){(int)reference, 1};
}

const Variable *next_of(Chosen *chosen) {
    while (chosen->reached < chosen->count) {
        Reference named = named_by(chosen->references[chosen->reached]);
        if (chosen->within < named.length) return &model.variables[named.first + chosen->within++];
        chosen->reached++;
        chosen->within = 0;
    }
    return NULL;
}

size_t length_of(Chosen chosen) {
    size_t length = 0;
    while (next_of(&chosen)) length++;
    return length;
}

int unknown_references(Instance *instance, const Call *call, Chosen chosen) {
    if (chosen.count && !chosen.references) {
        refuse(instance, STATUS_ERROR, "%s: the array of value references is NULL", call->name);
        return 1;
    }
    for (size_t i = 0; i < chosen.count; i++) {
        if (named_by(chosen.references[i]).length) continue;
        refuse(instance, STATUS_ERROR, "%s: value reference %u is unknown, expected 0 to %d", call->name,
               chosen.references[i], n_references() - 1);
        return 1;
    }
    for (size_t i = 0; i < chosen.count; i++) {
        if (named_between(instance, chosen.references[i])) continue;
        refuse(instance, STATUS_ERROR, "%s: %s was not among the required intermediate variables at instantiation", call->name,
               model.variables[named_by(chosen.references[i]).first].name);
        return 1;
    }
    return 0;
}

static double read_value(Values values, size_t i) {
    switch (values.type) { /* unreached: another type; the cases are all of them */
        case TYPE_DOUBLE: return ((const double *)values.given)[i];
        case TYPE_INT64: return (double)((const int64_t *)values.given)[i];
        case TYPE_BOOL: return ((const unsigned char *)values.given)[i] != 0; /* a byte of the host's: not always 0 or 1 */
        case TYPE_INT: break;
    }
    return ((const int *)values.given)[i];
}

static void write_value(Values values, size_t i, double value) {
    switch (values.type) { /* unreached: another type; the cases are all of them */
        case TYPE_DOUBLE: ((double *)values.wanted)[i] = value; break;
        case TYPE_INT64: ((int64_t *)values.wanted)[i] = (int64_t)value; break;
        case TYPE_BOOL: ((bool *)values.wanted)[i] = value != 0.0; break;
        case TYPE_INT: ((int *)values.wanted)[i] = (int)value; break;
    }
}

static Instance *refuse_kind(Instance *instance, const Call *call, const Variable *variable, unsigned kinds) {
    const char *kind = kind_names[variable->kind];
    const char *served = kinds & 1u << KIND_REAL ? ", not real" : kinds & 1u << KIND_BOOLEAN ? ", not boolean" : kinds ? ", not integer or enumeration" : "";
    refuse(instance, STATUS_ERROR, "%s: %s is of type %s%s", call->name, variable->name, kind, served);
    return NULL;
}

/* The instance if the call and its arguments can be served, else NULL: of the variables each is of one of the kinds. */
static Instance *admit_values(void *named, const Call *call, unsigned kinds, Chosen chosen, Values values) {
    Instance *instance = admit(named, call);
    if (!instance || (!chosen.count && !values.count)) return instance;
    if (unknown_references(instance, call, chosen)) return NULL;
    size_t expected = values.count ? length_of(chosen) : 0;
    if (values.count && *values.count != expected) {
        refuse(instance, STATUS_ERROR, "%s: %zu values, expected %zu", call->name, *values.count, expected);
        return NULL;
    }
    for (const Variable *variable; (variable = next_of(&chosen));) {
        if (kinds & 1u << variable->kind) continue;
        return refuse_kind(instance, call, variable, kinds);
    }
    if (values.given || values.wanted || !chosen.count) return instance;
    refuse(instance, STATUS_ERROR, "%s: the array of values is NULL", call->name);
    return NULL;
}

static int between_events(const Instance *instance) {
    const int starting_or_event = MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_EVENT;
    return kind_of(instance) == EXCHANGE && !(mode_of(instance) & starting_or_event);
}

/* As the host of a model exchange sees it; elsewhere change points are passed without the host, and their indicator rests. */
static int indicator_of(Instance *instance, int i, double *z) {
    Simulation *s = &instance->s;
    *z = i < model.ng ? s->e.g[i] + s->offset[i] : 1.0;
    if (i < model.ng || kind_of(instance) != EXCHANGE || !(mode_of(instance) & (MODE_EVENT | MODE_CONTINUOUS))) return 0;
    Quiet host;
    quiet_begin(&host);
    int failed = loop_indicator(s, z);
    quiet_end(&host);
    return failed;
}

/* Before initialization mode there are start values alone. */
static Status get_start_values(Instance *instance, const Call *call, Chosen chosen, Values values) {
    const unsigned started = 1u << GROUP_STATE | 1u << GROUP_DISCRETE, known = 1u << GROUP_INPUT | 1u << GROUP_PARAMETER | 1u << GROUP_SOLVER;
    const Variable *variable;
    for (size_t i = 0; (variable = next_of(&chosen)); i++) {
        unsigned group = 1u << variable->group;
        if (!(group & known) && (!(group & started) || variable->calculated))
            return refuse(instance, STATUS_ERROR, "%s: %s has no start value; enter initialization mode before you read it", call->name,
                          variable->name);
        write_value(values, i, start_values_of(&instance->s, variable->group)[variable->index]);
    }
    return STATUS_OK;
}

Status get_values(void *named, const Call *call, unsigned kinds, Chosen chosen, Values values) {
    Instance *instance = admit_values(named, call, kinds, chosen, values);
    if (!instance) return STATUS_ERROR;
    if (!chosen.count) return STATUS_OK;
    if (mode_of(instance) == MODE_INSTANTIATED) return get_start_values(instance, call, chosen, values);
    unsigned wanted = 0;
    const Variable *variable;
    for (Chosen each = chosen; (variable = next_of(&each));) {
        if (variable->group == GROUP_DERIVATIVE) wanted |= WANT_RATES;
        if (variable->group == GROUP_OUTPUT) wanted |= WANT_OUTPUTS;
        if (variable->group == GROUP_INDICATOR) wanted |= WANT_INDICATORS;
    }
    Simulation *s = &instance->s;
    if (present_motion(instance, wanted)) return refuse(instance, STATUS_DISCARD, "%s: %s", call->name, s->e.reason);
    size_t i = 0;
    for (Chosen each = chosen; (variable = next_of(&each));) {
        double value;
        if (variable->group == GROUP_OUTPUT) value = output_of(s, variable, between_events(instance));
        else if (variable->group != GROUP_INDICATOR) value = values_of(s, variable->group)[variable->index];
        else if (indicator_of(instance, variable->index, &value))
            return refuse(instance, STATUS_DISCARD, "%s: %s", call->name, s->e.reason);
        write_value(values, i++, value);
    }
    return STATUS_OK;
}

static Status refuse_to_set(Instance *instance, const Call *call, const Variable *variable) {
    char names[MODE_NAMES_LENGTH];
    int modes = modes_to_set(instance->rules, variable, kind_of(instance));
    return refuse(instance, STATUS_ERROR, "%s: %s can't be set in state '%s'; %s%s", call->name, variable->name, mode_name(mode_of(instance)),
                  modes ? "set it in " : "the FMU computes it", mode_names(modes, names));
}

/* Everything about one value that can be wrong. */
static Status inspect(Instance *instance, const Call *call, const Variable *variable, double value) {
    int bounded =
        variable->group == GROUP_PARAMETER || variable->group == GROUP_SOLVER || variable->kind == KIND_ENUMERATION;
    if (variable->group == GROUP_PARAMETER && variable->calculated)
        return refuse(instance, STATUS_ERROR, "%s: %s is a constant of this FMU; name it in [parameters] live and build again", call->name,
                      variable->name);
    if (!may_be_set(instance->rules, variable, kind_of(instance), mode_of(instance)))
        return refuse_to_set(instance, call, variable);
    if (!isfinite(value))
        return refuse(instance, STATUS_ERROR, "%s: %s = %g, expected a finite number", call->name, variable->name,
                      value);
    if (bounded && (!(value >= variable->min) || !(value <= variable->max)))
        return refuse(instance, STATUS_DISCARD, "%s: %s = %g, expected a value from %g to %g", call->name,
                      variable->name, value, variable->min, variable->max);
    return STATUS_OK;
}

/* Takes the energy of each spacecraft at the present off its work (sign -1, before its parameters change) or adds it (1, after). */
static int book(Instance *instance, double sign) {
    Simulation *s = &instance->s;
    if (!model.n_booked) return 0;
    int failed = present_motion(instance, WANT_OUTPUTS);
    for (int i = 0; i < model.n_booked && !failed; i++) {
        const Booked *row = &model.booked[i];
        s->x[row->work] += sign * (s->e.y[row->kinetic] + s->e.y[row->potential]);
    }
    s->now->moved = 1.0; /* a state has: hosts of a model exchange are told */
    return failed ? -1 : 0;
}

/* Parameters changed during the run: refused altogether if they break a law, or nothing can be computed with them. */
static Status retune(Instance *instance, const Call *call) {
    Simulation *s = &instance->s;
    Quiet host;
    quiet_begin(&host);
    int law = broken_law(&s->e, s->p);
    quiet_end(&host);
    s->e.derived = 0;
    if (law < 0 && !book(instance, 1.0)) return STATUS_OK;
    const char *what = law >= 0 ? "invalid parameters: " : "", *why = law >= 0 ? model.laws[law] : s->e.reason;
    bring_back(instance);
    return refuse(instance, STATUS_DISCARD, "%s: %s%s", call->name, what, why);
}

Status set_values(void *named, const Call *call, unsigned kinds, Chosen chosen, Values values) {
    Instance *instance = admit_values(named, call, kinds, chosen, values);
    if (!instance) return STATUS_ERROR;
    int parameters = 0;
    const Variable *variable;
    size_t i = 0;
    for (Chosen each = chosen; (variable = next_of(&each)); i++) {
        Status status = inspect(instance, call, variable, read_value(values, i));
        if (status != STATUS_OK) return status;
        parameters |= variable->group == GROUP_PARAMETER;
    }
    Simulation *s = &instance->s;
    int starting = mode_of(instance) == MODE_INSTANTIATED || mode_of(instance) == MODE_INITIALIZATION;
    if (parameters && !starting) {
        keep(instance, SPAN_ALL);
        if (book(instance, -1.0)) {
            bring_back(instance);
            return refuse(instance, STATUS_DISCARD, "%s: %s", call->name, s->e.reason);
        }
    }
    i = 0;
    for (Chosen each = chosen; (variable = next_of(&each)); i++) {
        double *to = (starting ? start_values_of : values_of)(s, variable->group) + variable->index;
        double value = variable->kind == KIND_BOOLEAN ? read_value(values, i) != 0.0 : read_value(values, i);
        if (memcmp(to, &value, sizeof value)) s->now->disturbed = 1.0;
        *to = value;
    }
    if (starting && chosen.count) s->now->initialized = 0.0, s->e.derived &= !parameters;
    return parameters && !starting ? retune(instance, call) : STATUS_OK;
}
