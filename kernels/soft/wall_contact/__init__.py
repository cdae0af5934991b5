"""Contacts of particles with the box and with walls of any shape.

A contact goes one way: bodies near walls (`near_wall_bodies`, `near_wall_list`), pieces of a wall that are touched
(`overlap_regions`; `mesh_contacts` for triangles of a mesh, many spheres at a time), kinematics (`wall_kinematics`),
history (`wall_history`), law (`kernels.soft.contact.contact_evaluation.contact_force`), results (`wall_results`: forces
on bodies, energies and work of walls, or rows of a report; `wall_loads`: force, torque and wear of each wall).

Read `body_wall_forces` first, which chooses the way for the bodies of a chunk: `box_contacts` for faces of the box,
`wall_contacts` for walls body by body, `wall_batches` for many single spheres at a time, `capsule_sides` for the sides
of capsules. `rough_faces`, `rough_walls`: inclined planes. `wall_arrays`: poses and arrays of walls. `wall_report`: the
contacts of one moment, by the same functions with a `ReportSink`.
"""
