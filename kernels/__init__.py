"""Numba kernels: formulae and loops on plain arrays and floats, without classes, input and output, or exceptions.

Folders, in order of reading; a module imports from its own folder or from those of earlier lines:

    compiler                decorators, compilation, cache on disk, threads
    numerics, simd          vectors, quaternions, random numbers; vector and memory instructions
    rotation, laws, fluid   integrators of rotation; contact laws; fluid forces: a file for each, with its paper
    domain, walls, bonds    faces of the box and periodic images; shapes of walls; bonds as beams
    convex                  overlaps of convex bodies from their support functions
    packing                 random starting states
    soft, event_driven      time steps of soft particles; events of hard spheres
    dsmc                    direct simulation Monte Carlo: collisions drawn at random
    heat                    exchange of scalars, such as temperatures, through contacts

The docstring of each folder describes its modules. Terms are defined in docs/glossary.md.
"""
