"""A fluid around the particles.

Read `fluid` first: density, viscosity, drag, lift and torque. Flow fields: `flows`, `given_flows` (grids and
functions of users). Two-way coupling: `cells` and `coupling`. For particles that collide at random: `turbulence`
and `solids_pressure`.
"""
