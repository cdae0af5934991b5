"""Walls beside the box.

Read `wall` first: what all walls have. Shapes: `basic`, `axisymmetric`, `polyhedral`, `mesh`. Motion: `motion` (given),
`servo` (controlled by force), `rigid_body` (moved by forces). Meshes: `stl`, `mesh_builders`, `welding`, `mesh_cells`.
For kernels and pictures: `wall_shapes`, `wall_triangles`, `surfaces`. Space: `wall_clearance`, `enclosure`.
"""
