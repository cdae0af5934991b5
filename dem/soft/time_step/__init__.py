"""The time step.

Read `advice` first: what limits the time step of a simulation. `impacts` and `adhesion` estimate durations of contacts,
`standing_contacts` those that there are at present.
`limits`: how deep and how short contacts may be while a run goes on.
"""
