"""Parts that several cases share.

- `dosta.py`: the benchmarks of Dosta et al. (2024); `grains.py`: grains in containers
- `immersed.py`: particles in a fluid
- `one_material.py`: particles of one material in a box, and falling fibres
- `lattice.py`: places on a lattice; `outflow.py`: what a sweep measures of grains that run out through a hole
"""
