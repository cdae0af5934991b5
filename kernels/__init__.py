"""Numba kernels on plain arrays and floats: formulae and loops, no classes, no I/O, no exceptions.

Where to look for what
----------------------
``jit``         how everything here is compiled and cached
``vector``      3-vectors as tuples
``quaternion``  quaternion algebra, exponential map, rotation of vectors and tensors
``hertz``       the contact law: force and elastic energy
``rotation``    the rotational integrators, one file each
``cells``       linked cells: which bodies may meet before the list is stale
``candidates``  which of their spheres may touch within the next few steps
``contact``     place spheres, evaluate pairs, gather forces and torques, walls
``motion``      predict and correct all bodies
``energy``      per-body energies and sums that do not depend on their order
``advance``     the loop over time steps
"""
