/* What a Windows library needs of a C library, beside what Windows itself has (the UCRT) and what the compiler brings (compiler-rt).
 * So zig need not compile the whole of mingw-w64 for the first FMU of a machine, which takes it a minute of CPU. */
#include <fenv.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

/* The linker asks for it in objects that compute with doubles. */
int _fltused = 1;

/* The library's entry: there is nothing to prepare, neither constructors nor thread-local data. */
int __stdcall DllMainCRTStartup(void *library, unsigned long reason, void *reserved) {
    (void)library, (void)reason, (void)reserved;
    return 1;
}

/* The UCRT has one function behind all of printf's family; 2: the result is the standard's, not that of the older _snprintf. */
int __stdio_common_vsprintf(unsigned long long options, char *text, size_t room, const char *format, void *locale, va_list values);
enum { STANDARD_SNPRINTF = 2 };

int vsnprintf(char *text, size_t room, const char *format, va_list values) {
    return __stdio_common_vsprintf(STANDARD_SNPRINTF, text, room, format, NULL, values);
}

int snprintf(char *text, size_t room, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, room, format, values);
    va_end(values);
    return length;
}

/* Behind isfinite and isnan of mingw-w64's math.h. */
int __fpclassify(double x) { return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x); }

int __isnan(double x) { return __builtin_isnan(x); }

#if defined(__x86_64__)

/* Exceptions and their masks: of the coprocessor, and of SSE. In fenv_t: its control word beside the low half of SSE's, whose high half is not
 * used; its status word. */
typedef struct {
    unsigned short control, a, status, b, tags, c;
    unsigned others[4];
} Coprocessor;

int feholdexcept(fenv_t *kept) {
    Coprocessor x87;
    unsigned sse;
    __asm__ volatile("fnstenv %0" : "=m"(x87)); /* and masks all its exceptions */
    __asm__ volatile("stmxcsr %0" : "=m"(sse));
    kept->_Fe_ctl = x87.control | sse << 16, kept->_Fe_stat = x87.status;
    sse = (sse | 0x1f80) & ~0x3fu;
    __asm__ volatile("fnclex\n\tldmxcsr %0" : : "m"(sse) : "memory");
    return 0;
}

int fesetenv(const fenv_t *kept) {
    Coprocessor x87;
    unsigned sse = (unsigned)kept->_Fe_ctl >> 16;
    __asm__ volatile("fnstenv %0" : "=m"(x87));
    x87.control = (unsigned short)kept->_Fe_ctl, x87.status = (unsigned short)kept->_Fe_stat;
    __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(x87), "m"(sse) : "memory");
    return 0;
}

#endif
