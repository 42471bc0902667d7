"""Many runs of one model at once, in C: lanes of vectors that share steps (native/runtime/batch)."""
