"""Rotation of a single body.

`integrators`: the rotational schemes by name. `names`: the names that need no kernels. `study`: one body that rotates
under any torque, to compare schemes.
"""
