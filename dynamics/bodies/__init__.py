"""Bodies: each gives its inertia and bias in its own frame; the tree assembles the equations of motion."""
