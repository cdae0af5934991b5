"""Arithmetic that all kernels share. No module depends on particles or contacts.

`vector` and `quaternion`: tuples of floats, and rotations. `elementary`, `float_bits`: exponentials, logarithms and
powers as vector code, and floats as integers of the same bits. `random`: random numbers from a counter and a key.
`distances`: distances of segments. `columns`: vectors in rows of scratch. `sphere_union`: moments of a union of
spheres. `energy`: energies of bodies, and sums that do not depend on their order.
"""
