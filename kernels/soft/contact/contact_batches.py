"""Pipeline of contacts between bodies: detection, kinematics, history, law, results.

    copy_motion          bodies of single spheres to lines of the cache: `sphere_motion`
    find_touching        candidates of a chunk that touch
    compute_kinematics   batches of `BLOCK` columns, by the contact geometry: `batch_kinematics.SingleSpheres`,
                         `SphereClusters`, `Segments`, `ConvexBodies`
    assign_damping_masses  damping that several contacts of two bodies share
    load_histories       history of the contacts
    evaluate_batch       the law
    store_histories      history of the contacts, in steps
    collect_results      forces and torques of a step, or the rows of a report, by the sink
    record_stress        stress of single spheres in a cell that deforms: `batch_stress`

Contacts are evaluated in batches, because LLVM makes vector code of loops over rows of numbers, and not of loops that
read bodies, velocities and histories from scattered places. A batch is small enough for its rows to stay in the fastest
cache. Elastic contacts of spheres, which need no velocities, have a loop of their own over all candidates
(``elastic_pairs``), behind `evaluate`.
"""

import math

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.deforming_cell import DeformingFaces, by_form
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.laws.damping import SharedDamping
from dem.kernels.numerics.columns import BLOCK, flat, get
from dem.kernels.numerics.vector import cross, scale, subtract
from dem.kernels.simd.memory import prefetch
from dem.kernels.simd.transpose import lines_of, read_lines, write_lines
from dem.kernels.soft.chunks import candidate_room, first_candidate
from dem.kernels.soft.contact import contact_detection
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    ARM_J,
    CANDIDATE,
    FORCE,
    LOSS,
    MIXED_TYPES,
    NO_CANDIDATE,
    NORMAL,
    OF_I,
    OF_J,
    OF_PAIRS,
    OPEN_LOSS,
    OVERLAP,
    PERSISTS,
    ConvexBodies,
    FacetedBodies,
    Segments,
    SingleSpheres,
    SphereClusters,
    compute_sphere_kinematics,
    write_vector_columns,
)
from dem.kernels.soft.contact.batch_stress import clear_stress, record_stress
from dem.kernels.soft.contact.capsule_contacts import (
    centre_of_overlaps,
    compute_capsule_kinematics,
    list_capsule_overlaps,
    list_piece_overlaps,
    load_capsule_history,
    scatter_capsule_forces,
    store_capsule_history,
    sum_forces_of_pair,
)
from dem.kernels.soft.contact.capsules import Capsules, Mixed
from dem.kernels.soft.contact.cluster_kinematics import compute_cluster_kinematics
from dem.kernels.soft.contact.contact_detection import (
    FORCE_J,
    LINE,
    ON_I,
    ON_J,
    SHARED,
    VECTOR_WIDTH,
    add_sums,
    compute_pair_overlaps,
    first_row,
    no_sums,
)
from dem.kernels.soft.contact.contact_evaluation import BatchSettings, evaluate_batch, write_torques
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, FacetedBodyKinds
from dem.kernels.soft.contact.convex_contacts import clear_solver, list_convex_overlaps
from dem.kernels.soft.contact.convex_kinematics import compute_convex_kinematics
from dem.kernels.soft.contact.dissipated_heat import ContactHeat, NoHeat, write_heat
from dem.kernels.soft.contact.elastic_pairs import evaluate_elastic
from dem.kernels.soft.contact.ongoing_contacts import find_ongoing, find_others, list_ongoing, store_ongoing
from dem.kernels.soft.contact.polyhedron_contacts import (
    arm_of,
    compute_facet_kinematics,
    load_facet_history,
    scatter_facet_forces,
    store_facet_history,
    total_of_facets,
)
from dem.kernels.soft.contact.result_sinks import (
    ForceSink,
    HeatSink,
    Reported,
    ReportSink,
    is_report,
    write_row,
)
from dem.kernels.soft.contact.shared_damping import assign_damping_masses
from dem.kernels.soft.contact.sphere_motion import copy_reached, lines_of_chunk
from dem.kernels.soft.state import SOLVER, Kinds


@vector_loop
def prefetch_history(geometry, law, first, count, touching, history):
    """Prefetch the contact history during the computation of kinematics; in a gas it is not in the cache."""
    for t in range(count):
        prefetch(history, touching[first + t] * history.shape[1])


