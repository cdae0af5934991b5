"""The part of a rank in a time step.

`subdomain_step` is the step of a subdomain: it moves the bodies that other ranks need before all others, so that their
messages travel meanwhile. `ghost_pairs` lists the pairs with ghosts, copies of bodies of other ranks. `halo_exchange`
packs and unpacks the motion of ghosts (`pack_halo`) and sums over ranks.
"""
