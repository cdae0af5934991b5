"""Bonds between particles.

`bonds`: which pairs are bonded, with stiffness, damping and strength. `bond_rest_shape`: their shape without load.
"""
