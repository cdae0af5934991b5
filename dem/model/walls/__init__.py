"""Walls in addition to the box.

Read `wall` first: what all walls have. Shapes: `primitives`, `mesh`; `wall_registry` for those of other packages.
Motion: `motion` (given), `servo` (controlled by force), `rigid_body` (moved by forces). Meshes: `stl`, `mesh_builders`,
`surfaces`, `welding`, `mesh_cells`. For kernels and pictures: `wall_shapes`, `wall_triangles`, `convex_walls`. Space:
`wall_clearance`, `enclosure`.

To add a built-in wall, touch `wall_shapes` (numbers for the kernels, bounds), `primitives` (the class for users) and
`wall_triangles` (triangles for pictures), here, and `kernels/walls`; the table of CONTRIBUTING.md lists all files. A
wall of another package is one call of `dem.register_wall`.
"""
