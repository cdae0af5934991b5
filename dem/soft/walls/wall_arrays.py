"""Arrays of walls for the kernels: shapes, motions, materials and state."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.base.large_pages import LINE, empty, zeros
from dem.kernels.convex.polyhedra import SCRATCH as SCRATCH_OF_POLYHEDRA
from dem.kernels.numerics.columns import BLOCK
from dem.kernels.soft.contact.capsules import Capsules, Mixed
from dem.kernels.soft.contact.convex_bodies import FacetedBodyKinds
from dem.kernels.soft.wall_contact import wall_loads
from dem.kernels.soft.wall_contact.convex_at_walls import ConvexWalls
from dem.kernels.soft.wall_contact.convex_meshes import CONTACT_COLUMNS
from dem.kernels.soft.wall_contact.convex_meshes import SCRATCH as MESH_SCRATCH
from dem.kernels.soft.wall_contact.mesh_contacts import CENTRE_ROWS, PAIR_COLUMNS, PAIR_RESULT_COLUMNS
from dem.kernels.soft.wall_contact.rough_planes import Rough, Smooth
from dem.kernels.soft.wall_contact.wall_arrays import (
    SINGLE,
    WALLED,
    Walls,
)
from dem.kernels.soft.wall_contact.wall_arrays import SLOTS as FIRST_SLOT
from dem.kernels.walls import rigid_body
from dem.kernels.walls.capsule_sides import SCRATCH
from dem.kernels.walls.geometry import PLANE, Unused, Used, usage
from dem.kernels.walls.poses import Motions, Poses
from dem.kernels.walls.potential_terms import COLUMNS, SIDE_COLUMNS
from dem.kernels.walls.rigid_body import FreeBodies, NoFreeWall
from dem.kernels.walls.wall_registry import KINDS, REFUSED
from dem.model.domain.box import FACES
from dem.model.domain.box_walls import cell_of
from dem.model.walls.servo import PID
from dem.model.walls.wall import REACHED
from dem.model.walls.wall_shapes import geometry_of, room_of_sides
from dem.soft.contact.capsules import shapes_for_sides
from dem.soft.contact.convex_bodies import bounding_radii, convex_walls, most_vertices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Bodies, Kinds
    from dem.model.domain.box import Box
    from dem.model.materials import Material
    from dem.model.walls.wall import Wall

STATE = {  # what a run has come to: field of `Walls` by its name in files
    "felt": "load", "impulse": "integrals", "working": "work_half_step", "driven": "servo_state", "worn": "worn",
}  # fmt: skip
VELOCITY = "velocity"  # name in files of `Poses.velocity`, where servos move walls; files of 0.2 do not have it
SLOTS = 4  # of contacts with walls that a sphere may remember, at first
CONTACTS = 32  # contacts of a convex body with one wall that there is room for
LISTED = 4096  # triangles near the spheres of a chunk that there is room for, at first
NEVER = 2.0**53  # steps, beyond which no run goes
FINER = 2.0**-10  # newtons are summed in units that are coarser by this than an energy over a radius


def free_bodies_of(walls: Sequence[Wall], dt: float) -> FreeBodies | NoFreeWall:
    """Walls that are free bodies, as at time 0; their loads include gravity."""
    if not any(wall.free for wall in walls):
        return NoFreeWall()
    number = len(walls)
    made = FreeBodies(
        is_free=np.array([wall.free is not None for wall in walls], np.int8), mobility=np.zeros((3, number)),
        turns=np.zeros((3, number)), inertia=np.zeros((6, number)), arm=np.zeros((3, number)),
        load=np.zeros((3, number)), dt=dt, state=np.zeros((rigid_body.ROWS, number)),
    )  # fmt: skip
    made.state[rigid_body.TURN] = 1.0
    for w, wall in enumerate(walls):
        if wall.free:
            body, arm = wall.free, wall.centre_of_mass - wall.torque_centre
            tensor = body.tensor_about(arm)
            made.mobility[:, w], made.turns[:, w], made.arm[:, w] = body.slides / body.mass, body.turns, arm
            made.inertia[:, w] = tensor[[0, 1, 2, 1, 2, 0], [0, 1, 2, 2, 0, 1]]
            for first in (rigid_body.VELOCITY, rigid_body.PREDICTED_VELOCITY):
                made.state[first : first + 3, w] = body.velocity
            made.state[rigid_body.PREDICTED_SPIN : rigid_body.PREDICTED_SPIN + 3, w] = body.angular_velocity
            momentum = body.turns * (tensor * body.angular_velocity).sum(1)
            made.state[rigid_body.ANGULAR_MOMENTUM : rigid_body.ANGULAR_MOMENTUM + 3, w] = momentum
    return made


def set_free_wall_loads(
    walls: Sequence[Wall], gravity: tuple[float, float, float], bodies: FreeBodies | NoFreeWall
) -> None:
    """Set weights and other forces of free walls."""
    for w, wall in enumerate(walls):
        if wall.free:
            bodies.load[:, w] = np.array(wall.free.force) + wall.free.mass * np.array(gravity)


def servo_table(walls: Sequence[Wall], limit: float) -> np.ndarray:
    """Array `dem.kernels.soft.wall_contact.wall_arrays.Walls.servo`; no wall moves faster than that [m/s]."""
    table = np.zeros((10, len(walls)))
    for w, wall in enumerate(walls):
        if wall.servo:
            servo = wall.servo
            most = limit if servo.fastest is None else min(servo.fastest, limit)
            axis = np.array(servo.axis) / portable.length(servo.axis)
            factors = (1.0, 0.0, 0.0, 0.0)
            if isinstance(servo, PID):
                factors = (2.0, servo.proportional, servo.integral, servo.derivative)
            table[:, w] = *axis, servo.force, getattr(servo, "gain", 0.0), most, *factors
    return table


def are_present(walls: Sequence[Wall], time: float) -> np.ndarray:
    """Whether each wall is present at the time of a step (W,)."""
    return np.array([wall.is_present(time) for wall in walls], bool)


def forces_at(walls: Sequence[Wall], time: float) -> np.ndarray:
    """Force that the servo of each wall holds at the time of a step (W,) [N]; 0 without a servo."""
    return np.array([wall.servo.force_at(time * (1 + REACHED)) if wall.servo else 0.0 for wall in walls])


def change_times(wall: Wall) -> tuple[float, ...]:
    """Times at which a wall appears or vanishes, or presses with another force [s]."""
    return wall.changes + (wall.servo.changes if wall.servo else ())


def next_change(walls: Sequence[Wall], step: int, dt: float) -> int | None:
    """The first step after this one at which walls change, see `change_times`; None if there is none."""
    found = []
    for time in {time for wall in walls for time in change_times(wall) if time < NEVER * dt}:
        at = max(step, math.ceil(time / dt) - 2)  # at most; `Wall.is_present` decides
        while at * dt * (1 + REACHED) < time:
            at += 1
        found += [at] if at > step else []
    return min(found, default=None)


def reach_of(wall: Wall) -> float:
    """Upper bound of the distance from the middle of a wall to points that turning moves [m]; 0 if there are none."""
    same = len(wall.motion) == 1 and wall.is_same_turned(wall.motion[0].centre, wall.motion[0].axis)
    turns = any(motion.turns for motion in wall.motion) or bool(wall.free and wall.free.turns.any())
    if wall.is_endless or same or not turns:
        return 0.0
    return 0.5 * portable.length(wall.shape.upper - wall.shape.lower)


def motions_of(walls: Sequence[Wall]) -> Motions:
    """Stages of the motions of walls, for kernels."""
    stages = [motion for wall in walls for motion in wall.motion]
    rows = [np.array([(*row, 0.0)[:5] for row in motion.table]).reshape(-1, 5) for motion in stages]

    def columns(values: list) -> np.ndarray:
        return np.ascontiguousarray(np.array(values, float).reshape(-1, 3).T)

    axes = [np.array(motion.axis) / portable.length(motion.axis) for motion in stages]
    return Motions(
        middle=columns([wall.middle for wall in walls]), reach=np.array([reach_of(wall) for wall in walls]),
        pivot=columns([wall.torque_centre for wall in walls]),
        first=np.cumsum([0, *(len(wall.motion) for wall in walls)]),
        drift=columns([motion.velocity for motion in stages]),
        amplitude=columns([motion.amplitude for motion in stages]),
        rate=np.array([2 * math.pi * motion.frequency for motion in stages]),
        phase=np.array([motion.phase for motion in stages], float), axis=columns(axes),
        centre=columns([motion.centre for motion in stages]),
        turning=np.array([motion.rate for motion in stages], float),
        start=np.array([motion.start for motion in stages], float),
        stop=np.array([motion.stop for motion in stages], float),
        first_row=np.cumsum([0, *(len(each) for each in rows)]),
        table=np.ascontiguousarray(np.concatenate([np.zeros((0, 5)), *rows]).T),
    )  # fmt: skip


def energies_of_walls(walls: Sequence[Wall], position: np.ndarray, gravity: tuple[float, float, float]) -> float:
    """Energy of walls that are bodies, and the largest work of their weight and of servos among the particles [J].

    Particles are at positions (3, N) [m].
    """
    total = 0.0
    for wall in walls:
        force = wall.servo.strongest if wall.servo else 0.0
        if wall.free:
            force = math.hypot(*(np.array(wall.free.force) + wall.free.mass * np.array(gravity)))
            total += wall.free.mass * fastest(wall) ** 2
        if force:
            there = np.column_stack([position, wall.middle])
            total += force * portable.length(np.ptp(there, axis=1))
    return total


def poses_of(motions: Motions) -> Poses:
    """Poses of walls before any motion."""
    number = motions.reach.size
    poses = Poses(*(np.zeros((4 if name == "orientation" else 3, number)) for name in Poses._fields))
    poses.middle[:], poses.pivot[:], poses.orientation[0] = motions.middle, motions.pivot, 1.0
    return poses


def wall_materials(walls: Sequence[Wall]) -> list[Material]:
    """Materials of the walls, in the order of their rows in the law's tables."""
    return list(dict.fromkeys(wall.material for wall in walls))


