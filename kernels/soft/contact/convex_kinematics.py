"""Kinematics of contacts of convex bodies, for a batch or one contact.

The search for contacts writes overlaps, normals, places and the candidates' numbers to columns. A first loop gathers
the motion of their bodies from scattered memory into rows. The second loop reads only these rows, so that LLVM
vectorises it.
"""

from typing import NamedTuple

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.domain.periodic import image_velocity, nearest_image
from dem.kernels.laws import ContactKinematics
from dem.kernels.numerics.columns import BLOCK, flat, get, get_quaternion, put
from dem.kernels.numerics.quaternion import rotate, rotate_back
from dem.kernels.numerics.vector import add, cross, divide, dot, load, subtract
from dem.kernels.simd.transpose import EIGHT, columns_of
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    ARM_J,
    CANDIDATE,
    KINEMATICS_ROWS,
    MIXED_TYPES,
    NORMAL,
    OF_I,
    OF_J,
    OF_POLYHEDRA,
    OVERLAP,
    STIFFNESS,
    write_kinematics,
)
from dem.kernels.soft.contact.convex_bodies import CENTRE, KIND, LINES, ROW, SPIN, TURN, VELOCITY, centre_of
from dem.kernels.soft.contact.convex_contacts import load_overlap

# rows that are gathered: `Neighbours.lines` of both pieces of a contact, in scratch of polyhedra, which is free then
LINE_I, LINE_J = OF_POLYHEDRA // BLOCK, OF_POLYHEDRA // BLOCK + LINES
# row of kinematics, behind those of ``polyhedron_contacts``: contact point from the centre of sphere j [m]
POINT_FROM_J = KINEMATICS_ROWS + 6
UNUSED = POINT_FROM_J + 3
PIECE_I, PIECE_J = 3, 4  # rows of integers: both pieces
read_found = columns_of(OVERLAP, *range(NORMAL, NORMAL + 3), *range(POINT_FROM_J, POINT_FROM_J + 3), UNUSED)
read_first_of_i, read_second_of_i = (columns_of(*range(r, r + EIGHT)) for r in (LINE_I, LINE_I + EIGHT))
read_first_of_j, read_second_of_j = (columns_of(*range(r, r + EIGHT)) for r in (LINE_J, LINE_J + EIGHT))


class TouchingBody(NamedTuple):
    """Motion and inertia of a body at a contact."""

    arm: tuple  # from its centre of mass to the contact [m]
    velocity: tuple  # [m/s]
    spin: tuple  # [rad/s]
    orientation: tuple
    radius: float  # in contact laws [m]
    mass: float  # [kg]
    inverse_mass: float  # [1/kg]
    inertia: tuple  # [kg m²]


@inline
def inverse_mass_at(body, normal):
    """Inverse effective mass of a body along the normal at a contact point [1/kg]."""
    turned = rotate_back(body.orientation, cross(body.arm, normal))
    return dot(normal, normal) * body.inverse_mass + dot(turned, divide(turned, body.inertia))


@inline
def inverse_rolling_inertia(body):
    """Inverse of the rolling inertia of a body, see `dem.kernels.soft.contact.surface_motion.rolling_inertia`."""
    own = (body.inertia[0] + body.inertia[1] + body.inertia[2]) / 3.0
    return 1.0 / (own + body.mass * body.radius * body.radius)


@inline
def joint_rolling_inertia(law, body_i, body_j):
    """Rolling inertia of two bodies on each other [kg m²]; 0 for laws without couples."""
    if not laws.transmits_couples(law):
        return 0.0
    return 1.0 / (inverse_rolling_inertia(body_i) + inverse_rolling_inertia(body_j))


