"""Overlaps of convex bodies from their support functions.

The support function of a body is h(n) = max n · x over its points x about its centre, and its support point x(n) is
the place of this maximum, in the body frame. Two bodies, B at r from A, overlap by δ = min over unit vectors n of
g(n) = h_A(n) + h_B(-n) - n · r; where they do not meet, -δ is their distance. The minimum obeys ∂δ/∂r = -n and
∂δ/∂(turn of A) = x_A × n, so that a force U'(δ) n that acts at the support points has the energy U(δ).

`supports`: support functions, support points and curvatures of all shapes. `shape_registry`: a row for each shape, and
bodies as kernels take them. `closest_points`: distances of separate bodies of any shape (Gilbert, Johnson & Keerthi).
`overlap`: the minimum of g, by Newton's method for smooth bodies, and by distances of shifted bodies for all others.
`newton_batches`: Newton's method for many pairs at once.
`polyhedra`: contacts of polyhedra at several places. `support_samples`: support functions at many normals, for Python.
`overlap_energy`: energy of all overlaps of many bodies, its forces and torques, for dense packings.
"""
