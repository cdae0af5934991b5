"""The box and regions of space.

`box`: limits, open and periodic faces, motion of faces. `cell`: a periodic cell that deforms. `box_walls`: the box as
kernels read it. `roughness`: the inclination of rough walls. `regions`: volumes and surfaces in which particles are
placed or removed.
"""
