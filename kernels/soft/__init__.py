"""Soft particles: the kernels of time steps.

``time_loop`` is the loop over time steps and ``sweeps`` what a step does, ``passes`` by how many threads,
``compiled_stages`` what
of it combinations share; begin there.
Arrays: ``state``, ``chunks``; lists: ``neighbour_lists``, ``linked_cells``, ``body_pairs``, ``candidate_pairs``;
forces: ``elastic_pairs``,
``contact_detection``, ``walls``; motion: ``particle_update``, ``displacement``, ``whole_steps``.
"""
