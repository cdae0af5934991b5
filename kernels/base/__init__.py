"""What all kernels stand on: how they are compiled, vectors, quaternions, random numbers, geometry, energies of bodies.

``jit`` compiles and caches; ``vector`` and ``quaternion`` work on tuples of scalars; ``geometry`` has distances of
segments, ``union`` moments of overlapping spheres.
"""
