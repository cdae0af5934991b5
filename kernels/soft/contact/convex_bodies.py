"""Convex bodies by their support functions (`dem.kernels.convex`), in one run with spheres and clumps of spheres.

Where a run has one of them, its kinds are of a type of their own, so that other runs pay nothing. Each sphere of the
tables is then a *piece*: a ball, or a convex shape about the centre of its sphere. `Kinds.radius` is the radius of a
piece in contact laws, and the bounding spheres, of which lists are made, have radii of their own.

The radius in Hertz's law is a constant of a piece: with it, a force along the normal is the gradient of one energy of
the overlap, wherever the bodies touch. A radius of local curvature would make the energy depend on the place as well.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import inline, select
from dem.kernels.convex.polyhedra import number_of_vertices, vertex_of
from dem.kernels.convex.shape_registry import ConvexBody, has_facets, rounding_of, support_of
from dem.kernels.numerics.quaternion import load_quaternion
from dem.kernels.numerics.vector import add, add_scaled, load, scale
from dem.kernels.soft.contact.surface_motion import radius_of
from dem.kernels.soft.state import Kinds

ConvexBodyKinds = NamedTuple(
    "ConvexBodyKinds",
    [
        *Kinds.__annotations__.items(),
        ("shapes", tuple),  # chain of the kinds of shapes in the run, see `dem.kernels.convex.shape_registry`
        ("shape", np.ndarray),  # (S,) int64, place of the kind of shape of each piece in the chain
        ("first_number", np.ndarray),  # (S,) int64, where the numbers of each piece begin
        ("numbers", np.ndarray),  # (P,) numbers of all shapes
        ("bound", np.ndarray),  # (S,) radius of the bounding sphere of each piece about its centre [m]
        ("is_centred", bool),  # whether every body is one piece, about its centre of mass
        ("solver", np.ndarray),  # (SOLVER_COLUMNS,) int64, what the solver did in the run, see `convex_contacts`
    ],
)

ConvexBodyKinds.extends = (Kinds,)


class FacetedBodyKinds(ConvexBodyKinds):
    """Kinds of a run in which some convex bodies are polyhedra, which touch at several places."""

    extends = (ConvexBodyKinds,)


# columns of `Neighbours.lines`: centre of a piece [m], orientation, row of the tables of pieces; in the second line
# velocity [m/s] and spin [rad/s] of its body at the next forces, kind of the body
CENTRE, TURN, ROW, VELOCITY, SPIN, KIND, LINES = 0, 3, 7, 8, 11, 14, 16


@inline
def piece_of(s, kinds, lines):
    """Convex body s of a body in its current orientation, from its cache line."""
    row = int(lines[s, ROW])
    q = (lines[s, TURN], lines[s, TURN + 1], lines[s, TURN + 2], lines[s, TURN + 3])
    return ConvexBody(kinds.shapes, kinds.shape[row], kinds.numbers, kinds.first_number[row], q)


@inline
def centre_of(s, lines):
    """Centre of piece s [m], from its cache line."""
    return lines[s, CENTRE], lines[s, CENTRE + 1], lines[s, CENTRE + 2]


@inline
def row_of(s, b, bodies, kinds):
    """Row of sphere s of body b in the tables of spheres."""
    return kinds.first_offset[bodies.kind[b]] + s - bodies.first_sphere[b]


@inline
def convex_body(s, b, bodies, kinds):
    """Sphere s of body b as a convex body, in its current orientation."""
    row = row_of(s, b, bodies, kinds)
    q = load_quaternion(bodies.orientation, b)
    return ConvexBody(kinds.shapes, kinds.shape[row], kinds.numbers, kinds.first_number[row], q)


@inline
def sphere_bound(kinds, row):
    """Radius of a row of the tables of spheres [m]."""
    return kinds.radius[row]


@inline
def convex_bound(kinds, row):
    """Radius of the bounding sphere of a row of the tables of pieces [m]."""
    return kinds.bound[row]


@inline
def sphere_at_plane(kinds, s, b, normal, bodies):
    """Centre of sphere s of body b [m]."""
    return load(bodies.sphere_position, s)


@inline
def ball_at_plane(kinds, s, b, normal, bodies):
    """Centre of the sphere that touches a plane of this normal where piece s of body b does [m].

    It has the radius of the piece in contact laws, and its lowest point is the support point of the piece against the
    normal. So the overlap of both with such a plane is the same, h(-n) - (n·c - a), and so is the place of contact.
    """
    lowest = support_of(convex_body(s, b, bodies, kinds), scale(-1.0, normal))[1]
    return add_scaled(add(load(bodies.sphere_position, s), lowest), radius_of(s, b, bodies, kinds), normal)


@inline
def number_of_corners(kinds, law, s, b, bodies):
    """Number of vertices at which piece s of body b may touch a plane; 0 if only its support point may."""
    body = convex_body(s, b, bodies, kinds)
    if laws.has_range(law) or laws.largest_begin_gap(law) > 0.0 or not has_facets(body):
        return 0
    return number_of_vertices(body)


@inline
def whole_at_plane(kinds, s, b, corner, normal, bodies):
    """Centre of the ball with which piece s of body b meets planes, see `at_plane`."""
    return at_plane(kinds, s, b, normal, bodies)


@inline
def corner_at_plane(kinds, s, b, corner, normal, bodies):
    """Centre of the ball with which a corner of piece s of body b meets planes [m]; as `ball_at_plane` if it is -1."""
    if corner < 0:
        return at_plane(kinds, s, b, normal, bodies)
    body = convex_body(s, b, bodies, kinds)
    x = add(load(bodies.sphere_position, s), vertex_of(body, corner))
    return add_scaled(x, radius_of(s, b, bodies, kinds) - rounding_of(body), normal)


bounding_radius = select("kinds", {Kinds: sphere_bound, ConvexBodyKinds: convex_bound})
at_plane = select("kinds", {Kinds: sphere_at_plane, ConvexBodyKinds: ball_at_plane})
corners_of = select("kinds", {Kinds: 0, FacetedBodyKinds: number_of_corners})
place_at_plane = select("kinds", {Kinds: whole_at_plane, FacetedBodyKinds: corner_at_plane})
