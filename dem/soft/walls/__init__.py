"""Walls of an engine: arrays of the kernels, motion, loads."""
