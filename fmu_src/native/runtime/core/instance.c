#include "instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifold.h"
#include "methods.h"

#define MESSAGE_LENGTH 600

static const char *const categories[] = {
    "logEvents", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal", "logSolver", "logAll",
};
enum { N_CATEGORIES = sizeof categories / sizeof *categories };

/* A host may leave both memory functions out; then the C library serves. */
void *host_allocate(const fmi2CallbackFunctions *host, size_t bytes) {
    return host->allocateMemory && host->freeMemory ? host->allocateMemory(1, bytes) : calloc(1, bytes);
}

void host_free(const fmi2CallbackFunctions *host, void *memory) {
    if (host->allocateMemory && host->freeMemory) host->freeMemory(memory);
    else free(memory);
}

static void instance_room(Instance *instance, Arena *arena, size_t name_length) {
    simulation_room(&instance->s, arena);
    instance->dx = arena_doubles(arena, model.nx);
    instance->du = arena_doubles(arena, model.nu);
    instance->dx_dot = arena_doubles(arena, model.nx);
    instance->dy = arena_doubles(arena, model.ny);
    instance->before = arena_doubles(arena, instance->s.block_length);
    instance->name = arena_take(arena, name_length + 1, 1);
}

Instance *instance_create(const fmi2CallbackFunctions *host, const char *name, int exchange) {
    Instance layout;
    memset(&layout, 0, sizeof layout);
    Arena arena = {NULL, 0};
    arena_take(&arena, 1, sizeof(Instance));
    instance_room(&layout, &arena, strlen(name));

    arena.base = host_allocate(host, arena.used);
    if (!arena.base) return NULL;
    memset(arena.base, 0, arena.used);
    arena.used = 0;
    Instance *instance = arena_take(&arena, 1, sizeof(Instance));
    instance_room(instance, &arena, strlen(name));
    instance->host = *host;
    strcpy(instance->name, name);
    set_mode(instance, MODE_INSTANTIATED);
    instance->s.now->exchange = exchange;
    simulation_reset(&instance->s);
    return instance;
}

void instance_destroy(Instance *instance) {
    fmi2CallbackFunctions host = instance->host;
    if (instance->matrices) host_free(&host, instance->matrices);
    host_free(&host, instance);
}

Mode mode_of(const Instance *instance) { return (Mode)instance->s.now->mode; }

void set_mode(Instance *instance, Mode mode) {
    Scalars *now = instance->s.now;
    now->mode = mode;
    if (mode == MODE_EVENT) now->passes = now->moved = now->unsettled = 0.0; /* a new event iteration */
}

Instance *admit(fmi2Component component, Call call) {
    Instance *instance = component;
    if (!instance) return NULL;
    int exchange = instance->s.now->exchange != 0.0;
    if (call_allowed(call, exchange, mode_of(instance))) return instance;
    refuse(instance, fmi2Error, "%s: not allowed in %s, instance is in state '%s'", call_name(call),
           exchange ? "model exchange" : "co-simulation", mode_name(mode_of(instance)));
    return NULL;
}

/* The host formats the message once more: its signs % and # are doubled so that they come out as they are. */
static void send(Instance *instance, fmi2Status status, unsigned category, const char *format, va_list values) {
    char text[MESSAGE_LENGTH], message[2 * MESSAGE_LENGTH], *to = message;
    if (!instance->host.logger) return;
    vsnprintf(text, sizeof text, format, values);
    for (const char *from = text; *from; from++) {
        if (*from == '%' || *from == '#') *to++ = *from;
        *to++ = *from;
    }
    *to = '\0';
    int index = 0;
    while (category >> (index + 1)) index++;
    instance->host.logger(instance->host.componentEnvironment, instance->name, status, categories[index], message);
}

fmi2Status refuse(Instance *instance, fmi2Status status, const char *format, ...) {
    const unsigned category[] = {LOG_EVENTS, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL, LOG_EVENTS};
    va_list values;
    va_start(values, format);
    send(instance, status, category[status], format, values);
    va_end(values);
    if (status == fmi2Error) set_mode(instance, MODE_ERROR);
    return status;
}

void tell(Instance *instance, unsigned category, const char *format, ...) {
    if (!(instance->logged & (category | LOG_ALL))) return;
    va_list values;
    va_start(values, format);
    send(instance, fmi2OK, category, format, values);
    va_end(values);
}

