"""Shared parts of simulations of all methods.

`system`: interface of a simulation for files, cases and commands, and the plan, observer and verdict of a run.
`energy_ledger`: the part of it that accounts for energy. `diagnosis`: findings of a run in words.
"""
