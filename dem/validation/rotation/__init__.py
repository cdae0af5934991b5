"""Rotational integrators, for single bodies and falling fibres.

- `bodies_under_torque.py`: sphere, cylinder and symmetric top with known solutions
- `falling_fibres.py`: energy errors and paths after Zhao & van Wachem (2013)
- `integrator_comparison.py`: error against computing time of all integrators
"""
