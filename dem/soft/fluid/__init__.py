"""The fluid of an engine.

`fluid_setup`: arrays of the kernels. `drag_inputs`: what drag laws need of each shape. `two_way_coupling`: exchange of
momentum between particles and cells of the fluid.
"""
