#include "instance.h"

#include <stdlib.h>
#include <string.h>

#include "error_norm.h"
#include "gaps.h"
#include "log.h"
#include "manifold.h"
#include "methods.h"

/* A host may leave both memory functions out; then the C library serves. */
void *host_allocate(const Host *host, size_t bytes) {
    return host->allocate && host->release ? host->allocate(1, bytes) : calloc(1, bytes);
}

void host_free(const Host *host, void *memory) {
    if (host->allocate && host->release) host->release(memory);
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

Instance *instance_create(const Host *host, const Rules *rules, const char *name, int kind) {
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
    instance->rules = rules;
    strcpy(instance->name, name);
    set_mode(instance, MODE_INSTANTIATED);
    instance->s.now->exchange = kind == EXCHANGE;
    simulation_reset(&instance->s);
    return instance;
}

void instance_destroy(Instance *instance) {
    Host host = instance->host;
    if (instance->matrices) host_free(&host, instance->matrices);
    if (instance->between.required) host_free(&host, instance->between.required);
    host_free(&host, instance);
}

Mode mode_of(const Instance *instance) { return (Mode)instance->s.now->mode; }

void set_mode(Instance *instance, Mode mode) {
    Scalars *now = instance->s.now;
    now->mode = mode;
    if (mode == MODE_EVENT) now->passes = now->moved = now->unsettled = 0.0; /* a new event iteration */
}

int kind_of(const Instance *instance) { return instance->s.now->exchange != 0.0 ? EXCHANGE : COSIMULATION; }

Instance *admit(void *named, const Call *call) {
    Instance *instance = named;
    if (!instance) return NULL;
    int kind = kind_of(instance);
    if (call_allowed(call, kind, mode_of(instance))) return instance;
    char names[MODE_NAMES_LENGTH];
    int modes = call->kinds & kind ? call->modes & instance->rules->modes[kind] : 0;
    refuse(instance, STATUS_ERROR, "%s: not allowed in %s, instance is in state '%s'%s%s", call->name,
           kind == EXCHANGE ? "model exchange" : "co-simulation", mode_name(mode_of(instance)), modes ? "; legal in " : "",
           mode_names(modes, names));
    return NULL;
}

/* Room for what the chosen method alone needs. */
static int method_ready(Instance *instance) {
    Simulation *s = &instance->s;
    if (!may_be_implicit(s) || instance->matrices) return 0;
    Arena arena = {NULL, 0};
    rosenbrock_room(s, &arena);
    arena.base = instance->matrices = host_allocate(&instance->host, arena.used + 1);
    if (!arena.base) return fail(&s->e, "memory allocation failed for the matrices of a linearly implicit solver.method");
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
        if (law >= 0) return fail(e, "invalid parameters: %s", model.laws[law]);
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
    begin_run(s);
    if (model.speeds && !is_bounded(s) && starts_in_gap(s) < 0) return -1;
    s->now->initialized = 1.0;
    return 0;
}

int present_motion(Instance *instance, unsigned wanted) {
    Simulation *s = &instance->s;
    Quiet host;
    quiet_begin(&host);
    int failed = make_ready(instance) || (wanted && evaluate_motion(&s->e, present(s), wanted));
    quiet_end(&host);
    return failed ? -1 : 0;
}

void keep(Instance *instance, Span span) {
    instance->kept = instance->s.spans[span] * sizeof(double);
    memcpy(instance->before, instance->s.now, instance->kept);
}

void bring_back(Instance *instance) {
    memcpy(instance->s.now, instance->before, instance->kept);
    forget_work(&instance->s);
}

double *values_of(Simulation *s, Group group) {
    switch (group) { /* unreached: another group; the cases are all of them */
        case GROUP_TIME: return &s->now->time;
        case GROUP_STATE: return s->x;
        case GROUP_DERIVATIVE: return s->e.x_dot;
        case GROUP_INPUT: return s->u;
        case GROUP_OUTPUT: return s->e.y;
        case GROUP_DISCRETE: return s->d;
        case GROUP_PARAMETER: return s->p;
        case GROUP_SOLVER: return s->solver;
        case GROUP_INDICATOR: return s->e.g; /* unreached: indicators are read by indicator_of and never set */
    }
    return NULL;
}

double *start_values_of(Simulation *s, Group group) {
    return group == GROUP_STATE ? s->x_given : group == GROUP_DISCRETE ? s->d_given : values_of(s, group);
}
