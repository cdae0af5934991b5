"""Narrow phase and contact forces between particles.

Elastic contacts of spheres: `elastic_pairs`, in one loop over candidate pairs. All other laws go through a pipeline:
`contact_detection` lists the touching pairs, `batch_kinematics` computes what the law reads, `batch_evaluation`
evaluates it, `contact_batches` gathers and scatters, and `force_accumulation` sums by body. `contact_history` carries
tangential springs from list to list, `shared_damping` divides damping among contacts of the same bodies, and
`surface_motion` has velocities and masses at a contact. Modules named `capsule_...` do the same for capsules.
`contact_report` lists the contacts of one moment.
"""