void tell_event(Instance *instance, double t, const double *before, const double *after) {
    int switched = 0;
    if (!(instance->logged & (LOG_EVENTS | LOG_ALL))) return;
    for (int i = 0; i < model.n_variables; i++) {
        const Variable *variable = &model.variables[i];
        int k = variable->index;
        if (variable->group != GROUP_DISCRETE || variable->kind == KIND_REAL || before[k] == after[k]) continue;
        tell(instance, LOG_EVENTS, "time=%.17g variable=%s value=%.0f", t, variable->name, after[k]);
        switched = 1;
    }
    if (!switched) tell(instance, LOG_EVENTS, "time=%.17g", t);
}

void tell_notices(Instance *instance) {
    Simulation *s = &instance->s;
    int untold = 0;
    for (int i = 0; i < model.n_notices; i++) untold |= s->notice_told[i] == 0.0;
    if (!untold) return;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || evaluate_motion(&s->e, present(s), WANT_NOTICED); /* what comes next says why */
    quiet_end(&host);
    for (int i = 0; i < model.n_notices && !failed; i++) {
        const Notice *notice = &model.notices[i];
        if (s->notice_told[i] != 0.0 || s->e.noticed[i] != 0.0) continue;
        s->notice_told[i] = 1.0;
        refuse(instance, fmi2Warning, "%s is false at time %g: %s", notice->name, s->now->time, notice->text);
    }
}

int choose_categories(Instance *instance, int on, size_t count, const fmi2String names[]) {
    unsigned chosen = count ? 0 : LOG_ALL;
    for (size_t i = 0; i < count; i++) {
        int k = 0;
        while (k < N_CATEGORIES && (!names[i] || strcmp(names[i], categories[k]))) k++;
        if (k == N_CATEGORIES) return -1;
        chosen |= 1u << k;
    }
    if (on) instance->logged |= chosen;
    else instance->logged &= count ? ~chosen : 0;
    return 0;
}

/* Room for what the chosen method alone needs. */
static int method_ready(Instance *instance) {
    Simulation *s = &instance->s;
    if (!method_of(s)->rosenbrock || instance->matrices) return 0;
    Arena arena = {NULL, 0};
    rosenbrock_room(s, &arena);
    arena.base = instance->matrices = host_allocate(&instance->host, arena.used + 1);
    if (!arena.base) return fail(&s->e, "the host gave no memory for the matrices of solver.method = rodas5p");
    arena.used = 0;
    rosenbrock_room(s, &arena);
    return 0;
}

int make_ready(Instance *instance) {
    Simulation *s = &instance->s;
    Evaluation *e = &s->e;
    if (method_ready(instance)) return -1;
    int initializing = mode_of(instance) == MODE_INITIALIZATION && s->now->initialized == 0.0;
    if (!e->derived || initializing) {
        int law = broken_law(e, s->p);
        if (law >= 0) return fail(e, "the parameters break a law: %s", model.laws[law]);
        if (derive_constants(e, s->p)) return -1;
    }
    if (!initializing) return 0;
    memcpy(s->x, s->x_given, model.nx * sizeof(double));
    memcpy(s->d, s->d_given, model.nd * sizeof(double));
    if (initial_state(e, s->now->time, s->x, s->u, s->d)) {
        /* a second try with d as the first had it: the model may ask for less then */
        memcpy(s->x, s->x_given, model.nx * sizeof(double));
        if (initial_state(e, s->now->time, s->x, s->u, s->d)) return -1;
    }
    s->now->initialized = 1.0;
    return 0;
}

void keep(Instance *instance) { memcpy(instance->before, instance->s.now, instance->s.block_length * sizeof(double)); }

void bring_back(Instance *instance) {
    memcpy(instance->s.now, instance->before, instance->s.block_length * sizeof(double));
    forget_work(&instance->s);
}

double *values_of(Simulation *s, Group group) {
    switch (group) {
        case GROUP_TIME: return &s->now->time;
        case GROUP_STATE: return s->x;
        case GROUP_DERIVATIVE: return s->e.x_dot;
        case GROUP_INPUT: return s->u;
        case GROUP_OUTPUT: return s->e.y;
        case GROUP_DISCRETE: return s->d;
        case GROUP_PARAMETER: return s->p;
        case GROUP_SOLVER: return s->solver;
    }
    return NULL;
}

double *start_values_of(Simulation *s, Group group) {
    return group == GROUP_STATE ? s->x_given : group == GROUP_DISCRETE ? s->d_given : values_of(s, group);
}
