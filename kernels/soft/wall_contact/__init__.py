"""Contacts of particles with the box and with walls of any shape.

Read `body_wall_forces` first, which chooses the way for the bodies of a chunk: `box_contacts` for faces of the box,
`wall_contacts` for walls and sides of capsules body by body, batches of many single spheres at a time.

Stages of a contact: bodies near walls (`near_wall_bodies`, `near_wall_list`, `wall_prefetch`), regions of a wall
that are overlapped (`overlap_regions`; for convex bodies `convex_at_walls`, `convex_meshes` and `convex_shells`, for
corners of polyhedra `polyhedra_at_walls` and `polyhedra_at_meshes`; `mesh_contacts` for triangles, many spheres at a
time), kinematics (`wall_kinematics`), history (`wall_history`), law
(`dem.kernels.soft.contact.contact_evaluation.contact_force`), results (`wall_loads`).
`wall_loads` adds the forces on bodies, and sums force, torque, work and wear of each wall. `rough_planes`: inclined
planes of rough faces and walls.
`wall_arrays`: poses and arrays of walls, and the periodic image of a body that is nearest to a wall (`image_for`).
`wall_report`: the contacts of one moment, by the same functions with a `ReportSink`.
"""
