/* Where a fuzzer's decisions come from, and its two ends: a seeded program (fuzz SEED CALLS STATES) and libFuzzer's door (-DGUIDED).
 *
 * A game makes two instances and plays calls on them in turn, legal and illegal, until its decisions end. Then all is freed. */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 6, MOST_VALUES = 8, GAME = 400 };

extern const char *const fuzz_guid;
extern const int fuzz_references, fuzz_states, fuzz_indicators, fuzz_first_input, fuzz_first_switch; /* of the model: value references, sizes */

static struct {
    const uint8_t *bytes; /* NULL: by the seed */
    size_t left;
    uint64_t seed;
    long long calls, damaged, crafted, accepted, refused_memory;
} fuzz;

static unsigned fuzz_byte(void) {
    if (fuzz.bytes) return fuzz.left ? fuzz.left--, *fuzz.bytes++ : 0;
    fuzz.seed ^= fuzz.seed << 13, fuzz.seed ^= fuzz.seed >> 7, fuzz.seed ^= fuzz.seed << 17;
    return (unsigned)(fuzz.seed >> 32 & 255);
}

static int fuzz_below(int count) { return (int)((fuzz_byte() << 8 | fuzz_byte()) % (unsigned)count); }

static int fuzz_one_in(int count) { return fuzz_below(count) == 0; }

static double fuzz_number(void) {
    static const double numbers[] = {0.0, 1.0, -1.0, 0.3, 1e-9, 1e6, 1e30, 1e308, -1e308, 5e-324, 1e-310, INFINITY, -INFINITY, NAN};
    if (fuzz_below(10) < 3) return numbers[fuzz_below(sizeof numbers / sizeof *numbers)];
    return (fuzz_below(65536) - 32768) / 16384.0;
}

/* Of a communication step. */
static double fuzz_length(void) {
    static const double lengths[] = {0.01, 0.01, 0.1, 0.3, 1e-3, 1e-12, 3.0, 1e9};
    return lengths[fuzz_one_in(100) ? 7 : fuzz_below(7)];
}

/* Up to 7 references, a few of them beyond the last. */
static size_t fuzz_choose(unsigned references[MOST_VALUES]) {
    size_t count = (size_t)fuzz_below(MOST_VALUES);
    for (size_t i = 0; i < count; i++) references[i] = (unsigned)fuzz_below(fuzz_references + fuzz_one_in(20));
    return count;
}

/* What an FMU must never do ends the program. */
#define FUZZ_DEMAND(truth)                                                          \
    do {                                                                            \
        if (!(truth)) fprintf(stderr, "fuzz: %s, line %d\n", #truth, __LINE__), abort(); \
    } while (0)

/* A serialized state made wrong: by a bit, by its length, by another FMU's mark, or by a number with the checksum that goes with it
 * (runtime/core/states.c: five words of header, FNV-1a of the rest). Gives the length. */
static size_t fuzz_spoil(uint8_t *state, size_t size) {
    enum { HEADER = 40, CHECKSUM = 32, MARK = 24, SCALARS = 40 };
    int how = fuzz_below(8);
    if (how == 0) {
        fuzz.damaged++;
        return (size_t)fuzz_below((int)size);
    }
    if (how < 3) {
        fuzz.damaged++;
        state[how == 1 ? (size_t)fuzz_below((int)size) : MARK] ^= (uint8_t)(1u << fuzz_below(8));
        return size;
    }
    for (int i = 0, all = (int)((size - HEADER) / 8); i <= fuzz_below(3); i++) { /* half of them among the scalars, which lie in front */
        double number = fuzz_number();
        memcpy(state + HEADER + 8 * fuzz_below(fuzz_one_in(2) && all > SCALARS ? SCALARS : all), &number, sizeof number);
    }
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = HEADER; i < size; i++) hash = (hash ^ state[i]) * 0x100000001b3u;
    memcpy(state + CHECKSUM, &hash, sizeof hash);
    fuzz.crafted++;
    return size;
}

static void fuzz_game(long long calls, int states);

#ifdef GUIDED
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz.bytes = bytes, fuzz.left = size;
    fuzz_game(1 << 12, 0);
    return 0;
}
#else
int main(int count, char **arguments) {
    if (count != 4) return 2;
    fuzz.seed = 0x9e3779b97f4a7c15u * (strtoull(arguments[1], NULL, 10) + 1);
    long long calls = atoll(arguments[2]), states = atoll(arguments[3]);
    while (fuzz.calls < calls) fuzz_game(GAME, 0);
    while (fuzz.damaged + fuzz.crafted < states) fuzz_game(GAME, 1);
    printf("calls %lld damaged %lld crafted %lld accepted %lld refused_memory %lld\n", fuzz.calls, fuzz.damaged, fuzz.crafted, fuzz.accepted,
           fuzz.refused_memory);
    return 0;
}
#endif

#endif
