"""Broad phase: which particles may touch before lists are made anew.

`linked_cells` sorts bodies into cells and into this order in memory. `body_pairs` lists pairs of bodies that may meet
(the neighbour list). `candidate_pairs` picks the spheres of these that may touch within the next steps, and
`capsule_candidates` the capsules. `bond_exclusions` leaves bonded pairs out. `displacement` measures motion since the
last list, which decides when it is stale. `neighbour_lists` makes all lists, with one thread or several.
"""