@vector_loop
def load_history(geometry, law, first, count, touching, ids, history, has_history, batch_history):
    """Gather the history of contacts; zeros for new contacts."""
    vectorised = read_lines(touching, history, has_history, first, count, batch_history)
    for t in range(vectorised, count):
        k = touching[first + t]
        for r in range(laws.columns(law)):
            batch_history[r, t] = history[k, r] if has_history[k] != 0 else 0.0


@vector_loop
def store_history(geometry, law, first, count, touching, ids, batch_history, out, history, has_history):
    """Store the history of contacts.

    first, count, touching: pairs of the batch in the list of candidates that touch.
    ids, batch_history, out: columns of the batch.
    Writes history, has_history: of those candidates.
    """
    vectorised = write_lines(touching, history, first, count, batch_history)
    for t in range(count):
        has_history[touching[first + t]] = 1 if out[flat(PERSISTS, t)] > 0.0 else 0
    for t in range(vectorised, count):
        for r in range(laws.columns(law)):
            history[touching[first + t], r] = batch_history[r, t]


@vector_loop
def write_couple_torques_of_spheres(geometry, count, kinematics, out):
    """Write torques with couples on single spheres of different properties.

    geometry, count, kinematics: see `evaluate_touching`.
    Writes out: rows ON_I and ON_J.
    """
    for t in range(count):
        torque_j = cross(get(kinematics, ARM_J, t), scale(-1.0, get(out, FORCE, t)))
        write_torques(out, t, get(out, ON_I, t), torque_j, get(out, ON_J, t))


write_couple_torques = select(
    "geometry", {SingleSpheres: write_couple_torques_of_spheres, SphereClusters: None, Segments: None}
)


def force_lines(torque, negated=()):
    """Function that writes the lines of one body, with a torque from that row on, see `lines_of`."""
    force, torque = range(FORCE, FORCE + 3), range(torque, torque + 3)
    return select(
        "sink",
        {
            ForceSink: lines_of(*force, PERSISTS, *torque, PERSISTS, negated=negated),
            HeatSink: lines_of(*force, OPEN_LOSS, *torque, LOSS, negated=negated),
        },
        handed=False,
    )


write_lines_of_first, write_lines_of_second = force_lines(ON_I), force_lines(ON_J, negated=range(3))


@inline
def scatter_to_first(t, out, force_torque):
    """Write the force and torque of contact t on body i to row t; each fourth number is unused."""
    write_vector_columns(force_torque, t, 0, get(out, FORCE, t))
    write_vector_columns(force_torque, t, ON_I, get(out, ON_I, t))


@inline
def scatter_to_second(t, out, force_torque):
    """Write the force and torque of contact t on body j to row t."""
    write_vector_columns(force_torque, t, FORCE_J, scale(-1.0, get(out, FORCE, t)))
    write_vector_columns(force_torque, t, ON_J, get(out, ON_J, t))


@vector_loop
def scatter_cluster_forces(sink, count, out, torque_j_row, force_torque):
    """Write rows, which have a line for either body."""
    vectorised = write_lines_of_first(sink, out, BLOCK, count, force_torque, 0)
    write_lines_of_second(sink, out, BLOCK, count, force_torque, FORCE_J)
    for t in range(vectorised, count):
        scatter_to_first(t, out, force_torque)
        scatter_to_second(t, out, force_torque)
        write_heat(sink, t, out, force_torque)


@vector_loop
def scatter_any_forces(sink, count, out, torque_j_row, force_torque):
    """Write rows: force and torque on i, that on j from row `torque_j_row` if it has one."""
    width, vectorised = force_torque.shape[1], 0
    if width == SHARED:  # two of three lines would be written across: number by number is as fast
        for t in range(count):
            write_vector_columns(force_torque, t, 0, get(out, torque_j_row, t))
            write_vector_columns(force_torque, t, VECTOR_WIDTH, get(out, FORCE, t))
            write_vector_columns(force_torque, t, 2 * VECTOR_WIDTH, get(out, ON_I, t))
            write_heat(sink, t, out, force_torque)
    else:
        if width == LINE:
            vectorised = write_lines_of_first(sink, out, BLOCK, count, force_torque, 0)
        for t in range(vectorised, count):
            scatter_to_first(t, out, force_torque)
            if width > LINE:
                scatter_to_second(t, out, force_torque)
            write_heat(sink, t, out, force_torque)


