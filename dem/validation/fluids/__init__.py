"""Particles in a fluid.

- `settling.py`: terminal velocities of spheres and fibres
- `fibres_in_flow.py`: Jeffery's orbits, sheared suspensions, cellular flow, spheroids that represent fibres
- `fluidised_bed.py`: pressure drop and minimum fluidisation velocity
"""
