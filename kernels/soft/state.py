"""The arrays that kernels share, grouped by owner. All float64, C-contiguous, component-major.

The tuples only pass many arrays at once. They are taken apart before any loop, because loops can declare only separate
arguments disjoint.

N bodies, M spheres, G kinds of body, S spheres in all kinds, C chunks of bodies, P pairs, E entries (two a pair), K
candidate pairs that a chunk has room for. The *index* of a body is where it is in the arrays at present, its *identity*
the user's number, which never changes.

Arguments that have the same name in all kernels of this folder. The docstrings of kernels describe the other arguments,
what is written to arrays, and what is returned:

bodies, kinds, neighbours   the tuples below
box             `dem.kernels.domain.faces.BoxFaces`, or `dem.kernels.domain.periodic.PeriodicFaces`
scheme, law     a type of ``kernels.rotation``, a tuple of ``kernels.laws``; memory: the state of the scheme for a body
fluid           a tuple of ``dem.kernels.fluid``
mode            `chunks.Serial` or `chunks.Threaded`
constants, run_state  `time_loop.RunConstants`, `time_loop.RunState`
chunk_sums      (C, COLUMNS) int64 of ``chunk_step``: sums and maxima of each chunk
context         `StepContext`: all of these but mode and run_state, which is the argument of functions of a step
c; b; s         chunk; index of a body; sphere. low, high: the bodies from low to high, without high
first_body      the body whose column of force and torque is the first: that of body b is b - first_body
dt, half        time step, half of it [s]
time_sign       direction of time, 1 or -1: see ``dem.kernels.laws``
skin            distance beyond contact up to which spheres are listed [m]
gravity, reference_potential  acceleration, three floats [m/s²]; g·x where the potential is zero [m²/s²]
per_joule       units of energy a joule, in which energies are summed as integers: see
`dem.kernels.numerics.energy.as_fixed`
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline

SOLVER = 30  # first column of `chunk_sums` of the solver of convex bodies, see `soft.contact.convex_contacts`


class Bodies(NamedTuple):
    """Rigid bodies in order of index, and the spheres they carry.

    ``velocity`` is half a step ahead of ``position``; the memory is that of ``dem.kernels.rotation``.
    """

    identity: np.ndarray  # (N,) int64, the user's number of the body
    kind: np.ndarray  # (N,) int32, column of the Kinds arrays
    position: np.ndarray  # (3, N) centre of mass [m]
    image: np.ndarray  # (3, N) periodic cells that the body is further along than its position; else empty
    velocity: np.ndarray  # (3, N) at the half step [m/s]
    orientation: np.ndarray  # (4, N) at the time of the forces
    memory_q: np.ndarray  # (4, N)
    memory_w: np.ndarray  # (3, N)
    memory_a: np.ndarray  # (3, N)
    memory_more: np.ndarray  # (7, N), or empty for schemes that need no more
    force: np.ndarray  # (3, N) of contacts, without weight [N]
    torque: np.ndarray  # (3, N) of contacts, world frame, about the centre of mass [N m]
    first_sphere: np.ndarray  # (N + 1,) int32: spheres of body b are first_sphere[b] to first_sphere[b + 1]
    sphere_position: np.ndarray  # (3, M) [m]; the very array `position` where every body is one sphere
    owner: np.ndarray  # (M,) int32, index of the body that carries each sphere
    velocity_predicted: np.ndarray  # (3, N) at the time of the next forces, as far as known; empty for elastic contacts
    # (3, N) at the same time, world frame; empty for elastic contacts or without torques
    angular_velocity_predicted: np.ndarray
    wall_contacts: np.ndarray  # (N,) int64, contacts with rough walls so far
    dissipated: np.ndarray  # (2, N) int64, energy that becomes heat, rows of ``contact.dissipated_heat``; else empty
    fluid_cache: np.ndarray  # (R, N) fluid forces for some steps, rows of module ``fluid_cache``; without a fluid R = 0
    # (1, N) int8, 1 for those that have left the box for good: they touch nothing, and come last
    is_removed: np.ndarray
    n_active: np.ndarray  # (1,) int64, number of the others
    fields: np.ndarray  # (F, N) registered fields, rows as `dem.soft.per_body.rows_of` says; without any F = 0


class Kinds(NamedTuple):
    """Properties that all bodies of one shape and material have in common."""

    mass: np.ndarray  # (G,) [kg]
    inverse_mass: np.ndarray  # (G,) [1/kg]; 0 of bodies that are fixed
    inertia: np.ndarray  # (3, G) principal moments [kg m2]
    max_sphere_offset: np.ndarray  # (G,) largest distance of a sphere's centre from the centre of mass [m]
    bounding_radius: np.ndarray  # (G,) radius of the sphere about the centre of mass that holds the body [m]
    all_single_spheres: bool  # every body is one sphere
    fixed: bool  # some bodies are fixed; their kinds have an inverse mass of zero, see `dem.kernels.soft.fixed_bodies`
    is_collinear: np.ndarray  # (G,) int8: 1 if the spheres lie on the segment from the first to the last one
    first_offset: np.ndarray  # (G + 1,) int32: spheres of kind g are first_offset[g] to first_offset[g + 1]
    offset: np.ndarray  # (3, S) sphere centres in the body frame [m]
    radius: np.ndarray  # (S,) [m]
    contact_distance: float  # R_i + R_j of every pair of spheres if they are all alike, else 0 [m]
    stiffness: float  # K of every pair of spheres if they are all alike, else 0 [N m^-1.5]
    material: np.ndarray  # (G,) int32, row of `modulus`
    modulus: np.ndarray  # (A, A) effective modulus E* of two materials [Pa]
    wall_modulus: np.ndarray  # (A,) effective modulus E* of a material and the wall [Pa]


class Neighbours(NamedTuple):
    """Neighbour lists: pairs of bodies for a hundred steps or so, candidate pairs of spheres for about fifteen.

    Bodies are worked on chunk by chunk. A pair of bodies is stored with the lower index; what a chunk
    finds goes to its own segment of the arrays, so chunks never wait for each other. Each body lists its pairs in
    ascending identity of the partner: the order of its sums depends on nothing else.
    """

    first: np.ndarray  # (N,) int64: pairs of body b with higher indices are first[b] to first[b] + count[b]
    count: np.ndarray  # (N,) int32
    lower: np.ndarray  # (P + 1,) int32, index of the body of lower identity
    higher: np.ndarray  # (P + 1,) int32, index of the other
    # (P + 1,) int64, the candidates of a pair (`candidate_pairs.pack`); the last entry always has none
    candidate_range: np.ndarray
    first_entry: np.ndarray  # (N + 1,) int64: entries of body b begin at first_entry[b]
    entry_count: np.ndarray  # (N,) int32, number of them
    # (E,) int64: partner's identity, pair, side (`neighbour_list.entry_key`), ascending for each body
    body_entries: np.ndarray
    # int32: candidates of each body in the same order, without gaps in a chunk, as their places
    # in pair_force or force_row
    pairs_of_body: np.ndarray
    pairs_of_body_start: np.ndarray  # (C,) int64, where those of each chunk begin
    pairs_of_body_count: np.ndarray  # (C,) int64, their number where pairs of bodies may have several
    # (N,) int32, number of these in which the body is the second one, filled up to whole groups; they come first
    count_as_second: np.ndarray
    count_as_first: np.ndarray  # (N,) int32, number in which it is the first one, filled up to whole groups
    with_contacts: np.ndarray  # (N,) int32, by chunk: the bodies with candidates or near a wall
    with_contacts_count: np.ndarray  # (C,) int64
    # (3, M) int32, by chunk: the spheres of candidates and of bodies near a wall, their bodies, and their columns of
    # `Kinds.offset`; empty for single spheres and capsules
    spheres_to_place: np.ndarray
    spheres_to_place_count: np.ndarray  # (C,) int64
    near_wall: np.ndarray  # (N,) int32, by chunk: the bodies near a wall
    near_wall_count: np.ndarray  # (C,) int64
    block: np.ndarray  # (B + 1,) int64: the chunks from block[k] to block[k + 1] are one thread's
    block_of: np.ndarray  # (C,) int64, which that is
    # (C,) int64, the block whose thread evaluates its pairs: another if they reach out of its own
    evaluating_block: np.ndarray
    first_chunk_reached: np.ndarray  # (C,) int32, first chunk that the pairs of each chunk reach
    last_chunk_reached: np.ndarray  # (C,) int32, last one
    chunk_bandwidth: np.ndarray  # (1,) int64, most chunks that pairs reach back
    listed_position: np.ndarray  # (3, N) of the bodies when they were listed [m]
    listed_orientation: np.ndarray  # (4, N), or empty for spheres that do not rotate
    pairs: np.ndarray  # (C,) int64, candidate pairs of each chunk
    sphere_i: np.ndarray  # (C K) int32, sphere of the body of lower identity
    sphere_j: np.ndarray  # (C K) int32
    contact_distance: np.ndarray  # (C K) R_i + R_j [m]; empty if all spheres are alike
    stiffness: np.ndarray  # (C K) [N m^-1.5]; empty if all spheres are alike
    pair_force: np.ndarray  # (3, F + 1) force on sphere i [N]; the last column is always zero
    force_at: np.ndarray  # (C,) int64, where each chunk's candidates begin in pair_force, or in force_row
    # in place of pair_force where the contact law wants velocities, otherwise empty:
    # (F + 1,) int32, row of force_torque of each candidate, 0 where nothing touches and in the last one
    force_row: np.ndarray
    # (F + 1, 16): force on i in 0 to 2 [N], torque in 4 to 6 [N m]; those on j in 8 to 10 and 12 to
    # 14. Of single spheres that are alike, under laws without couples, (F + 1, 8): both have the same torque. Of others
    # (F + 1, 12): torque on j in 0 to 2, force on i in 4 to 6, torque on i in 8 to 10. Eight numbers are what a body
    # sums. Rows of a chunk's contacts come one after the other, so that few lines are used; the first is always zero
    force_torque: np.ndarray
    # (B, PARTS KINEMATICS_ROWS BLOCK) scratch of B blocks of pairs and faces, see kernels.soft.contact.batch_kinematics
    batch_kinematics: np.ndarray
    batch_history: np.ndarray  # (B, R or 1, BLOCK) the same
    batch_forces: np.ndarray  # (B, RESULT_ROWS BLOCK) the same
    batch_ids: np.ndarray  # (B, ID_ROWS, BLOCK) int64, the same
    overlap: np.ndarray  # (F,) [m]
    found: np.ndarray  # (F, 8) of convex bodies, see `dem.kernels.soft.contact.convex_contacts`; else empty
    # of convex bodies, else empty: (C K,) how far both bodies of a candidate may travel, together, from the pick on, so
    # that it cannot touch [m]; (7, N) position and orientation of each body at the last forces; (N,) upper bound of
    # the length of the path of any of its points since the pick [m]
    clearance: np.ndarray
    last_pose: np.ndarray
    travelled: np.ndarray
    # (C K, 5) of polyhedra, else empty: how far both bodies may travel, as for `clearance`, while the lists of vertices
    # and edges that may touch still hold [m]; these of sphere j and of sphere i, as bits, and those of edges that may
    # cross, see `dem.kernels.convex.polyhedra.find_contacts`
    listed_features: np.ndarray
    lines: np.ndarray  # of convex bodies, else empty: (M, 16), two cache lines a piece, see ``contact.convex_bodies``
    # (B, R, 8) of single spheres, else empty: lines of bodies of a block, R a power of two, body b in line b modulo R;
    # (B,) int64, chunk before which they are copied, or -1; (C,) int64, pairs of a chunk that touched when forces were
    # last evaluated. See ``contact.sphere_motion``
    motion: np.ndarray
    motion_end: np.ndarray
    touching_count: np.ndarray
    touching: np.ndarray  # (F,) int32, candidates that touch, counted from the chunk's first
    # (C K, R) contact history of each candidate (dem.kernels.laws), padded to whole lines of the cache;
    # empty if the law needs none
    history: np.ndarray
    has_history: np.ndarray  # (C K) int8, 1 if the candidate has a history
    # (6 M, R) the same of sphere s at face f, in row 6 s + f; after the plane that a rough wall
    # shows, see dem.kernels.soft.wall_contact.rough_planes
    wall_history: np.ndarray
    wall_has_history: np.ndarray  # (6 M) int8
    saved_history: np.ndarray  # (C K, R), history of touching pairs of a chunk while candidates are picked
    saved_pair: np.ndarray  # (C K) int64, their pair of bodies, ascending
    saved_sphere_i: np.ndarray  # (C K) int32, their spheres
    saved_sphere_j: np.ndarray  # (C K) int32
    saved_count: np.ndarray  # (C,) int64, their number; -1 if none is saved
    bonds: tuple  # `bond_types.NoBonds`, or those that hold bodies together
    heat: tuple  # `contact.dissipated_heat.NoHeat` or `ContactHeat`


class StepContext(NamedTuple):
    """Arrays and constants of a step: references to these tuples, whose types select the compiled functions.

    A stage that needs to know less is handed one with types that stand for many, see ``integration.compiled_stages``.
    """

    scheme: tuple  # a type of ``kernels.rotation``
    law: tuple  # of ``kernels.laws``
    fluid: tuple  # of ``kernels.fluid``
    constants: tuple  # `time_loop.RunConstants`
    bodies: tuple  # `Bodies`
    kinds: tuple  # `Kinds`, or one that extends it
    neighbours: tuple  # `Neighbours`; its field `bonds` are those between bodies
    box: tuple  # domain, faces and walls: `dem.kernels.domain.faces.BoxFaces`, or one that extends it
    chunk_sums: np.ndarray  # (C, COLUMNS) int64 of ``chunk_step``


@inline
def gravity_of(constants):
    """Acceleration of gravity, three floats [m/s²]."""
    return constants.gravity_x, constants.gravity_y, constants.gravity_z