def modulus_of(walls: Sequence[Wall], materials: list[Material]) -> np.ndarray:
    """E* of each material of walls with each of these (B, A) [Pa]."""
    rows = [[one.effective_modulus(other) for other in materials] for one in wall_materials(walls)]
    return np.array(rows).reshape(-1, len(materials))


def rows_of(walls: Sequence[Wall], materials: int) -> np.ndarray:
    """Row of each wall (W,) in tables of materials, after those of particles and of the box."""
    found = wall_materials(walls)
    return np.array([materials + 1 + found.index(wall.material) for wall in walls], np.int32)


def refuse_unknown_kinds(walls: Sequence[Wall], *, with_capsules: bool) -> None:
    """Raise ValueError for a wall of a kind that particles would pass through, or that cannot be absent."""
    for k, wall in enumerate(walls):
        if k >= SINGLE and (wall.changes or wall.selects):
            message = (
                f"walls[{k}] ({wall.word}) is not always there or not for all particles, which only the first {SINGLE} "
                "walls may be: move it to the front of walls"
            )
            raise ValueError(message)
        kind = wall.shape.kind
        if kind not in KINDS:
            message = (
                f"walls[{k}] ({wall.word}) is of the kind {kind}, which the kernels do not know: give it a row in "
                "dem.kernels.walls.wall_registry.KINDS"
            )
            raise ValueError(message)
        if with_capsules and KINDS[kind].sides == REFUSED:
            message = (
                f"walls[{k}] ({wall.word}) is one which capsules would meet with their ends only: say in its row of "
                "dem.kernels.walls.wall_registry.KINDS what their sides meet, or take dem.Fibre"
            )
            raise ValueError(message)


