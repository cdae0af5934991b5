"""Fibres: capsules, chains of spheres, bonded segments.

- `capsules.py`: capsules against chains of spheres
- `fibre_shapes.py`: one fibre as capsule, chain and fine chain, from one impact to heaps
- `dense_packings.py`: densities of random packings by aspect ratio
- `bonds.py`: bonded rods against static solutions
"""