scatter_forces = select("damping", {SharedDamping: scatter_cluster_forces, object: scatter_any_forces}, handed=False)


by_scheme = select("scheme", {rotation.SphericalPCDM: SingleSpheres(), object: SphereClusters()})


@inline
def geometry_of_spheres(kinds, scheme):
    """Geometry type of bodies made of spheres: that of single spheres if their scheme is used."""
    return by_scheme(scheme)


geometry_of = select(
    "kinds",
    {
        Kinds: geometry_of_spheres,
        Capsules: Segments(),
        ConvexBodyKinds: ConvexBodies(),
        FacetedBodyKinds: FacetedBodies(),
    },
)


@inline
def compute_pair_overlaps_in_cell(
    box, position, sphere_i, sphere_j, contact_distance, min_overlap, has_lines, lines, rows, overlap
):
    """Overlaps in a cell that deforms; see `compute_pair_overlaps`."""
    arguments = position, sphere_i, sphere_j, contact_distance, min_overlap, has_lines, lines, rows, overlap
    compute_pair_overlaps_by_form(box, arguments)


compute_pair_overlaps_by_form = by_form(compute_pair_overlaps)
compute_sphere_overlaps = select(
    "box", {BoxFaces: compute_pair_overlaps, DeformingFaces: compute_pair_overlaps_in_cell}
)


@inline
def list_sphere_overlaps(
    kinds, box, bodies, sphere_i, sphere_j, contact_distance, min_overlap, has_lines, lines, rows, overlap
):
    """Overlap of each candidate pair of spheres, or the smallest overlap of interest; see `compute_pair_overlaps`."""
    compute_sphere_overlaps(
        box, bodies.sphere_position, sphere_i, sphere_j, contact_distance, min_overlap, has_lines, lines, rows, overlap
    )


by_segments = select(
    "kinds", {Kinds: list_sphere_overlaps, Capsules: list_capsule_overlaps, Mixed: list_piece_overlaps}
)


@inline
def list_overlaps(
    kinds, sink, law, c, count, min_overlap, rows, integers, bodies, neighbours, box, listed, overlap, sums
):
    """Overlap of each candidate pair of spheres or capsules, or the smallest overlap of interest.

    sink, rows, integers, listed, sums: see `find_touching`; scratch; numbers of the solver, of which spheres have none.
    c, count: chunk, number of its candidates.
    min_overlap: smallest overlap wanted [m].
    Writes overlap: (K,) [m].
    """
    start = first_candidate(c, neighbours)
    stop, (has_lines, lines) = start + count, lines_of_chunk(c, neighbours)
    sphere_i, sphere_j = neighbours.sphere_i[start:stop], neighbours.sphere_j[start:stop]
    if kinds.contact_distance > 0.0:
        by_segments(
            kinds, box, bodies, sphere_i, sphere_j, kinds.contact_distance, min_overlap, has_lines, lines, rows, overlap
        )
    else:
        contact_distance = neighbours.contact_distance[start:stop]
        by_segments(
            kinds, box, bodies, sphere_i, sphere_j, contact_distance, min_overlap, has_lines, lines, rows, overlap
        )


compute_overlaps = select("kinds", {Kinds: list_overlaps, ConvexBodyKinds: list_convex_overlaps})


@inline
def find_touching(sink, c, context):
    """List the candidates of chunk c that touch or still have a history; returns their number.

    sink: steps list contacts across a film as well, reports do not.
    Writes context.neighbours: overlap, touching and force_row of the chunk's segment; has_history of its candidates,
        in steps; batch_kinematics, scratch. Writes context.chunk_sums: row c, from SOLVER on, in steps.
    """
    law, bodies, kinds, neighbours, box = context.law, context.bodies, context.kinds, context.neighbours, context.box
    count, start, column = neighbours.pairs[c], first_candidate(c, neighbours), neighbours.force_at[c]
    stop = start + count
    overlap = neighbours.overlap[column : column + count]
    listed = neighbours.touching[column : column + candidate_room(neighbours)]
    block = neighbours.evaluating_block[c]
    rows, integers = neighbours.batch_kinematics[block], neighbours.batch_ids[block]
    max_gap = 0.0 if is_report(sink) else laws.largest_begin_gap(law)
    min_overlap = -math.inf if laws.has_range(law) else 0.0 - max_gap
    sums = context.chunk_sums[c, SOLVER:]
    compute_overlaps(
        kinds, sink, law, c, count, min_overlap, rows, integers, bodies, neighbours, box, listed, overlap, sums
    )
    if neighbours.has_history.size > 0 and not laws.has_range(law) and not is_report(sink):
        contact_detection.clear_history_of_separated(overlap, neighbours.has_history[start:stop])
    return contact_detection.list_chunk(law, c, max_gap, overlap, listed, neighbours)


