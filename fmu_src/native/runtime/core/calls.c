#include "calls.h"

#include <stddef.h>
#include <stdio.h>

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

int modes_to_set(const Rules *rules, const Variable *variable, int kind) {
    int set = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (rules->modes[kind] & modes[i].mode && may_be_set(rules, variable, kind, modes[i].mode)) set |= modes[i].mode;
    return set;
}

const char *mode_name(Mode mode) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) /* unreached: the end; every mode is in the table */
        if (modes[i].mode == mode) return modes[i].name;
    return "unknown";
}

const char *mode_names(int set, char *to) {
    int used = 0;
    *to = '\0';
    set &= ~MODE_ERROR;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (!(set & modes[i].mode)) continue;
        set &= ~modes[i].mode;
        used += snprintf(to + used, MODE_NAMES_LENGTH - used, "%s'%s'", !used ? "" : set ? ", " : " or ", modes[i].name);
    }
    return to;
}