def add_walls(
    faces: BoxFaces, walls: Sequence[Wall], materials: list[Material], bodies: Bodies, kinds: Kinds,
    *, chunks: int, width: int, reach: float, skin: float, widest_step: float, dt: float,
) -> BoxFaces:  # fmt: skip
    """The faces of a box, and walls beside them.

    A contact remembers `width` numbers. Contacts may live beyond touching, and come in the step in which they end, by
    `reach`; walls are looked for farther by `skin` [m]. No servo moves its wall faster than `widest_step` [m/s].
    """
    number, motions = len(walls), motions_of(walls)
    sigma = max(wall.roughness for wall in walls)
    with_capsules = isinstance(kinds, Capsules | Mixed)  # which meshes have to know as far as a capsule reaches
    farthest = kinds.bounding_radius if with_capsules else bounding_radii(kinds)
    widest = float(farthest.max()) * (1 + sigma) + reach + skin
    shapes = [wall.shape for wall in walls]
    refuse_unknown_kinds(walls, with_capsules=with_capsules)
    if with_capsules and (lengths := cell_of(faces).length).any():
        shapes += shapes_for_sides(walls, lengths, widest)
    made_of = geometry_of(shapes, reach=widest * (1 + 1e-6))
    convex = convex_walls(kinds, walls)
    rows = int(made_of.room[0])
    rows = room_of_sides(shapes, rows) if with_capsules else rows
    rows = max(rows, CONTACTS) if isinstance(convex, ConvexWalls) else rows
    columns, scratch = (SIDE_COLUMNS, SCRATCH) if with_capsules else (COLUMNS, 12)
    if isinstance(convex, ConvexWalls):
        columns, scratch = CONTACT_COLUMNS, MESH_SCRATCH
    scratch_rows = rows
    if isinstance(kinds, FacetedBodyKinds):  # whose corners have contacts, and scratch beside that of the body
        rows += most_vertices(kinds)
        scratch_rows = max(2 * scratch_rows, -(-SCRATCH_OF_POLYHEDRA // scratch))
    made = Walls(
        geometry=made_of, motions=motions, poses=poses_of(motions),
        moving=any(wall.servo or wall.free or any(motion.moves for motion in wall.motion) for wall in walls),
        belt=np.ascontiguousarray(np.array([wall.surface_velocity for wall in walls]).T),
        material_row=rows_of(walls, len(materials)), acts=np.ones((number, len(kinds.mass)), np.int8),
        modulus=np.array([[one.effective_modulus(wall.material) for wall in walls] for one in materials]),
        range=reach, skip_distance=zeros(bodies.kind.size), displacement_since_list=np.zeros(2),
        **triangle_lists(LISTED if made_of.triangle.size else 0, chunks),
        **contact_slots(bodies.owner.size, SLOTS if width else 0, width, chunks),
        fullest=np.zeros(chunks, np.int64),
        contacts=zeros((chunks, rows, columns)),
        scratch=zeros((chunks, scratch_rows, scratch)),
        centres=empty((chunks, number, CENTRE_ROWS * BLOCK)), pairs=empty((chunks, PAIR_COLUMNS), np.int32),
        pair_results=empty((chunks, PAIR_RESULT_COLUMNS)),
        rate=zeros((chunks, number)), chunk_loads=zeros((chunks, number, wall_loads.COLUMNS), np.int64),
        unit=np.ones(4),
        load=np.zeros((7, number)), integrals=np.zeros((2, 7, number)), work_half_step=np.zeros(number),
        servo=servo_table(walls, widest_step),
        servo_state=np.zeros((6 if any(isinstance(wall.servo, PID) for wall in walls) else 3, number)),
        free=free_bodies_of(walls, dt), rough=roughness_of(walls), convex=convex, **wear_arrays(walls),
        faces=usage(np.isfinite([faces.lower, faces.upper]).any()), extras=extras_of(walls),
    )  # fmt: skip
    return WALLED[type(faces)](*faces, made)


def roughness_of(walls: Sequence[Wall]) -> Smooth | Rough:
    """Which walls are rough, as the kernels know it."""
    sigma = np.array([wall.roughness for wall in walls])
    if not sigma.any():
        return Smooth()
    return Rough(sigma, np.array([wall.seed for wall in walls], np.int64), float(sigma.max()))


def extras_of(walls: Sequence[Wall]) -> Unused | Used:
    """Whether any wall has a servo, a belt or wear, as the kernels know it."""
    found = any(wall.servo or wall.wear > 0 or any(wall.surface_velocity) for wall in walls)
    return usage(found)


def wear_arrays(walls: Sequence[Wall]) -> dict[str, np.ndarray]:
    """Empty arrays for the wear of walls."""
    pieces = np.array([wall.pieces if wall.wear > 0 else 0 for wall in walls])
    first = np.where(pieces > 0, np.cumsum(pieces) - pieces, -1)
    return {
        "first_worn": first.astype(np.int64), "worn_pieces": pieces.astype(np.int64),
        "worn": np.zeros((2, pieces.sum()), np.int64),
    }  # fmt: skip


def triangle_lists(number: int, chunks: int) -> dict[str, np.ndarray]:
    """Arrays for triangles near the spheres of each chunk."""
    return {"listed": empty((chunks, number), np.int32), "wanted": np.zeros(chunks, np.int64)}


def contact_slots(spheres: int, number: int, width: int, chunks: int) -> dict[str, np.ndarray]:
    """Empty history slots for a number of spheres near no wall."""
    columns = FIRST_SLOT + number * (1 + width)
    at = zeros((spheres, -(-8 * columns // LINE) * LINE // 8 if number else columns + 1), np.int64)
    return {
        "sphere_records": at, "history": at.view(float),
        "old_key": zeros((chunks, number), np.int64), "old_history": zeros((chunks, number, width)),
    }  # fmt: skip


def resized_walls(walls: Walls, bodies: int, spheres: int, chunks: int) -> Walls:
    """Walls with arrays for other bodies, without contact history; the state of the walls is shared."""
    number, width, room = *walls.old_history.shape[1:], walls.listed.shape[1]
    wanted = int(walls.wanted.max())
    scratch = ("fullest", "contacts", "scratch", "centres", "pairs", "pair_results", "rate", "chunk_loads")
    before = {name: getattr(walls, name) for name in scratch}
    new = {name: zeros((chunks, *array.shape[1:]), array.dtype) for name, array in before.items()}
    return walls._replace(
        skip_distance=zeros(bodies), displacement_since_list=np.zeros(2),
        **triangle_lists(2 * wanted if wanted > room else room, chunks),
        **contact_slots(spheres, number, width, chunks), **new,
    )  # fmt: skip


def with_more_slots(walls: Walls, number: int) -> Walls:
    """Walls with more history slots for each sphere; stored contacts are copied."""
    chunks, before, width = walls.old_history.shape
    new = contact_slots(len(walls.sphere_records), number, width, chunks)
    used = FIRST_SLOT + before * (1 + width)
    new["sphere_records"][:, :used] = walls.sphere_records[:, :used]
    return walls._replace(**new)


def units_of(per_joule: float, kinds: Kinds, dt: float) -> tuple[float, float, float, float]:
    """Units a newton, newton metre, newton a metre and newton second a metre, in which wall loads are summed.

    All of them are powers of two.
    """
    radius = 2.0 ** math.floor(math.log2(kinds.radius.min()))
    stiff = per_joule * radius**2 * FINER**3
    return per_joule * FINER * radius, per_joule * FINER * FINER, stiff, stiff / 2.0 ** math.floor(math.log2(dt))


def fastest(wall: Wall, *, shape: bool = False) -> float:
    """Upper bound of the speed of a point of a wall, or of its shape without rotation into itself [m/s]."""
    total, middle = 0.0, wall.middle
    far = reach_of(wall) if shape else 0.5 * _extent(wall)
    if wall.free:  # as it begins
        arm = portable.length(middle - wall.torque_centre) + 0.5 * _extent(wall)
        total += math.hypot(*wall.free.velocity) + float(arm) * math.hypot(*wall.free.angular_velocity)
    for motion in wall.motion:
        arm = portable.length(middle - motion.centre) if motion.turns else 0.0
        if wall.is_same_turned(motion.centre, motion.axis) and len(wall.motion) == 1 and shape:
            arm = 0.0
        total += motion.fastest + motion.fastest_turn * (far + float(arm))
    return total + (0.0 if shape else math.hypot(*wall.surface_velocity))


def fastest_of(box: Box | None, walls: Sequence[Wall]) -> float:
    """Speed that no wall exceeds [m/s]."""
    faces = [motion.fastest for motion in box.motion.values()] if box else []
    return max([0.0, *faces, *(fastest(wall) for wall in walls)])


def _extent(wall: Wall) -> float:
    size = wall.shape.upper - wall.shape.lower
    return portable.length(size[np.isfinite(size)]) if np.isfinite(size).any() else 0.0


def wall_names(walls: Sequence[Wall]) -> list[str]:
    """Names of walls, with a number where several have the same."""
    every = [wall.word for wall in walls]
    alone, numbers = {word for word in every if every.count(word) == 1}, itertools.count()
    found = []
    for k, word in enumerate(every):
        name = word if word in alone else f"{word} {k}"
        while name in alone - {word} or name in found:
            name = f"{word} {len(every) + next(numbers)}"
        found.append(name)
    return found


def face_name(face: int, names: Sequence[str] = ()) -> str:
    """Name of a face of the box, or of a wall from `len(FACES)` on; contacts store this number as -1 - face."""
    if face < len(FACES):
        return f"the wall {FACES[face]}"
    w = face - len(FACES)
    return f"the wall {names[w]}" if w < len(names) else f"wall number {w}"


def face_velocity(faces: tuple, face: int, x: np.ndarray) -> np.ndarray:
    """Velocity at a point (3,) of a wall whose contacts go by -1 - face (3,) [m/s]."""
    if face < len(FACES):
        return faces.velocity[:, face]
    poses, w = faces.walls.poses, face - len(FACES)
    return poses.velocity[:, w] + np.cross(poses.spin[:, w], x - poses.middle[:, w])


def specific_fall_energy_to_walls(
    position: np.ndarray, gravity: tuple[float, float, float], walls: Sequence[Wall]
) -> np.ndarray:
    """Gain of v²/2 in a fall to the lowest point of walls (N,) [m²/s²]; to a plane as far as that is below.

    A wall of another kind without a lowest point adds nothing.
    """
    g, gained = np.array(gravity), np.zeros(len(position))
    for wall in walls:
        shape = wall.shape
        if shape.kind == PLANE:
            normal, level = shape.numbers[:3], shape.numbers[3]
            towards = -portable.dot(g, normal)
            height = (position * normal).sum(1) - level
            gained = np.maximum(gained, height * portable.dot(g, g) / towards if towards > 0 else 0.0)
        else:
            lowest = np.where(g > 0, shape.upper, shape.lower)
            if np.isfinite(lowest[g != 0]).all():
                gained = np.maximum(gained, ((np.where(g != 0, lowest, 0.0) - position) * g).sum(1))
    return np.maximum(gained, 0.0)
