"""The part of a rank in a time step.

`subdomain_step` is the step of a subdomain: it moves the bodies that other ranks need before all others, so that their
messages travel meanwhile. `ghosts` are copies of bodies of other ranks, and `halo_exchange` packs and unpacks their
motion and sums over ranks.
"""
