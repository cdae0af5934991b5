"""Soft particles, which overlap where they touch, moved in time steps; README.md of this folder says what is where."""
