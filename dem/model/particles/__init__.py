"""Particles and their starting states.

Read `particles` first. `fields` lists the fields of a particle, `kinds` groups particles of one shape and material.
Sizes: `sizes` (distributions and sieves), `grading`. Starting states: `packing` (random orientations and velocities),
`random_insertion`, `dense_packing`, with `relaxation` of overlapping spheres and `convex_relaxation` of convex bodies.
"""