@inline
def kinematics_of(law, body_i, body_j, stiffness, overlap, normal):
    """`ContactKinematics` of two bodies that touch; normal: from j to i."""
    v_i = add(body_i.velocity, cross(body_i.spin, body_i.arm))
    velocity = subtract(v_i, add(body_j.velocity, cross(body_j.spin, body_j.arm)))
    return ContactKinematics(
        stiffness, 1.0 / (inverse_mass_at(body_i, normal) + inverse_mass_at(body_j, normal)), overlap, normal, velocity,
        0.5 * dot(add(body_i.spin, body_j.spin), normal), relative_angular_velocity=subtract(body_i.spin, body_j.spin),
        radius=body_i.radius * body_j.radius / (body_i.radius + body_j.radius),
        reduced_mass=1.0 / (body_i.inverse_mass + body_j.inverse_mass),
        rolling_inertia=joint_rolling_inertia(law, body_i, body_j), may_begin=True, spring_aligned=False,
    )  # fmt: skip


class Piece(NamedTuple):
    """A piece and the motion of its body, as read from its lines."""

    centre: tuple  # [m]
    orientation: tuple
    row: int  # of the tables of pieces
    velocity: tuple  # of its body at the forces [m/s]
    spin: tuple  # [rad/s]
    kind: int  # of its body


@inline
def arm_of(is_centred, piece, offset):
    """Centre of a piece from the centre of mass of its body [m]."""
    return (0.0, 0.0, 0.0) if is_centred else rotate(piece.orientation, load(offset, piece.row))


@inline
def touching_body(piece, arm, velocity, radius, mass, inverse_mass, inertia):
    """The body of a piece, at an arm from its centre of mass [m], with a velocity [m/s]."""
    g = piece.kind
    return TouchingBody(
        arm, velocity, piece.spin, piece.orientation, radius[piece.row], mass[g], inverse_mass[g], load(inertia, g)
    )


@inline
def kinematics_between(
    law, box, is_centred, piece_i, piece_j, point, stiffness, overlap, normal, offset, radius, mass, inverse_mass,
    inertia,
):  # fmt: skip
    """Kinematics of the contact of two pieces, and the contact point from the centres of mass of both bodies.

    is_centred: whether all pieces are about the centres of mass of their bodies.
    piece_i, piece_j, point: both `Piece`; contact point from the centre of piece j [m].
    stiffness, overlap, normal: of the contact [N m^-1.5, m], unit vector from j to i.
    offset, radius, mass, inverse_mass, inertia: of `Kinds`.
    Returns `dem.kernels.laws.ContactKinematics`, arms [m].
    """
    r, image = nearest_image(box, piece_i.centre, piece_j.centre)
    arm_i = add(subtract(point, r), arm_of(is_centred, piece_i, offset))
    arm_j = add(point, arm_of(is_centred, piece_j, offset))
    v_j = add(piece_j.velocity, image_velocity(box, image, subtract(arm_j, arm_i)))
    body_i = touching_body(piece_i, arm_i, piece_i.velocity, radius, mass, inverse_mass, inertia)
    body_j = touching_body(piece_j, arm_j, v_j, radius, mass, inverse_mass, inertia)
    return kinematics_of(law, body_i, body_j, stiffness, overlap, normal), arm_i, arm_j


@inline
def piece_of_line(s, lines):
    """Piece s, from its lines."""
    return Piece(
        centre_of(s, lines), (lines[s, TURN], lines[s, TURN + 1], lines[s, TURN + 2], lines[s, TURN + 3]),
        int(lines[s, ROW]), (lines[s, VELOCITY], lines[s, VELOCITY + 1], lines[s, VELOCITY + 2]),
        (lines[s, SPIN], lines[s, SPIN + 1], lines[s, SPIN + 2]), int(lines[s, KIND]),
    )  # fmt: skip


@inline
def piece_of_columns(is_alone, first, t, gathered):
    """Piece of column t, from its lines in rows from the first on; is_alone: whether there is one kind of piece."""
    return Piece(
        get(gathered, first + CENTRE, t), get_quaternion(gathered, first + TURN, t),
        0 if is_alone else int(gathered[flat(first + ROW, t)]), get(gathered, first + VELOCITY, t),
        get(gathered, first + SPIN, t), 0 if is_alone else int(gathered[flat(first + KIND, t)]),
    )  # fmt: skip


