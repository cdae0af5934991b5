"""Size of the time step: advice, estimates and limits.

Read `advice` first: what limits the time step of a simulation. `impacts` and `adhesion` estimate durations of contacts,
`standing_contacts` the frequencies of current contacts. `limits`: deepest and shortest contacts allowed during a run.
"""
