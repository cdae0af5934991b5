"""Particles: their fields, kinds, sizes, and where they are placed."""
