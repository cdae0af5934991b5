"""Fluid of an engine: set-up, two-way coupling."""
