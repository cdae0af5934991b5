"""Insertion and removal of particles during a run.

Read `population` first: all inserters and outlets of an engine, at which steps they act, and the sums over particles
that came and went. `inserter_in_run` samples sizes and puts particles in, at the places of `places`; `outlet_in_run`
takes them out, with the elastic energy of their contacts. `resize` changes which bodies an engine has, and leaves no
trace in those that stay.
"""
