"""Broad phase: linked cells, pairs of bodies (the neighbour list), candidate pairs of spheres and capsules."""
