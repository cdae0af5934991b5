"""Soft particles, which overlap where they touch, moved in time steps.

`simulation` has the class that users see, and `engine` owns the arrays of the kernels. Parts of the engine, in folders:

    arrays, per_body, particle_ids, neighbours      arrays by body, identities of particles, lists
    contact, walls, bonds, fluid    contacts and their history, walls, bonds, fluid
    insertion       insertion and removal of particles
    subdomain       the part of a rank, and its exchange with others
    time_step       advice on the time step

Before a run: `checks`. During a run: `energy_unit` and `energy_sums` (of the kernels, for the energy ledger in
`dem.system`), `escape`, `thread_balance`. After a failure: `run_errors`, `recorder`. At the end: `judgement`,
`verdict`. `snapshot`, `checkpoint`: all that decides how a run continues.
"""
