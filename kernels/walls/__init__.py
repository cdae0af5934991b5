"""Shapes of walls: the distance of a place from each, and the potential of a sphere or capsule near it.

Read `geometry` first: all walls in flat arrays, each in its own frame. A primitive (`plane`, `ball`, `block`,
`rectangle`, `capsule`, `torus`, `revolution`) is a file with its distance and the gradient, and a row of `wall_kinds`.
Meshes: `triangles`, `segment_distance`, `mesh_cells`, and `contact_patches`, which counts shared edges once.
Sides of capsules: `sides`, `axisymmetric_sides`, `axis_distance`. Potentials: `potential_terms`,
`side_potential_terms`. Motion: `poses` (given functions of time), `rigid_body` (moved by forces). `clearance`:
distances of many places from all walls. `cylindrical`: cylindrical coordinates.
"""
