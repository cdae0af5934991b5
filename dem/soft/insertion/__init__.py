"""Insertion and removal of particles during a run.

Read `population` first: all inserters and outlets of an engine, at which steps they act, and the sums over particles
inserted and removed. `inserter_in_run` samples sizes and inserts particles, at the positions of `places`;
`outlet_in_run` removes them, with the elastic energy of their contacts. `resize` adds bodies to an engine or removes
them; the state of the others is unchanged to the bit.
"""
