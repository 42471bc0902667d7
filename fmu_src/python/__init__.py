"""Python FMUs: a System as a slave of pythonfmu, self-contained, with workarounds for pythonfmu's defects."""
