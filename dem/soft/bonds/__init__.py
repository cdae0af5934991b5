"""Bonds of an engine.

`bond_setup` and `bond_arrays` make the arrays of the kernels. `bond_validation` checks a state from a file.
`bond_static_load`: bonds that cannot carry what hangs from them.
"""
