"""The box of a simulation, for soft particles and hard spheres.

`faces`: places and motion of the six faces. `periodic`: minimum images, and positions wrapped into the box.
`deforming`: a periodic cell that deforms, at prescribed rates or such that stresses are held (`choose_gradient`).
`roughness`: the random inclination with which a particle meets a rough wall.
"""
