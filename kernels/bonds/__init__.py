"""Elastic bonds between bodies. How a time step uses them is in `dem.kernels.soft.bonds`.

`beam`: a bond as a short beam with its potential, its dashpots and its stresses, which decide when it breaks.
`static_row`: a row of bonds at rest under loads, for static solutions.
"""
