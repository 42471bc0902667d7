"""The inverse problem: some motions are given, the forces that they take follow."""
