"""Shapes of walls: distances of points from walls, and contacts of spheres and capsules with them.

Read `geometry` first: all walls in flat arrays, each in its own frame. `primitives`: distances from simple shapes, each
with a row of `wall_registry`. `revolution`: cylinders, cones, discs, and all else that a polyline sweeps. Meshes:
`triangles`, `mesh_cells`, and `contact_patches`, which counts shared edges once. Sides of capsules: `capsule_sides`,
`axisymmetric_sides`. Contacts and their potentials: `potential_terms`. Motion: `poses` (given functions of time),
`rigid_body` (moved by forces).

To add a built-in wall, touch here `primitives` (distance and gradient) and `geometry` (number of the kind, and its
row); the files of `dem`, beginning with `dem.model.walls`, are in the table of CONTRIBUTING.md. A wall of another
package is one call of `dem.register_wall`.
"""
