"""Fully Cartesian coordinates: points and vectors fixed in bodies, shared at joints, instead of angles [liu1998]."""
