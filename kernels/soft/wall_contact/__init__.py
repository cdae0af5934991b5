"""Contacts of particles with the box and with walls of any shape.

Read `all_walls` first: what all walls do to a body. `near_wall_bodies` and `near_wall_list` find bodies near walls.
Faces of the box: `box_contacts`, and `box_batches` for many single spheres at a time. Walls of any shape: `wall_arrays`
(poses and sums), `wall_contacts` (body by body), `wall_batches` (many single spheres at a time), `wall_kinematics`,
`overlap_regions` and `triangle_batches` (meshes), `capsule_sides`. `wall_history`: memory of contacts with walls.
`rough_faces`, `rough_walls`: inclined planes. `wall_loads`, `wear`: forces on walls, and their wear. `wall_report`: the
contacts of one moment.
"""
