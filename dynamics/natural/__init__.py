"""Fully Cartesian coordinates: points and vectors fixed in bodies, shared at joints, in place of angles [liu1998]."""
