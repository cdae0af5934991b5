"""The fluid of an engine.

`fluid_setup`: the fluid as an engine has it, its arrays for the kernels, advice and doubts. `two_way_coupling`:
exchange of momentum between particles and cells of the fluid.
"""
