"""Bodies: each gives its inertia and bias in its own frame; the tree does the rest."""
