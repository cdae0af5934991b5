"""Beds of many grains.

- `bulk_benchmarks.py`, `dosta.py`: silo, drum and impact of Dosta et al. (2024), and what they published
- `clumps.py`: convex grains and clumps of spheres in a hopper and in a drum
- `dice.py`: beds of the Platonic solids, loose and vibrated
- `silos.py`: Beverloo's discharge rate and Janssen's stress
- `surfaces.py`: angles of repose and of flow
"""
