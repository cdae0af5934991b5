"""Spheres whose impacts take no time, moved from event to event.

`simulation.py` is what users see, `engine.py` owns the arrays.
"""
