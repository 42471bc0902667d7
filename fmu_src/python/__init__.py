"""Python FMUs: a System as a slave of pythonfmu, with everything it needs inside, and without pythonfmu's traps."""
