"""What simulations of all methods have in common.

`system`: what files, cases and commands may ask of a simulation. `energy_ledger`: the part of it that accounts for
energy. `observer`: functions that follow a run. `plan`: at which times frames are stored. `diagnosis` and `verdict`:
findings of a run, and its status.
"""
