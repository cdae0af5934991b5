"""Overlaps of convex bodies at one moment, for checks and limits in Python."""

from dem.kernels.compiler.jit import kernel
from dem.kernels.convex.overlap import overlap as convex_overlap
from dem.kernels.convex.shape_kinds import support_of
from dem.kernels.domain.faces import height, inward
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.vector import add, load, scale, store, subtract
from dem.kernels.soft.contact.convex_bodies import at_plane, convex_body
from dem.kernels.soft.contact.surface_motion import radius_of


@kernel
def measure_pairs(bodies, kinds, box, sphere_i, sphere_j, overlap, normal, arm_i, arm_j):
    """Contacts of pairs of pieces, which have been placed.

    sphere_i, sphere_j: (K,) pieces of each pair.
    Writes overlap: (K,) [m]; less than 0 for pairs that are apart.
    Writes normal, arm_i, arm_j: (3, K) from j to i, contact from the centres of both bodies [m].
    """
    for k in range(sphere_i.size):
        i, j = sphere_i[k], sphere_j[k]
        b, c = bodies.owner[i], bodies.owner[j]
        r = minimum_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
        deep, n, x_j, x_i, _ = convex_overlap(
            convex_body(j, c, bodies, kinds), convex_body(i, b, bodies, kinds), r, (0.0, 0.0, 0.0), 0.0
        )
        middle = scale(0.5, add(x_j, add(r, x_i)))
        overlap[k] = deep
        store(normal, k, n)
        of_b = minimum_image(box, load(bodies.sphere_position, i), load(bodies.position, b))
        of_c = minimum_image(box, load(bodies.sphere_position, j), load(bodies.position, c))
        store(arm_i, k, add(subtract(middle, r), of_b))
        store(arm_j, k, add(middle, of_c))


@kernel
def measure_faces(bodies, kinds, box, overlap):
    """Overlaps of all pieces, which have been placed, with the faces of a box.

    Writes overlap: (6, M) [m]; less than 0 for those that are apart.
    """
    for b in range(bodies.kind.size):
        for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
            for face in range(6):
                x = at_plane(kinds, s, b, inward(face), bodies)
                overlap[face, s] = radius_of(s, b, bodies, kinds) - height(x, face, box)


@kernel
def measure_arms(bodies, kinds, box, sphere, normal, arm):
    """Places of some pieces that are lowest against normals, from the centres of their bodies.

    sphere, normal: (T,), (3, T) pieces, which have been placed, unit vectors.
    Writes arm: (3, T) [m].
    """
    for t in range(sphere.size):
        s, b = sphere[t], bodies.owner[sphere[t]]
        centre = minimum_image(box, load(bodies.sphere_position, s), load(bodies.position, b))
        store(arm, t, add(centre, support_of(convex_body(s, b, bodies, kinds), scale(-1.0, load(normal, t)))[1]))
