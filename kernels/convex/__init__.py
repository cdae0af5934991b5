"""Overlaps of convex bodies from their support functions."""
