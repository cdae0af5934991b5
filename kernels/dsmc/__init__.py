"""Collisions that are drawn at random, with the rates of kinetic theory, in place of those of spheres that meet.

``steps`` is the loop over time steps; begin there. Impact rules and walls are those of hard spheres.
"""
