"""Shapes of particles, with their mass properties."""
