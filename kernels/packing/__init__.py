"""Starting states of simulations.

`insertion`: random sequential insertion of bodies, one after another. `insertion_round`: one round of it, also for
insertion during a run. `directions`: directions of fibres on a lattice, by Monte Carlo steps.
"""