@inline
def kinematics_of_convex(kinds, law, k, bodies, neighbours, box):
    """Kinematics of the contact of candidate k, and the contact point from the centres of both bodies.

    k: see `dem.kernels.soft.contact.cluster_kinematics.kinematics_of_spheres`.
    Returns what `dem.kernels.soft.contact.cluster_kinematics.kinematics_of_spheres` does.
    """
    depth, normal, point, _, _ = load_overlap(k, neighbours, box)
    piece_i = piece_of_line(neighbours.sphere_i[k], neighbours.lines)
    piece_j = piece_of_line(neighbours.sphere_j[k], neighbours.lines)
    return kinematics_between(
        law, box, False, piece_i, piece_j, point, neighbours.stiffness[k], depth, normal, kinds.offset, kinds.radius,
        kinds.mass, kinds.inverse_mass, kinds.inertia,
    )  # fmt: skip


@vector_loop
def load_found(count, candidate, found, kinematics):
    """Load overlap, normal and contact point of candidates, which the solver has found.

    candidate, found: (BLOCK,) of each column; of `Neighbours`, from the chunk's first candidate on.
    Writes kinematics: rows OVERLAP, NORMAL and POINT_FROM_J; UNUSED.
    """
    for t in range(read_found(candidate, found, 0, kinematics, BLOCK, count), count):
        k = candidate[t]
        kinematics[flat(OVERLAP, t)] = found[k, 0]
        put(kinematics, NORMAL, t, (found[k, 1], found[k, 2], found[k, 3]))
        put(kinematics, POINT_FROM_J, t, (found[k, 4], found[k, 5], found[k, 6]))


@vector_loop
def gather_pieces(count, candidate, sphere_i, sphere_j, stiffness, piece_i, piece_j, kinematics):
    """List the pieces of contacts.

    candidate: (BLOCK,) of each column, counted from the chunk's first one.
    sphere_i, sphere_j, stiffness: of the candidates of a chunk.
    Writes piece_i, piece_j: (BLOCK,). Writes kinematics: row STIFFNESS.
    """
    for t in range(count):
        k = candidate[t]
        piece_i[t], piece_j[t] = sphere_i[k], sphere_j[k]
        kinematics[flat(STIFFNESS, t)] = stiffness[k]


@vector_loop
def read_last_lines(first, count, piece_i, piece_j, lines, gathered):
    """Read the lines of the pieces of columns from the first on, of which `read_lines` leaves a few or all.

    piece_i, piece_j, lines: pieces of each column; of `Neighbours`.
    Writes gathered: LINES rows from LINE_I, and as many from LINE_J on.
    """
    for t in range(first, count):
        for r in range(LINES):
            gathered[flat(LINE_I + r, t)] = lines[piece_i[t], r]
            gathered[flat(LINE_J + r, t)] = lines[piece_j[t], r]


@vector_loop
def compute_columns(
    law, box, is_centred, is_alone, count, offset, radius, material, mass, inverse_mass, inertia, gathered, known,
    kinematics, material_i, material_j,
):  # fmt: skip
    """Compute the kinematics of contacts from the lines of their pieces.

    is_centred, is_alone: whether all pieces are about the centres of mass of their bodies; whether all are alike.
    offset, radius, material, mass, inverse_mass, inertia: of `Kinds`.
    gathered: rows of `read_last_lines`.
    known: rows OVERLAP, NORMAL, STIFFNESS and POINT_FROM_J of kinematics; the same array as `kinematics`.
    Writes kinematics: rows ARM_I and ARM_J, and those of `dem.kernels.soft.contact.batch_kinematics.write_kinematics`.
    Writes material_i, material_j: (BLOCK,).
    """
    for t in range(count):
        piece_i = piece_of_columns(is_alone, LINE_I, t, gathered)
        piece_j = piece_of_columns(is_alone, LINE_J, t, gathered)
        contact, arm_i, arm_j = kinematics_between(
            law, box, is_centred, piece_i, piece_j, get(known, POINT_FROM_J, t), known[flat(STIFFNESS, t)],
            known[flat(OVERLAP, t)], get(known, NORMAL, t), offset, radius, mass, inverse_mass, inertia,
        )  # fmt: skip
        put(kinematics, ARM_I, t, arm_i)
        put(kinematics, ARM_J, t, arm_j)
        material_i[t], material_j[t] = material[piece_i.kind], material[piece_j.kind]
        write_kinematics(t, contact, kinematics)


