"""Spheres whose collisions are drawn at random, in time steps.

`simulation.py` is what users see, `engine.py` owns the arrays.
"""
