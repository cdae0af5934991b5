"""Advice on the time step.

Read `advice` first: what limits the time step of a simulation. `impacts`, `springs`, `short_contacts` and `adhesion`
estimate durations of contacts. `limits`: how deep overlaps may be.
"""
