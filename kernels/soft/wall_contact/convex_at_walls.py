"""Convex bodies at walls beside the box: at planes, each is a ball with its lowest point, see `convex_bodies`."""

from dem.kernels.compiler.jit import inline, select
from dem.kernels.numerics.vector import load
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, at_plane
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact.wall_arrays import in_world


@inline
def sphere_at_wall(kinds, w, s, b, bodies, box):
    """Centre of sphere s of body b [m]."""
    return load(bodies.sphere_position, s)


@inline
def ball_at_wall(kinds, w, s, b, bodies, box):
    """Centre of the ball with which piece s of body b meets wall w, a plane [m]; others are refused before a run."""
    geometry = box.walls.geometry
    k = geometry.first_number[w]
    normal = in_world(w, (geometry.numbers[k], geometry.numbers[k + 1], geometry.numbers[k + 2]), box)
    return at_plane(kinds, s, b, normal, bodies)


at_wall = select("kinds", {Kinds: sphere_at_wall, ConvexBodyKinds: ball_at_wall})
