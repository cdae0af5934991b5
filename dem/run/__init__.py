"""Runs: advance a simulation through time, with output, callbacks, resuming and repeating.

`simulation_base` is the base class of simulations. `run_loop` checks the arguments of a run and writes its frames,
`callbacks` calls functions of users, `running_table` prints the table of a run. `resume` continues a run from a file,
`rerun` repeats it and compares bytes, `replay` steps through its last moments. `precice` couples runs to flow solvers.
"""
