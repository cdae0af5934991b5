"""Arrays of walls beside the faces of a box: poses, motion of surfaces, periodic image of a body nearest to a wall.

A box with such walls is of a type of its own, so that other boxes do not compile them. The data of a sphere near walls
are one row of `Walls.sphere_records`: few spheres are near walls, so each cache line of their data is a cache miss, and
one row has fewer lines than separate lists, slots and histories.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import fast_call, func, inline, select, upcast
from dem.kernels.domain import faces
from dem.kernels.domain.faces import BoxFaces, RoughFaces
from dem.kernels.domain.periodic import PeriodicFaces, RoughPeriodicFaces, minimum_image
from dem.kernels.numerics.quaternion import load_quaternion, rotate, rotate_back
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, scale, subtract
from dem.kernels.walls import poses
from dem.kernels.walls.geometry import Geometry, Unused, Used
from dem.kernels.walls.poses import Motions, Poses
from dem.kernels.walls.rigid_body import FreeBodies, NoFreeWall, advance_wall, place_wall

LISTED, NEAR_WALLS, IN_USE, SLOTS = 0, 1, 2, 3  # columns of `Walls.sphere_records`; slots begin at the last
NUMBER_BITS = 32  # of LISTED that tell how many
SINGLE = 62  # walls that have a bit of their own of those near a sphere; all others share one
# rows of `Walls.servo` after the axis, and of `Walls.servo_state`
SERVO_FORCE, SERVO_GAIN, SERVO_MAX_SPEED, SERVO_KIND = 3, 4, 5, 6
SERVO_PROPORTIONAL, SERVO_INTEGRAL, SERVO_DERIVATIVE = 7, 8, 9
SHIFT, SPEED, SHIFT_TIME, ERROR_INTEGRAL, LAST_ERROR, HAS_LAST_ERROR = range(6)


class Walls(NamedTuple):
    """W walls, in the order of their numbers; of contacts with them M spheres have room for S each."""

    geometry: Geometry
    motions: Motions
    poses: Poses
    moving: bool  # whether any wall moves
    belt: np.ndarray  # (3, W) velocity of its surface besides, in its own frame [m/s]
    material_row: np.ndarray  # (W,) int32, row of the law's tables
    acts: np.ndarray  # (W, G) int8, whether it acts on bodies of a kind at present
    modulus: np.ndarray  # (A, W) effective modulus E* of a material and a wall [Pa]
    range: float  # how far beyond touching contacts may live, and come in the step in which they end [m]; or 0
    skip_distance: np.ndarray  # (N,) by index of the body: displacement before which it cannot be near any wall [m]
    # (2,) largest displacement of spheres and walls when bodies near walls were listed; and that of walls
    # since then, less what `RunState.displacement_since_pick` was at that time [m]
    displacement_since_list: np.ndarray
    sphere_records: np.ndarray  # (M, K) int64, all that is kept of a sphere, in whole lines of memory, most of it in
    # the first: where the triangles near it are listed (`listed_at`); bits of the walls that its body may touch before
    # candidates are picked anew; how many slots are in use; S slots, see `slot_at`: of which contact each is
    # (`wall_history.key_of`), and what that remembers
    history: np.ndarray  # (M, K) the same memory, read as such numbers; first the plane that a rough wall shows, if any
    listed: np.ndarray  # (C, L) int32, numbers of the triangles near the spheres of each chunk
    wanted: np.ndarray  # (C,) int64, entries of these rows that were wanted
    old_key: np.ndarray  # (C, S) int64, scratch for the slots of one sphere: of which contacts
    old_history: np.ndarray  # (C, S, R) the same: what these remember
    fullest: np.ndarray  # (C,) int64, most slots of a sphere that were wanted in this pass
    # scratch of chunks: contacts of a sphere with a wall (C, T, columns), see `dem.kernels.walls.potential_terms`, with
    # the further columns of sides of capsules or of convex bodies if a run has any; scratch of searches (C, Q, columns)
    contacts: np.ndarray
    scratch: np.ndarray
    # scratch of a block of spheres, see ``mesh_contacts``. A chunk uses the row `Neighbours.block_of[c]`, one of its
    # thread; there are no more threads than chunks
    centres: np.ndarray  # (C, W, CENTRE_ROWS BLOCK) of the spheres in the frame of each wall, and their reach [m]
    pairs: np.ndarray  # (C, PAIR_COLUMNS) int32, pairs of a sphere and a triangle of a mesh near it
    pair_results: np.ndarray  # (C, PAIR_RESULT_COLUMNS) overlap, energy and force of each pair
    # (C, W) the same: ω² of the body at hand at each wall, see `dem.kernels.soft.contact.shared_damping` [1/s²]
    rate: np.ndarray
    chunk_loads: np.ndarray  # (C, W, `wall_loads.COLUMNS`) int64, sums over the contacts of each chunk with each wall
    unit: np.ndarray  # (4,) units of these sums in 1 N, 1 N m, 1 N/m and 1 N s/m
    load: np.ndarray  # (7, W) at the last forces: force on the wall [N], torque [N m], number of contacts
    integrals: np.ndarray  # (2, 7, W) since the start, in two words as of `energy.accumulate`: the time integral of the
    # first six, and the work that walls have done on particles [J]
    work_half_step: np.ndarray  # (W,) such work in the half step after the last forces [J]
    servo: np.ndarray  # (10, W) of walls that hold a force: unit vector along which they press (three rows),
    # SERVO_FORCE F₀ [N], SERVO_GAIN α, SERVO_MAX_SPEED [m/s], SERVO_KIND (0 none, 1 `dem.Servo`, 2 `dem.PID`),
    # factors of a PID
    servo_state: np.ndarray  # (3, W) SHIFT of walls by servos [m], its SPEED [m/s], SHIFT_TIME, as of when [s]; if any
    # wall has a PID (6, W): ERROR_INTEGRAL over time [s], LAST_ERROR, HAS_LAST_ERROR
    free: tuple  # `dem.kernels.walls.rigid_body.FreeBodies`, or `NoFreeWall` if no wall is one
    first_worn: np.ndarray  # (W,) int64, where pieces of a wall that wears begin in `worn`, else -1
    worn_pieces: np.ndarray  # (W,) int64, number of these pieces; 0 of walls that do not wear
    worn: np.ndarray  # (2, P) int64, sliding work on them since the start, in two words [units of energy]
    rough: tuple  # `dem.kernels.soft.wall_contact.rough_planes.Rough`, or `Smooth` if no wall is that
    convex: tuple  # `dem.kernels.soft.wall_contact.convex_at_walls.ConvexWalls`, or `NoConvexWalls`
    # `Used` or `Unused`: faces of the box at finite places; servos, belts or wear
    faces: tuple
    extras: tuple


def _beside(faces):
    """Fields of faces with walls beside them."""
    return [*faces.__annotations__.items(), ("walls", Walls)]


WalledFaces = NamedTuple("WalledFaces", _beside(BoxFaces))
WalledRoughFaces = NamedTuple("WalledRoughFaces", _beside(RoughFaces))
WalledPeriodicFaces = NamedTuple("WalledPeriodicFaces", _beside(PeriodicFaces))
WalledRoughPeriodicFaces = NamedTuple("WalledRoughPeriodicFaces", _beside(RoughPeriodicFaces))
WalledFaces.extends, WalledRoughFaces.extends = (BoxFaces,), (WalledFaces, RoughFaces)
WalledPeriodicFaces.extends = (WalledFaces, PeriodicFaces)
WalledRoughPeriodicFaces.extends = (WalledPeriodicFaces, RoughPeriodicFaces)
WALLED = {  # types with walls by those without
    BoxFaces: WalledFaces, RoughFaces: WalledRoughFaces, PeriodicFaces: WalledPeriodicFaces,
    RoughPeriodicFaces: WalledRoughPeriodicFaces,
}  # fmt: skip
PLAIN_FACES = {  # types with positions of faces only, by types with walls or roughness
    RoughFaces: BoxFaces, WalledFaces: BoxFaces, WalledRoughFaces: BoxFaces, RoughPeriodicFaces: PeriodicFaces,
    WalledPeriodicFaces: PeriodicFaces, WalledRoughPeriodicFaces: PeriodicFaces,
}  # fmt: skip

# the box as smooth faces alone, for functions that need neither walls nor roughness
as_plain_box = upcast(PLAIN_FACES)


def without_walls(box):
    """Faces of a box without the walls beside them, in Python."""
    plain = PLAIN_FACES.get(type(box))
    return plain(*box[: len(plain._fields)]) if plain else box


def has_walls(box):
    """Whether a box, or a type of boxes, has walls beside its faces; in Python."""
    return "walls" in box._fields


@inline
def place_driven(free, w, time, later, offset, drift, walls):
    """Set the pose of wall w at a time by its prescribed motion and its servo; see `poses.place`."""
    return poses.place(w, time, offset, drift, walls.motions, walls.poses)


@inline
def place_driven_or_free(free, w, time, later, offset, drift, walls):
    """Set the pose of wall w at a time by its prescribed motion and its servo, or by its motion as a rigid body.

    A free wall is advanced by a step if the time is later than before.
    """
    if free.is_free[w] == 0:
        return poses.place(w, time, offset, drift, walls.motions, walls.poses)
    if later:
        advance_wall(w, walls.load, free)
    return place_wall(w, walls.motions, walls.poses, free)


place = select("free", {NoFreeWall: place_driven, FreeBodies: place_driven_or_free})


@func
def move_faces_of_box(box, time):
    """Move the faces to their positions at a time; returns the largest displacement since the last call [m]."""
    return faces.move(time, box)


move_faces = select("box.walls.faces", {Unused: 0.0, Used: move_faces_of_box})


@func
def move_box_and_walls(box, time):
    """Move the faces and all walls to a time; returns the largest displacement since the last call [m]."""
    farthest = move_faces(box, time)
    if box.walls.moving:
        walls = box.walls
        for w in range(walls.material_row.size):
            axis, later = load(walls.servo, w), time > walls.servo_state[SHIFT_TIME, w]
            if walls.servo[SERVO_KIND, w] != 0.0 and later:
                walls.servo_state[SHIFT, w] += walls.servo_state[SPEED, w] * (time - walls.servo_state[SHIFT_TIME, w])
            walls.servo_state[SHIFT_TIME, w] = time
            offset, drift = scale(walls.servo_state[SHIFT, w], axis), scale(walls.servo_state[SPEED, w], axis)
            farthest = max(farthest, place(walls.free, w, time, later, offset, drift, walls))
    return farthest


@fast_call
def move_walled(box, time):
    """`move_box_and_walls`, for calls from Python."""
    return move_box_and_walls(box, time)


move = select("box", {BoxFaces: move_faces_of_box, WalledFaces: move_walled})


@inline
def same_point(box, w, x):
    """Image of a point nearest to a wall, in a box without images: the point itself."""
    return x


@inline
def nearest_to(box, w, x):
    """The image of a point that is nearest to the middle of wall w."""
    middle = load(box.walls.poses.middle, w)
    return add(middle, minimum_image(box, x, middle))


image_for = select("box", {BoxFaces: same_point, PeriodicFaces: nearest_to})


@inline
def other_images(box, w, x, near):
    """Distance that a point may move before another periodic image of it can be nearest to wall w.

    near: distance that counts as near [m]. Returns the distance [m], infinite without images; bits of the axes along
    which another image is as good soon; how far that is along each [m].
    """
    d, far, axes = minimum_image(box, x, load(box.walls.poses.middle, w)), np.inf, 0
    for axis in range(3):
        room = 0.5 * box.length[axis] - abs(d[axis])
        if box.length[axis] > 0.0 and room < near:
            axes |= 1 << axis
        elif box.length[axis] > 0.0:
            far = min(far, room - near)
    return far, axes, (
        -math.copysign(box.length[0], d[0]), -math.copysign(box.length[1], d[1]), -math.copysign(box.length[2], d[2])
    )  # fmt: skip


images_beside = select("box", {BoxFaces: (np.inf, 0, (0.0, 0.0, 0.0)), PeriodicFaces: other_images})


@inline
def record_displacement_of_walls(box, displacement, remaining):
    """Record displacements at a rebuild of the list of bodies near walls."""
    box.walls.displacement_since_list[0] += box.walls.displacement_since_list[1] + displacement
    box.walls.displacement_since_list[1] = -remaining


record_displacement = select("box", {BoxFaces: None, WalledFaces: record_displacement_of_walls})


@inline
def move_faces_only(box, time):
    """Move faces to their positions at a time; returns half of their displacement, which counts in the skin [m].

    Half of the farthest: two spheres come nearer by the ways of both, a sphere and a face by one of each.
    """
    return 0.5 * move_faces_of_box(box, time)


@inline
def move_faces_and_walls(box, time):
    """Move faces and walls to a time; return 0, as their displacement counts apart from that of spheres.

    Bodies near walls are listed more often than pairs are.
    """
    box.walls.displacement_since_list[1] += move_box_and_walls(box, time)
    return 0.0


move_walls = select("box", {BoxFaces: move_faces_only, WalledFaces: move_faces_and_walls})


@inline
def exceeds_skin(box, displacement, skin):
    """Whether a body that is not in the list may have come near a wall."""
    return box.walls.displacement_since_list[1] + displacement > skin


walls_are_stale = select("box", {BoxFaces: False, WalledFaces: exceeds_skin})


@inline
def in_frame(w, x, box):
    """Point in the frame of wall w: its position if the wall were moved back to time 0."""
    return image_in_frame(w, image_for(box, w, x), box)


@inline
def image_in_frame(w, x, box):
    """Image x of a point in the frame of wall w: its position if the wall were moved back to time 0."""
    p = box.walls.poses
    if box.walls.moving:
        x = rotate_back(load_quaternion(p.orientation, w), subtract(x, load(p.origin, w)))
    return x


@inline
def in_world(w, u, box):
    """Rotate a direction from the frame of wall w to the world frame."""
    return rotate(load_quaternion(box.walls.poses.orientation, w), u) if box.walls.moving else u


class WallMotion(NamedTuple):
    """Motion of one wall as a rigid body: all that loops over its contacts need of `Poses`, in numbers."""

    middle: tuple
    velocity: tuple
    spin: tuple
    pivot: tuple


@inline
def motion_of(w, box):
    """`WallMotion` of wall w at present."""
    p = box.walls.poses
    return WallMotion(load(p.middle, w), load(p.velocity, w), load(p.spin, w), load(p.pivot, w))


@inline
def velocity_at(motion, x, box):
    """Velocity of a wall of that `WallMotion` at a point."""
    return add(motion.velocity, cross(motion.spin, minimum_image(box, x, motion.middle)))


@inline
def has_belt(w, box):
    """Whether the surface of wall w moves besides."""
    belt = load(box.walls.belt, w)
    return belt[0] != 0.0 or belt[1] != 0.0 or belt[2] != 0.0


@inline
def surface_at(motion, x, belt, box):
    """Velocity of the surface of a wall of that `WallMotion` at a point, given that of a belt there."""
    return add(velocity_at(motion, x, box), belt)


@inline
def belt_velocity(w, normal, box):
    """Velocity of a belt on wall w, in the plane of contact."""
    belt = load(box.walls.belt, w)
    if has_belt(w, box):
        belt = in_world(w, belt, box)
        belt = add_scaled(belt, -dot(belt, normal), normal)
    return belt


belt_at = select("box.walls.extras", {Unused: (0.0, 0.0, 0.0), Used: belt_velocity})


@inline
def surface_velocity_at(w, x, normal, box):
    """Velocity of the surface of wall w at a point."""
    return surface_at(motion_of(w, box), x, belt_at(w, normal, box), box)


@inline
def has_any_extra(w, box):
    """Whether wall w has a servo, a belt or wear."""
    return box.walls.servo[SERVO_KIND, w] != 0.0 or box.walls.first_worn[w] >= 0 or has_belt(w, box)


has_extra = select("box.walls.extras", {Unused: False, Used: has_any_extra})


@inline
def acts_on(w, b, bodies, walls):
    """Whether wall w acts on body b."""
    return walls.acts[w, bodies.kind[b]] != 0


@inline
def is_near(w, near):
    """Whether a wall is among those of a bit mask."""
    return near >> min(w, SINGLE) & 1 != 0


@inline
def has_history(walls):
    """Whether contacts with walls remember anything."""
    return walls.old_history.shape[2] > 0


@inline
def listed_at(s, walls):
    """Range of the triangles near sphere s in its chunk's row of `Walls.listed`, of all walls in their order.

    Before 0 where they must be looked up in cells.
    """
    start = walls.sphere_records[s, LISTED] >> NUMBER_BITS
    return start, start + (walls.sphere_records[s, LISTED] & ((np.int64(1) << NUMBER_BITS) - 1))


@inline
def set_listed(s, start, stop, walls):
    """Record the range of the triangles near sphere s; a start of -1 where there was no room."""
    walls.sphere_records[s, LISTED] = (np.int64(start) << NUMBER_BITS) | np.int64(stop - start)


@inline
def slot_at(k, walls):
    """Column of `Walls.sphere_records` where the k-th slot of a sphere begins; its history follows."""
    return SLOTS + k * (1 + walls.old_history.shape[2])
