"""Time steps of soft particles.

Folders, in the order of a step:

    state, chunks, fixed    arrays; stretches of bodies; fixed bodies
    neighbours      broad phase: linked cells, pairs of bodies, candidate pairs
    contact         narrow phase and contact forces between particles
    wall_contact    contacts with the box and with walls of any shape
    bonds, fluid    forces of bonds and of a fluid
    integration     particle update, sweeps over chunks, the loop over steps
    subdomain       the part of a rank: ghosts and halo exchange

Read `integration.time_loop` and `integration.sweeps` first.
"""
