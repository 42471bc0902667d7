"""Controllers and other blocks, sampled or continuous; they are Systems as well."""
