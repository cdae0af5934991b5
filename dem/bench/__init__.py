"""Benchmarks of `dem bench`, also against LAMMPS.

`workloads` lists them. `timing` and `turns` measure: rates, parts of a step, runs in alternation. `stepping` times the
steps of one simulation, `states` keeps the settled states from which benchmarks start. `drum`, `mixture`, `shear`,
`flow`, `bonding`, `walling` and `calling` are workloads; `lammps` runs the same in LAMMPS, if it is installed.
"""
