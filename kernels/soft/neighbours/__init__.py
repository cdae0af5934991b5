"""Broad phase: pairs of particles that may touch before the lists are rebuilt.

`linked_cells` sorts bodies into cells and into this order in memory. `neighbour_list` lists pairs of bodies that may
touch, without bonded ones, with one thread or several. `candidate_pairs` selects the spheres or capsules of these that
may touch within the next steps. `displacement` measures motion since the last list; a list is rebuilt when this
exceeds the skin, see ``LIST_STALE`` in `dem.kernels.soft.integration.time_loop`.
"""
