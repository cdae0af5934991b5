"""Shared parts of simulations of all methods.

`system`: what files, cases and commands may ask of a simulation, and what a run plans, tells and comes to.
`energy_ledger`: the part of it that accounts for energy. `diagnosis`: findings of a run in words.
"""
