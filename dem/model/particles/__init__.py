"""Particles and their starting states.

Read `particles` first. `fields` lists the fields of a particle, `kinds` and `variant` group particles of one shape and
material. Sizes: `sizes` (the base class), `size_distributions`, `sieves`, `grading`. Starting states: `packing`
(random orientations and velocities), `random_insertion`, `dense_packing`.
"""
