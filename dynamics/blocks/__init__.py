"""Controllers and other blocks: Systems too, sampled or continuous."""
