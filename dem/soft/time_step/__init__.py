"""The time step.

Read `advice` first: what limits the time step of a simulation. `impacts` and `adhesion` estimate durations of contacts.
`limits`: how deep and how short contacts may be while a run goes on.
"""
