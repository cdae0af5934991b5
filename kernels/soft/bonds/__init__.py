"""Bonds in a time step.

`bond_types` and `bond_arrays`: whether there are bonds, and their arrays. `bond_forces`: force and torque of a bond,
by the beam of `dem.kernels.bonds`. `bond_accumulation`: sums by body in a fixed order. `bond_step`: all bonds in a
step. `bond_breakage`: breakage of bonds beyond their strength. `overlap_release`: contact between bodies whose bond has
broken sets in gradually.
"""
