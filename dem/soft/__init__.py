"""Particles that overlap where they touch, moved in time steps.

`simulation.py` is what users see, `engine.py` owns the arrays. Before a run `advice.py` tells which time step it needs;
`limits.py` says how far it may go, `trouble.py` what went wrong, `verdict.py` what to think of it; `recorder.py` shows
the last steps before it broke.

What decides how a run goes on is a `snapshot.py`; `per_body.py` lists the arrays of bodies, `history.py` is what
contacts remember, `numbering.py` tells the user's rows from identities. `sizes.py` and `stages.py` are for benchmarks.
"""