compute_kinematics = select(
    "geometry",
    {
        SingleSpheres: compute_sphere_kinematics,
        SphereClusters: compute_cluster_kinematics,
        Segments: compute_capsule_kinematics,
        ConvexBodies: compute_convex_kinematics,
        FacetedBodies: compute_facet_kinematics,
    },
)


copy_motion = select("geometry", {SingleSpheres: copy_reached, SphereClusters: None, Segments: None})
prefetch_histories = select(
    "geometry", {SingleSpheres: prefetch_history, SphereClusters: prefetch_history, Segments: None}
)
load_histories = select(
    "geometry",
    {
        SingleSpheres: load_history,
        SphereClusters: load_history,
        Segments: load_capsule_history,
        FacetedBodies: load_facet_history,
    },
)
store_histories = select(
    "geometry",
    {
        SingleSpheres: store_history,
        SphereClusters: store_history,
        Segments: store_capsule_history,
        FacetedBodies: store_facet_history,
    },
)


@inline
def scatter_sphere_forces(sink, geometry, count, batch_type, row, start, context, kinematics, ids, out):
    """Write the rows of `Neighbours.force_torque` of contacts of spheres.

    count, batch_type: of columns; MIXED_TYPES, MAY_BE_NEW or ONGOING.
    row, start: row of the first; the chunk's first candidate.
    sink, geometry: see `evaluate_touching`.
    kinematics, ids, out: columns of the batch.
    Writes context.neighbours.force_torque: rows from `row` on.
    """
    law = context.law
    if laws.transmits_couples(law) and batch_type == MIXED_TYPES:
        write_couple_torques(geometry, count, kinematics, out)
    torque_j_row = ON_J if laws.transmits_couples(law) or batch_type == MIXED_TYPES else ON_I
    scatter_forces(law.damping, sink, count, out, torque_j_row, context.neighbours.force_torque[row:])


@inline
def scatter_convex_forces(sink, geometry, count, batch_type, row, start, context, kinematics, ids, out):
    """Write the rows of `Neighbours.force_torque` of contacts of convex shapes: forces and torques on both bodies.

    sink, geometry, count, batch_type, row, start, kinematics, ids, out: see `scatter_sphere_forces`.
    Writes context.neighbours.force_torque: rows from `row` on.
    """
    scatter_cluster_forces(sink, count, out, ON_J, context.neighbours.force_torque[row:])


collect_forces = select(
    "geometry",
    {
        SingleSpheres: scatter_sphere_forces,
        SphereClusters: scatter_sphere_forces,
        Segments: scatter_capsule_forces,
        ConvexBodies: scatter_convex_forces,
        FacetedBodies: scatter_facet_forces,
    },
)


@inline
def total_of_contact(geometry, t, count, start, context, kinematics, ids, out):
    """Force on the first sphere of a contact and torque on its body, the arm of the force, and the next column.

    t: column.
    geometry, count, start, kinematics, ids, out: see `scatter_sphere_forces`.
    Returns the force [N], torque [N m], arm from the centre of the first body [m], column.
    """
    return get(out, FORCE, t), get(out, ON_I, t), get(kinematics, ARM_I, t), t + 1


@inline
def total_of_capsules(geometry, t, count, start, context, kinematics, ids, out):
    """Force and torque of all contacts of a pair of capsules, the arm of their middle, and the next column.

    geometry, t, count, start, kinematics, ids, out: see `total_of_contact`; first column.
    """
    force, on_i, _, stop = sum_forces_of_pair(t, count, start, context, kinematics, ids, out)
    return force, on_i, centre_of_overlaps(t, stop, kinematics), stop


@inline
def total_of_corners(geometry, t, count, start, context, kinematics, ids, out):
    """Force and torque of the contacts of two polyhedra, the arm by `arm_of`, and the next column.

    geometry, t, count, start, kinematics, ids, out: see `total_of_contact`.
    """
    force, on_i, _, stop = total_of_facets(t, count, kinematics, ids, out)
    return force, on_i, arm_of(t, stop, force, on_i, kinematics), stop


