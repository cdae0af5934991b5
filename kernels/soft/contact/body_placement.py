"""Place the spheres of bodies, and the axes of capsules."""

from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.numerics.quaternion import load_quaternion, rotate
from dem.kernels.numerics.vector import add, load, store
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.capsules import Capsules, Mixed, place_axis, place_pieces
from dem.kernels.soft.state import Kinds


@inline
def place_body(b, bodies, kinds):
    """Sphere centres x + q d q* of body b."""
    x = load(bodies.position, b)
    q = load_quaternion(bodies.orientation, b)
    o = kinds.first_offset[bodies.kind[b]] - bodies.first_sphere[b]
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        store(bodies.sphere_position, s, add(x, rotate(q, load(kinds.offset, s + o))))


turn = select("kinds", {Kinds: None, Capsules: place_axis, Mixed: place_pieces})


@inline
def place_spheres(kinds, c, bodies, neighbours):
    """Place the spheres of the bodies of chunk c that have anything to touch."""
    low, _ = chunk_of(c, bodies.kind.size)
    for k in range(low, low + neighbours.with_contacts_count[c]):
        place_body(neighbours.with_contacts[k], bodies, kinds)


@inline
def place_axes(kinds, c, bodies, neighbours):
    """Turn the axes of the bodies of chunk c that have anything to touch, and place the ends of those near walls."""
    low, _ = chunk_of(c, bodies.kind.size)
    for k in range(low, low + neighbours.with_contacts_count[c]):
        turn(kinds, neighbours.with_contacts[k], bodies)
    for k in range(low, low + neighbours.near_wall_count[c]):
        place_body(neighbours.near_wall[k], bodies, kinds)


place = select("kinds", {Kinds: place_spheres, Capsules: place_axes})


@func
def place_all(bodies, kinds):
    """Place the spheres of all bodies of several spheres, for output; single spheres lie where their bodies do."""
    if not kinds.all_single_spheres:
        for b in range(bodies.kind.size):
            place_body(b, bodies, kinds)
            turn(kinds, b, bodies)


@func
def place_off_line(c, bodies, kinds):
    """Place the spheres of those bodies of chunk c that are not on a line, before candidates are picked."""
    if kinds.all_single_spheres:
        return
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        if kinds.is_collinear[bodies.kind[b]] == 0:
            place_body(b, bodies, kinds)
