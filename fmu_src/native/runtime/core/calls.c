#include "calls.h"

#include <stddef.h>

#define MODE_NAME(name, bit, words) {bit, words},
static const struct {
    Mode mode;
    const char *name;
} modes[] = {MODES(MODE_NAME)};

int call_allowed(const Call *call, int kind, Mode mode) { return (call->kinds & kind) && (call->modes & mode); }

int may_be_set(const Rules *rules, const Variable *variable, int kind, Mode mode) {
    const int starting = MODE_INSTANTIATED | MODE_INITIALIZATION;
    int integrated = variable->group == GROUP_STATE && !(mode & starting); /* by the host, start value or not */
    if (variable->calculated && !integrated) return 0;
    for (int i = 0; i < rules->n_settable; i++) {
        const Settable *row = &rules->settable[i];
        if (row->group != variable->group || !(row->kinds & kind) || !(row->modes & mode)) continue;
        return (variable->tunable || !(row->only_tunable_in & mode)) &&
               (!variable->discrete || !(row->only_continuous_in & mode));
    }
    return 0;
}

const char *mode_name(Mode mode) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) /* unreached: the end; every mode is in the table */
        if (modes[i].mode == mode) return modes[i].name;
    return "unknown";
}
