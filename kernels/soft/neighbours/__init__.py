"""Broad phase: which particles may touch before lists are made anew.

`linked_cells` sorts bodies into cells and into this order in memory. `neighbour_list` lists pairs of bodies that may
meet, without bonded ones, with one thread or several. `candidate_pairs` picks the spheres or capsules of these that may
touch within the next steps. `displacement` measures motion since the last list; a list is made anew
when this exceeds the skin, see ``LIST_STALE`` in ``integration/time_loop``.
"""
