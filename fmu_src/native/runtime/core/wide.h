/* What runs most is compiled a second time, for processors with AVX: operands of its own for each instruction, and four numbers at
 * once in loops. Nothing is fused or reordered, so results are the same bit for bit. GCC for Windows does not keep the
 * stack aligned as AVX wants it. */
#ifndef SPACEFMU_WIDE_H
#define SPACEFMU_WIDE_H

#include "names.h"

#if defined(__x86_64__) && (defined(__clang__) || (defined(__GNUC__) && !defined(_WIN32))) && !defined(SPACEFMU_NARROW)
#define WIDE __attribute__((target("avx")))
#define WITHIN static inline __attribute__((always_inline)) /* compiled with what calls it */
#else
#define WITHIN static inline
#endif

/* Whether the processor has AVX and the system keeps its registers: asked once, when the library is loaded. */
extern int wide_here;

#endif
