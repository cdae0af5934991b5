"""Soft particles, which overlap where they touch, in time steps. README.md of this folder describes its modules."""
