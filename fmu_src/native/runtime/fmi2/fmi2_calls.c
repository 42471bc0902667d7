#include "fmi2_calls.h"

#define CALL_ROW(number, name, kinds, modes) [number] = {name, kinds, modes},
const Call fmi2_calls[] = {FMI2_CALLS(CALL_ROW)};

static const Settable settable[] = {FMI2_SETTABLE};

const Rules fmi2_rules = {
    .modes = FMI2_MODES,
    .settable = settable,
    .n_settable = sizeof settable / sizeof *settable,
    .silent = FMI2_SILENT,
};
