"""Contacts of particles with the box and with walls of any shape.

Read `contact_sinks` first: from kinematics to the law, which is called at one place for contacts one by one, and on to
bodies, walls and ledger, or to a report. `body_wall_forces` chooses the way for the bodies of a chunk. Faces of the
box: `box_contacts`. Walls of any shape: `wall_arrays` (poses and sums), `wall_kinematics`, `wall_contacts` (body by
body), `wall_batches` (many single spheres at a time), `overlap_regions` and `triangle_batches` (meshes),
`capsule_sides`. `near_wall_bodies` and `near_wall_list` find bodies near walls. `wall_history`: memory of contacts with
walls. `rough_faces`, `rough_walls`: inclined planes. `wall_loads`: forces on walls, and their wear. `wall_report`: the
contacts of one moment.
"""
