"""The box of a simulation, for soft particles and hard spheres.

`faces`: places and motion of the six faces. `periodic`: minimum images, and positions wrapped into the box.
`deforming_cell`: a periodic cell that deforms, at prescribed rates or under stress control (`choose_rates`). The
minimum image in it is `nearest_image_deforming`; its velocity gradient moves positions in `advance_position_deforming`,
velocities in `map_velocity_deforming`, and is in the velocity of an image, `image_velocity_deforming`.
`roughness`: the random inclination with which a particle meets a rough wall.
"""
