"""Particles in a fluid.

- `settling.py`: terminal velocities of spheres and fibres
- `fibres_in_flow.py`: Jeffery's orbits, sheared suspensions, cellular flow
- `spheroids.py`: which spheroid has the resistance of a cylinder
- `fluidised_bed.py`: pressure drop and minimum fluidisation velocity
"""
