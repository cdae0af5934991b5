"""Bonds of an engine.

`engine_bonds`: arrays of the kernels, and their state. `bond_setup`: bonds in a simulation, refused, advised on and
looked at.
"""
