"""What simulations of all methods have in common.

`system`: particles in a box at a time, and what a simulation can do. `observer`: functions that follow a run. `plan`:
at which times frames are stored. `diagnosis` and `verdict`: findings of a run, and its status.
"""
