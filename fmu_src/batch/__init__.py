"""Many runs of one model in parallel, in C: lanes of SIMD vectors share their steps (native/runtime/batch)."""