total_of = select(
    "geometry",
    {
        SingleSpheres: total_of_contact,
        SphereClusters: total_of_contact,
        Segments: total_of_capsules,
        FacetedBodies: total_of_corners,
    },
)


@inline
def collect_rows(sink, geometry, count, batch_type, row, start, context, kinematics, ids, out):
    """Report the contacts of a batch, one row a pair of spheres or capsules.

    geometry, count, batch_type, row, start, kinematics, ids, out: see `scatter_sphere_forces`.
    Writes sink: `ReportSink`.
    """
    bodies, neighbours = context.bodies, context.neighbours
    t = 0
    while t < count:
        first = t
        if ids[CANDIDATE, first] == NO_CANDIDATE:
            t += 1
            continue
        i, j = neighbours.sphere_i[start + ids[CANDIDATE, first]], neighbours.sphere_j[start + ids[CANDIDATE, first]]
        b, c = bodies.owner[i], bodies.owner[j]
        force, on_i, arm, t = total_of(geometry, first, count, start, context, kinematics, ids, out)
        couple = subtract(on_i, cross(arm, force))
        branch, loss = subtract(get(kinematics, ARM_J, first), get(kinematics, ARM_I, first)), 0.0
        for column in range(first, t):
            loss += out[flat(LOSS, column)]
        contact = Reported(kinematics[flat(OVERLAP, first)], get(kinematics, NORMAL, first))
        sphere_in_b, sphere_in_c = i - bodies.first_sphere[b], j - bodies.first_sphere[c]
        write_row(
            sink, bodies.identity[b], bodies.identity[c], sphere_in_b, sphere_in_c, contact, force, couple, loss, arm,
            branch,
        )  # fmt: skip


sink_for = select("heat", {NoHeat: ForceSink(), ContactHeat: HeatSink()})
collect_results = select("sink", {ReportSink: collect_rows, ForceSink: collect_forces})


@inline
def batch_arrays(block, neighbours):
    """Scratch of a block: gathered rows, history, results and integers of a batch."""
    return (
        neighbours.batch_kinematics[block], neighbours.batch_history[block], neighbours.batch_forces[block],
        neighbours.batch_ids[block],
    )  # fmt: skip


@func
def evaluate_touching(sink, c, time_sign, context):
    """Evaluate the touching among the candidate pairs of chunk c.

    sink: `result_sinks.ForceSink` or `result_sinks.ReportSink`.
    Writes context.neighbours: force_torque, history and has_history of the chunk's candidates, in steps; overlap,
        touching and force_row of the chunk's segment; batch_kinematics, batch_history, batch_forces and batch_ids,
        scratch.
    Writes sink: a row for each contact, in reports. Returns `Sums`.
    """
    law, neighbours, geometry = context.law, context.neighbours, geometry_of(context.kinds, context.scheme)
    settings = BatchSettings(
        geometry, sink, law, time_sign, 0.5 * context.constants.dt, context.constants.per_joule,
        context.kinds.modulus.size == 1,
    )  # fmt: skip
    start, row = first_candidate(c, neighbours), first_row(c, neighbours)
    block, column = neighbours.evaluating_block[c], neighbours.force_at[c]
    gathered, batch_history, out, ids = batch_arrays(block, neighbours)
    kinematics = gathered[OF_PAIRS:]
    history, has_history = neighbours.history[start:], neighbours.has_history[start:]
    remembers = laws.needs_velocity(law) and neighbours.has_history.size > 0
    copy_motion(geometry, c, context.bodies, neighbours)
    touched = neighbours.touching_count[c] = find_touching(sink, c, context)
    touching = neighbours.touching[column : column + touched]
    sums, first = no_sums(), 0
    clear_stress(context.box, geometry, sink, c)
    while first < touching.size:
        if remembers:
            prefetch_histories(geometry, law, first, min(BLOCK, touching.size - first), touching, history)
        count, stop, batch_type = compute_kinematics(
            geometry, sink, c, first, touching, context, gathered, kinematics, ids
        )
        assign_damping_masses(geometry, first, stop, start, touching, count, context, ids, kinematics)
        if remembers:
            load_histories(geometry, law, first, count, touching, ids, history, has_history, batch_history)
        more = evaluate_batch(settings, count, batch_type, kinematics, ids[OF_I], ids[OF_J], batch_history, out)
        if remembers and not is_report(sink):
            store_histories(geometry, law, first, count, touching, ids, batch_history, out, history, has_history)
        collect_results(sink, geometry, count, batch_type, row + first, start, context, kinematics, ids, out)
        record_stress(context.box, geometry, sink, c, count, gathered, out)
        sums, first = add_sums(sums, more), stop
    return sums


