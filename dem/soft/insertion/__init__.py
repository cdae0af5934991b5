"""Insertion and removal of particles during a run.

Read `population` first: all inserters and outlets of an engine, and at which steps they act. `inserter_in_run` puts
particles in, at the places of `places` and with the sizes of `size_sampler`; `outlet_in_run` takes them out. `resize`
changes which bodies an engine has, and leaves no trace in those that stay. `insertion_ledger` accounts for mass and
energy. `additions`: particles that users add between runs.
"""
