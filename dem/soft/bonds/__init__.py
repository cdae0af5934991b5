"""Bonds of an engine: set-up, arrays of the kernels, validation."""
