/* Equations raise floating-point exceptions in branches that are not taken, and where a step is too long. A host may trap
 * them: what is evaluated between quiet_begin and quiet_end raises none that it could see. */
#ifndef SPACEFMU_QUIET_H
#define SPACEFMU_QUIET_H

#include <fenv.h>

#if defined(__x86_64__) && defined(__GNUC__)

/* Doubles are computed by SSE, whose register takes two nanoseconds to write; feholdexcept and fesetenv, which care for the
 * old coprocessor as well, take a hundred together. They serve where a host traps the coprocessor's exceptions. */
typedef struct {
    fenv_t all;
    unsigned sse;
    int trapped;
} Quiet;

enum { SSE_FLAGS = 0x3f, SSE_MASKS = 0x1f80, COPROCESSOR_MASKS = 0x3f, SSE_FLUSH = 0x8040 };

static inline void quiet_begin(Quiet *host) {
    unsigned short control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    host->trapped = (control & COPROCESSOR_MASKS) != COPROCESSOR_MASKS;
    if (host->trapped) {
        feholdexcept(&host->all);
        return;
    }
    __asm__ volatile("stmxcsr %0" : "=m"(host->sse));
    unsigned quiet = (host->sse | SSE_MASKS) & ~(unsigned)SSE_FLAGS;
    __asm__ volatile("ldmxcsr %0" : : "m"(quiet) : "memory");
}

/* Numbers below 1e-308, which take a hundred times as long, are zeros from here to quiet_end. */
static inline void quiet_flush(void) {
    unsigned control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= SSE_FLUSH;
    __asm__ volatile("ldmxcsr %0" : : "m"(control) : "memory");
}

static inline void quiet_end(const Quiet *host) {
    if (host->trapped) fesetenv(&host->all);
    else __asm__ volatile("ldmxcsr %0" : : "m"(host->sse) : "memory");
}

#else

typedef fenv_t Quiet;

static inline void quiet_begin(Quiet *host) { feholdexcept(host); }

static inline void quiet_end(const Quiet *host) { fesetenv(host); }

#if defined(__aarch64__) && defined(__GNUC__)
static inline void quiet_flush(void) {
    unsigned long long control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1ull << 24));
}
#else
static inline void quiet_flush(void) {} /* other processors keep them, at their own pace */
#endif

#endif

#endif
