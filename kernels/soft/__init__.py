"""Soft particles: the kernels of time steps.

``advance`` is the loop over time steps and ``sweeps`` what a step does, ``passes`` by how many threads, ``shared`` what
of it combinations share; begin there.
Arrays: ``state``, ``chunks``; lists: ``lists``, ``cells``, ``neighbours``, ``candidates``; forces: ``contact``,
``touching``, ``walls``; motion: ``motion``, ``travel``, ``whole_steps``.
"""
