"""Soft particles, which overlap where they touch, moved in time steps.

`simulation` has the class that users see, and `engine` owns the arrays of the kernels. Parts of the engine:

    arrays, per_body, neighbour_lists   arrays by body, snapshots of them, identities of particles; lists
    contact, walls, bonds, fluid        contacts and their history, walls, bonds, fluid
    heat            scalars that particles exchange, such as temperatures
    deforming_cell, escape              a cell that deforms; open faces
    energy_sums     energies of the kernels, for the energy ledger in `dem.system`
    insertion       insertion and removal of particles
    subdomain       the part of a rank, and its exchange with others
    time_step       advice on the time step, and limits during a run
    thread_balance  how many threads take a step, and the part of each

Before a run: `checks`. After a failure: `run_errors`, `recorder`. At the end: `verdict`. In files: `checkpoint`.
"""
