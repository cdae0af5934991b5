"""Place the spheres of bodies, and the axes of capsules."""

import math

from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.numerics.quaternion import load_quaternion, rotate, store_quaternion
from dem.kernels.numerics.vector import add, dot, load, store, subtract
from dem.kernels.soft.chunks import CHUNK, chunk_of, first_candidate
from dem.kernels.soft.contact.capsules import Capsules, Mixed, place_axes, place_pieces, rows_of_poses
from dem.kernels.soft.contact.convex_bodies import KIND, ROW, SPIN, TURN, VELOCITY, ConvexBodyKinds
from dem.kernels.soft.contact.convex_contacts import clear_lists
from dem.kernels.soft.neighbours.displacement import squared_tip_displacement
from dem.kernels.soft.state import Kinds


@inline
def place_body(b, bodies, kinds):
    """Sphere centres x + q d q* of body b."""
    x = load(bodies.position, b)
    q = load_quaternion(bodies.orientation, b)
    o = kinds.first_offset[bodies.kind[b]] - bodies.first_sphere[b]
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        store(bodies.sphere_position, s, add(x, rotate(q, load(kinds.offset, s + o))))


@vector_loop
def place_at_centres(low, high, position, sphere_position):
    """Place the spheres of the bodies low to high, each of which carries one, at its centre.

    position: (3, N) [m].
    Writes sphere_position: (3, N) [m].
    """
    for b in range(low, high):
        store(sphere_position, b, load(position, b))


@inline
def place_capsules(kinds, low, high, bodies):
    """Write the poses of the bodies low to high, capsules and spheres."""
    place_axes(low, high, bodies.kind, kinds.half, bodies.position, bodies.orientation, rows_of_poses(), kinds.pose)


@inline
def place_pieces_of(kinds, low, high, bodies):
    """Write the poses of the pieces of the bodies low to high."""
    for b in range(low, high):
        place_pieces(kinds, b, bodies)


place_poses = select("kinds", {Kinds: None, Capsules: place_capsules, Mixed: place_pieces_of})
# before candidates are picked: those of pieces are picked by positions and orientations
place_poses_to_pick = select("kinds", {Kinds: None, Capsules: place_capsules, Mixed: None})


@vector_loop
def place_listed(low, high, listed, offset, position, orientation, sphere_position):
    """Place the spheres low to high of a list at x + q d q* of their bodies.

    listed: `Neighbours.spheres_to_place`.
    offset, position, orientation: of `Kinds` and `Bodies`.
    Writes sphere_position: (3, M) [m].
    """
    for k in range(low, high):
        s, b, column = load(listed, k)
        d = rotate(load_quaternion(orientation, b), load(offset, column))
        store(sphere_position, s, add(load(position, b), d))


@inline
def place_spheres(kinds, c, bodies, neighbours):
    """Place the spheres of chunk c that may touch something."""
    low = bodies.first_sphere[c * CHUNK]
    place_listed(
        low, low + neighbours.spheres_to_place_count[c], neighbours.spheres_to_place, kinds.offset, bodies.position,
        bodies.orientation, bodies.sphere_position,
    )  # fmt: skip


@inline
def place_capsules_of_chunk(kinds, c, bodies, neighbours):
    """Write the poses of the bodies of chunk c."""
    low, high = chunk_of(c, bodies.kind.size)
    place_capsules(kinds, low, high, bodies)


@inline
def place_listed_pieces(kinds, c, bodies, neighbours):
    """Write the poses of the pieces of those bodies of chunk c that may touch something."""
    low, _ = chunk_of(c, bodies.kind.size)
    for k in range(low, low + neighbours.with_contacts_count[c]):
        place_pieces(kinds, neighbours.with_contacts[k], bodies)


place_poses_of_chunk = select("kinds", {Capsules: place_capsules_of_chunk, Mixed: place_listed_pieces})


@inline
def place_poses_and_ends(kinds, c, bodies, neighbours):
    """Write the poses of the bodies of chunk c, and place the ends of those near walls."""
    place_poses_of_chunk(kinds, c, bodies, neighbours)
    low, _ = chunk_of(c, bodies.kind.size)
    for k in range(low, low + neighbours.near_wall_count[c]):
        place_body(neighbours.near_wall[k], bodies, kinds)


@vector_loop
def add_travelled(low, high, kind, bound, position, orientation, last_pose, travelled):
    """Add the displacement of bodies low to high since their last pose to the length of their paths.

    The length of the path since the pick, and not the displacement: its increase bounds how far any point moves from
    any later time on, such as the one at which the clearance of a pair was found.

    kind, bound: (N,), (G,) kind of each body, `Kinds.bounding_radius` [m].
    position, orientation: (3, N) [m], (4, N).
    Writes last_pose, travelled: (7, N), (N,) of `Neighbours`.
    """
    for b in range(low, high):
        x, q = load(position, b), load_quaternion(orientation, b)
        d = subtract(x, load(last_pose, b))
        turned = squared_tip_displacement(bound[kind[b]], q, load_quaternion(last_pose[3:], b))
        travelled[b] += math.sqrt(dot(d, d)) + math.sqrt(turned)
        store(last_pose, b, x)
        store_quaternion(last_pose[3:], b, q)


