"""A run: a system carried through time.

`simulation_base` is the base class of simulations. `run_loop` checks what a run is asked for and writes its frames,
`callbacks` calls functions of users, `running_table` prints the table of a run. `resume` continues a run from a file,
`rerun` repeats it and compares bytes, `replay` steps through its last moments. `precice` couples runs to flow solvers.
"""
