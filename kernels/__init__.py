"""Numba kernels on plain arrays and floats: formulae and loops, no classes, no I/O, no exceptions.

Where to look for what
----------------------
``jit``         how everything here is compiled and cached
``vector``      3-vectors as tuples
``quaternion``  quaternion algebra, exponential map, rotation of vectors and tensors
``hertz``       elastic contacts: force and energy
``laws``        contact laws that lose energy, one file each: damping, friction
``random``      random numbers from a counter and a key, without a state
``roughness``   the inclination of a rough wall as a particle meets it
``rotation``    the rotational integrators, one file each
``geometry``    distances of segments
``cells``       linked cells, and bodies in memory in their order
``neighbours``  which bodies may meet before the list is stale
``candidates``  which of their spheres may touch within the next few steps
``contact``     place spheres, evaluate elastic pairs, gather forces and torques
``touching``    evaluate pairs by laws that need velocities
``surfaces``    how bodies move at a point of contact, and how heavy they are there
``walls``       where they are, how they move, what they do
``memory``      what contacts remember, from one list to the next
``values``      one value for all pairs or one each
``motion``      predict and correct all bodies
``travel``      how far they have come since they were listed
``periodic``    nearest images, and bodies folded back into the box
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
