"""Narrow phase and contact forces between particles.

`contact_batches` is the pipeline of all contacts between bodies; begin there. Its stages, in order: detection
(`contact_detection`), kinematics (`batch_kinematics` for single spheres, `cluster_kinematics`), damping shared by
contacts of the same bodies (`shared_damping`), the law (`contact_evaluation`), results (`result_sinks`), and in a cell
that deforms the stress (`batch_stress`).

`capsule_contacts` has these stages for capsules, whose shape is in `capsules` and `capsule_blending`; `convex_contacts`
and `convex_kinematics` for convex bodies (`convex_bodies`), `ongoing_contacts` for smooth ones that touched in the last
step, `polyhedron_contacts` for pairs of polyhedra. `elastic_pairs` is the fast path of elastic spheres, and
`contact_report` lists the contacts of one moment. `force_accumulation` sums by body, `dissipated_heat` the energy that
contacts dissipate by body, `contact_history` carries history from list to list, `body_placement` places spheres and
axes, `surface_motion` has velocities and masses at a contact. `sphere_motion` copies positions and velocities of
spheres to lines of the cache, from which pairs read them.
"""
