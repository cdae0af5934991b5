"""The box of a simulation, for soft particles and hard spheres.

`faces`: places and motion of the six faces. `periodic`: minimum images, and positions wrapped into the box.
`deforming`: a periodic cell that deforms, at prescribed rates or such that stresses are held (`choose_gradient`). The
minimum image in it is `nearest_deformed`; its velocity gradient moves positions in `carried`, velocities in `slowed`,
and is in the velocity of an image, `velocity_along_cell`.
`roughness`: the random inclination with which a particle meets a rough wall.
"""
