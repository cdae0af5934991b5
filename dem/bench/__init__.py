"""Benchmarks of `dem bench`, also against LAMMPS and YADE.

- `workloads.py`: the list of benchmarks
- `stepping.py`: benchmarks that time the steps of one simulation; `initial_states.py`, `drum.py`: simulations for them
- `costs.py`: what bonds, walls, fluids and calls from Python add to a step
- `timing.py`: rates, parts of a step, runs by turns
- `lammps.py`, `yade.py`: the same workload in LAMMPS and in YADE, if they are installed; `yade_box.py` is run by YADE
- `suite.py`: all these by turns, for each instruction set, as a table for a release
"""
