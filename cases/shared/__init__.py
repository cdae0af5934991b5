"""Parts that several cases share.

- `dosta.py`: the benchmarks of Dosta et al. (2024); `grains.py`: grains in containers
- `immersed.py`: particles in a fluid
- `one_material.py`: particles of one material in a box, and falling fibres
- `powder.py`, `shear_to_failure.py`: virtual tests of powders, and of their strength in shear
- `lattice.py`: places on a lattice; `outflow.py`: what a sweep measures of grains that run out through a hole
"""
