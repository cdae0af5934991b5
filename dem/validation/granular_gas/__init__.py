"""Granular gases.

- `haff_cooling.py`: inelastic hard spheres against Haff's law
- `cooling_by_method.py`: one gas by soft spheres, event-driven spheres and stochastic collisions
"""
