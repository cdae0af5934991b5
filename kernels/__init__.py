"""Numba kernels on plain arrays and floats: formulae and loops, no classes, no I/O, no exceptions.

Where to look for what
----------------------
``jit``         how everything here is compiled and cached
``vector``      3-vectors as tuples
``quaternion``  quaternion algebra, exponential map, rotation of vectors and tensors
``hertz``       the contact law: force and elastic energy
``rotation``    the rotational integrators, one file each
``geometry``    distances of segments
``cells``       linked cells, and bodies in memory in their order
``neighbours``  which bodies may meet before the list is stale
``candidates``  which of their spheres may touch within the next few steps
``contact``     place spheres, evaluate pairs, gather forces and torques, walls
``motion``      predict and correct all bodies
``packing``     starting states without overlap
``energy``      per-body energies and sums that do not depend on their order
``sweeps``      those over all bodies, by one thread or several
``advance``     the loop over time steps
``stages``      its parts one at a time, for benchmarks
``impact``      hard spheres: when they meet, and what that changes
``flight``      hard spheres between their impacts, cells, the search for each one's next event
``agenda``      those events, soonest first
``events``      the loop over events
``onlooker``    what is seen of hard spheres in between
"""
