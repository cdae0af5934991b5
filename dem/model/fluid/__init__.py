"""A fluid around the particles.

Read `fluid` first: density, viscosity, drag, lift and torque. `drag_registry` has the drag laws by name. Flow fields:
`flows`, `given_flows` (grids and functions of users). Two-way coupling: `cells` and `coupling`. For particles that
collide at random: `turbulence` and `solids_pressure`.
"""
