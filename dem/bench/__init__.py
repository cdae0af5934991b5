"""Benchmarks of `dem bench`, also against LAMMPS.

- `workloads.py`: the list of benchmarks
- `stepping.py`: benchmarks that time the steps of one simulation; `settled_beds.py`, `drum.py`: simulations for them
- `costs.py`: what bonds, walls, fluids and calls from Python add to a step
- `timing.py`: rates, parts of a step, runs by turns
- `lammps.py`: the same workload in LAMMPS, if it is installed
"""