@vector_loop
def write_lines(
    low, high, first_sphere, kind, first_offset, sphere_position, orientation, velocity, spin, lines
):  # fmt: skip
    """Write the cache lines of the pieces of the bodies low to high, from which contacts read them.

    first_sphere, kind, sphere_position, orientation, velocity, spin: of `Bodies`, the last two ahead of the forces.
    first_offset: of `Kinds`.
    Writes lines: see `dem.kernels.soft.contact.convex_bodies`.
    """
    for b in range(low, high):
        q, v, w = load_quaternion(orientation, b), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if velocity.shape[1] > 0:
            v = load(velocity, b)
        if spin.shape[1] > 0:
            w = load(spin, b)
        row = first_offset[kind[b]] - first_sphere[b]
        for s in range(first_sphere[b], first_sphere[b + 1]):
            lines[s, 0], lines[s, 1], lines[s, 2] = load(sphere_position, s)
            lines[s, TURN], lines[s, TURN + 1], lines[s, TURN + 2], lines[s, TURN + 3] = q
            lines[s, ROW] = float(row + s)
            lines[s, VELOCITY], lines[s, VELOCITY + 1], lines[s, VELOCITY + 2] = v
            lines[s, SPIN], lines[s, SPIN + 1], lines[s, SPIN + 2] = w
            lines[s, KIND] = float(kind[b])


@inline
def write_all_lines(kinds, bodies, neighbours):
    """Write the cache lines of the pieces of all bodies, which have been placed."""
    write_lines(
        0, bodies.kind.size, bodies.first_sphere, bodies.kind, kinds.first_offset, bodies.sphere_position,
        bodies.orientation, bodies.velocity_predicted, bodies.angular_velocity_predicted, neighbours.lines,
    )  # fmt: skip


record_lines = select("kinds", {Kinds: None, ConvexBodyKinds: write_all_lines})


@inline
def place_convex(kinds, c, bodies, neighbours):
    """Place the pieces of the bodies of chunk c that have anything to touch, and measure their paths."""
    low, high = chunk_of(c, bodies.kind.size)
    if kinds.is_centred:
        place_at_centres(low, high, bodies.position, bodies.sphere_position)
    else:
        place_spheres(kinds, c, bodies, neighbours)
    write_lines(
        low, high, bodies.first_sphere, bodies.kind, kinds.first_offset, bodies.sphere_position, bodies.orientation,
        bodies.velocity_predicted, bodies.angular_velocity_predicted, neighbours.lines,
    )  # fmt: skip
    add_travelled(
        low, high, bodies.kind, kinds.bounding_radius, bodies.position, bodies.orientation, neighbours.last_pose,
        neighbours.travelled,
    )  # fmt: skip


@inline
def record_poses(kinds, c, bodies, neighbours):
    """Begin the paths of the bodies of chunk c when candidates are picked, and reset the clearances of these."""
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        store(neighbours.last_pose, b, load(bodies.position, b))
        store_quaternion(neighbours.last_pose[3:], b, load_quaternion(bodies.orientation, b))
        neighbours.travelled[b] = 0.0
    start = first_candidate(c, neighbours)
    for k in range(start, start + neighbours.pairs[c]):
        neighbours.clearance[k] = -math.inf
        clear_lists(kinds, k, neighbours)


place = select("kinds", {Kinds: place_spheres, Capsules: place_poses_and_ends, ConvexBodyKinds: place_convex})
record_pick = select("kinds", {Kinds: None, ConvexBodyKinds: record_poses})


@func
def place_all(bodies, kinds):
    """Place the spheres of all bodies of several spheres, for output; single spheres lie where their bodies do."""
    if not kinds.all_single_spheres:
        for b in range(bodies.kind.size):
            place_body(b, bodies, kinds)
        place_poses(kinds, 0, bodies.kind.size, bodies)


@func
def place_before_pick(c, bodies, kinds):
    """Place what candidates of chunk c are selected by: the spheres of bodies that are not collinear, and capsules."""
    if kinds.all_single_spheres:
        return
    low, high = chunk_of(c, bodies.kind.size)
    place_poses_to_pick(kinds, low, high, bodies)
    for b in range(low, high):
        if kinds.is_collinear[bodies.kind[b]] == 0:
            place_body(b, bodies, kinds)