@inline
def read_lines_of_pieces(count, piece_i, piece_j, lines, gathered):
    """Read both lines of the pieces of all columns, see `read_last_lines`."""
    read_first_of_i(piece_i, lines, 0, gathered, BLOCK, count)
    read_first_of_j(piece_j, lines, 0, gathered, BLOCK, count)
    read_second_of_i(piece_i, lines, EIGHT, gathered, BLOCK, count)
    done = read_second_of_j(piece_j, lines, EIGHT, gathered, BLOCK, count)
    read_last_lines(done, count, piece_i, piece_j, lines, gathered)


@inline
def compute_kinematics_of_columns(start, count, candidate, context, gathered, kinematics, ids):
    """Kinematics of contacts whose overlap, normal and contact point are in columns.

    start, count, candidate: first candidate of the chunk; columns; (BLOCK,) candidate of each.
    Writes gathered, kinematics, ids: as the loops above.
    """
    neighbours = context.neighbours
    gather_pieces(
        count, candidate, neighbours.sphere_i[start:], neighbours.sphere_j[start:], neighbours.stiffness[start:],
        ids[PIECE_I], ids[PIECE_J], kinematics,
    )  # fmt: skip
    read_lines_of_pieces(count, ids[PIECE_I], ids[PIECE_J], neighbours.lines, gathered)
    compute_from_lines(count, context, gathered, kinematics, ids)


@inline
def compute_from_lines(count, context, gathered, kinematics, ids):
    """Kinematics from columns of lines, overlaps, normals and contact points; see `compute_columns`."""
    kinds = context.kinds
    # a loop each, in which numbers that all pieces share are read once
    if kinds.is_centred and kinds.radius.size == 1:
        compute_columns(
            context.law, context.box, True, True, count, kinds.offset, kinds.radius, kinds.material, kinds.mass,
            kinds.inverse_mass, kinds.inertia, gathered, kinematics, kinematics, ids[OF_I], ids[OF_J],
        )  # fmt: skip
    else:
        compute_columns(
            context.law, context.box, False, False, count, kinds.offset, kinds.radius, kinds.material, kinds.mass,
            kinds.inverse_mass, kinds.inertia, gathered, kinematics, kinematics, ids[OF_I], ids[OF_J],
        )  # fmt: skip


@func
def compute_convex_kinematics(geometry, sink, c, first, touching, context, gathered, kinematics, ids):
    """Kinematics of the contacts from `first` in the list on, as many as a batch has room for.

    geometry, sink: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    c, first, touching: chunk; pairs in the list of those that touch.
    Writes gathered, kinematics: all rows but WEIGHT. Writes ids: rows OF_I, OF_J and CANDIDATE.
    Returns the number of columns, first pair that is still to come, and MIXED_TYPES.
    """
    start, count = first_candidate(c, context.neighbours), min(BLOCK, touching.size - first)
    for t in range(count):
        ids[CANDIDATE, t] = touching[first + t]
    load_found(count, ids[CANDIDATE], context.neighbours.found[start:], kinematics)
    compute_kinematics_of_columns(start, count, ids[CANDIDATE], context, gathered, kinematics, ids)
    return count, first + count, MIXED_TYPES
