#include "fmi3_calls.h"

#define CALL_ROW(number, name, kinds, modes) [number] = {name, kinds, modes},
const Call fmi3_calls[] = {FMI3_CALLS(CALL_ROW)};

static const Settable settable[] = {FMI3_SETTABLE};

const Rules fmi3_rules = {
    .modes = FMI3_MODES,
    .settable = settable,
    .n_settable = sizeof settable / sizeof *settable,
    .silent = FMI3_SILENT,
};