@func
def evaluate_convex(sink, c, time_sign, context):
    """Evaluate the candidate pairs of chunk c in a step, convex bodies that touched in the last one before all others.

    These are found batch by batch (``ongoing_contacts``). Where bodies have several pieces, or contacts a range, all
    are found before the first batch, as by `evaluate_touching`; all arguments are those of it.
    """
    law, kinds, neighbours, geometry = context.law, context.kinds, context.neighbours, ConvexBodies()
    settings = BatchSettings(
        geometry, sink, law, time_sign, 0.5 * context.constants.dt, context.constants.per_joule, kinds.modulus.size == 1
    )
    start, row, number = first_candidate(c, neighbours), first_row(c, neighbours), neighbours.pairs[c]
    block, column = neighbours.evaluating_block[c], neighbours.force_at[c]
    gathered, batch_history, out, ids = batch_arrays(block, neighbours)
    kinematics = gathered[OF_PAIRS:]
    history, has_history = neighbours.history[start:], neighbours.has_history[start:]
    listed = neighbours.touching[column : column + candidate_room(neighbours)]
    solver, min_overlap, sums = context.chunk_sums[c, SOLVER:], 0.0 - laws.largest_begin_gap(law), no_sums()
    is_followed, first = kinds.is_centred and not laws.has_range(law), 0
    if is_followed:
        clear_solver(solver)
        touched = list_ongoing(
            number, start, has_history, kinds, context.bodies, neighbours, neighbours.overlap[column:],
            neighbours.force_row[column:], listed,
        )  # fmt: skip
    else:
        touched = find_touching(sink, c, context)
    while is_followed or first < touched:
        if first == touched:
            is_followed, first = False, 0
            touched = find_others(sink, row, start, number, column, min_overlap, listed, solver, context, gathered, ids)
            continue
        if is_followed:
            stop = min(first + BLOCK, touched)
            count = find_ongoing(
                first, row, listed[:touched], start, column, min_overlap, solver, context, gathered, kinematics,
                batch_history, ids,
            )  # fmt: skip
        else:
            count, stop, _ = compute_convex_kinematics(
                geometry, sink, c, first, listed[:touched], context, gathered, kinematics, ids
            )
            assign_damping_masses(geometry, first, stop, start, listed[:touched], count, context, ids, kinematics)
            if laws.needs_velocity(law):
                load_history(geometry, law, first, count, listed, ids, history, has_history, batch_history)
        more = evaluate_batch(settings, count, MIXED_TYPES, kinematics, ids[OF_I], ids[OF_J], batch_history, out)
        if is_followed:
            store_ongoing(
                law, laws.needs_velocity(law), count, ids[CANDIDATE], batch_history, out, history, has_history
            )
        elif laws.needs_velocity(law):
            store_history(geometry, law, first, count, listed, ids, batch_history, out, history, has_history)
        scatter_cluster_forces(sink, count, out, ON_J, neighbours.force_torque[row:])
        sums, first, row = add_sums(sums, more), stop, row + count
    return sums


@inline
def evaluate_listed(c, time_sign, context):
    """Evaluate the candidate pairs of chunk c that touch, in a step; see `evaluate_touching`."""
    return evaluate_touching(sink_for(context.neighbours.heat), c, time_sign, context)


@inline
def evaluate_followed(c, time_sign, context):
    """Evaluate the candidate pairs of chunk c that touch, in a step; see `evaluate_convex`."""
    return evaluate_convex(sink_for(context.neighbours.heat), c, time_sign, context)


evaluate_spheres = select("context.law", {laws.Elastic: evaluate_elastic, laws.Composite: evaluate_listed})
evaluate = select(
    "context.kinds",
    {
        Kinds: evaluate_spheres,
        Capsules: evaluate_listed,
        ConvexBodyKinds: evaluate_followed,
        FacetedBodyKinds: evaluate_listed,
    },
)
