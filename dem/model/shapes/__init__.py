"""Shapes of particles, with their mass properties.

Read `shape` first: what a shape has to provide, `Sphere` and `Fibre`. `capsule`, `clump`: further rigid shapes;
`principal_body`: shapes in their principal axes, whatever frame they were given in.
`ellipsoid`, `polyhedron`, `rounded_cylinder`: convex shapes, known by their support functions (`dem.kernels.convex`).
`convex_hull`: hulls of points and integrals over rounded ones. `mesh_clump`: spheres inside of a mesh. `flexible`:
flexible fibres, which are rows of bonded nodes. `spheroid`: spheroids of the same moments, for drag. `bodies`: the
spheres of all bodies in arrays.
"""
