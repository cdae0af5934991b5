"""Sum the forces and torques of contacts by body: of each body's own pairs, in a fixed order."""

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import inline, select, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws.damping import SharedDamping
from dem.kernels.numerics.vector import add, add_scaled, cross, load, store, subtract
from dem.kernels.simd.memory import add_eight
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.capsules import Capsules
from dem.kernels.soft.contact.contact_detection import FORCE_J, SHARED, VECTOR_WIDTH, clear, write_force_torque
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.contact.dissipated_heat import add_dissipation_of_pairs, reverse_force_line, reverse_shared_line
from dem.kernels.soft.neighbours.candidate_pairs import GROUP
from dem.kernels.soft.state import Kinds


@inline
def gather_any_pairs(c, first_body, context):
    """Sum pair forces and torques for chunk c, by whether all bodies are single spheres; see `gather_pairs`."""
    if context.kinds.all_single_spheres:
        gather_spheres(c, first_body, context)
    else:
        gather_bodies(c, first_body, context)


@inline
def range_with_contacts(c, context):
    """Range in `Neighbours.with_contacts` of the bodies of chunk c that have candidates."""
    low, _ = chunk_of(c, context.bodies.kind.size)
    return low, low + context.neighbours.with_contacts_count[c]


@vector_loop
def gather_single_spheres(low, high, first_body, e, count_as_second, count_as_first, pairs_of_body, pair_force, force):
    """Force of the candidate pairs on bodies that are one sphere: one candidate a pair, no torque.

    Pairs are taken in whole groups, filled up with a candidate that is always zero: the processor predicts the number
    of groups more often correctly than that of pairs.

    low, high, first_body: bodies; the body whose column of `force` is the first.
    e: index in `pairs_of_body` of the first candidate of body low.
    count_as_second, count_as_first, pairs_of_body, pair_force: of `Neighbours`.
    Writes force: (3, N) world frame [N].
    """
    for b in range(low, high):
        f = (0.0, 0.0, 0.0)
        middle = e + count_as_second[b]
        stop = middle + count_as_first[b]
        while e < middle:
            for m in range(GROUP):
                f = subtract(f, load(pair_force, pairs_of_body[e + m]))
            e += GROUP
        while e < stop:
            for m in range(GROUP):
                f = add(f, load(pair_force, pairs_of_body[e + m]))
            e += GROUP
        store(force, b - first_body, f)


@inline
def gather_elastic(c, first_body, context):
    """Force on the single spheres of chunk c; see `gather_pairs`."""
    neighbours, (low, high) = context.neighbours, chunk_of(c, context.bodies.kind.size)
    gather_single_spheres(
        low, high, first_body, neighbours.pairs_of_body_start[c], neighbours.count_as_second, neighbours.count_as_first,
        neighbours.pairs_of_body, neighbours.pair_force, context.bodies.force,
    )  # fmt: skip


@inline
def gather_dissipative(c, first_body, context):
    """Force on the single spheres of chunk c by a law that needs velocities, and torque if they turn."""
    bodies, neighbours, (low, high) = context.bodies, context.neighbours, chunk_of(c, context.bodies.kind.size)
    gather_lines(
        low, high, first_body, neighbours.pairs_of_body_start[c], neighbours.count_as_second, neighbours.count_as_first,
        neighbours.pairs_of_body, neighbours.force_row, neighbours.force_torque,
        neighbours.batch_forces[neighbours.block_of[c]], bodies.force, bodies.torque, neighbours.heat,
        bodies.dissipated, context.constants.per_joule,
    )  # fmt: skip


@vector_loop
def gather_lines(
    low, high, first_body, e, count_as_second, count_as_first, pairs_of_body, force_row, force_torque, sums, force,
    torque, heat, dissipated, per_joule,
):  # fmt: skip
    """Sum force and torque of candidate pairs on single spheres, from rows of forces in groups.

    The force on body j is the opposite of that on body i, so the sum over the pairs on one side is negated once. If
    spheres are equal and contacts have no couples, the torque is the same on both. Otherwise a row has the torque on j,
    the force and the torque on i, so that the line of either body is two thirds of a row.

    e, count_as_second, count_as_first, pairs_of_body: see `gather_single_spheres`.
    force_row, force_torque, heat: of `Neighbours`. dissipated: of `Bodies`. per_joule: units of energy a joule.
    Writes force, torque: (3, N) world frame [N, N m]; the latter may be empty. Writes sums: (8,) or longer, scratch.
    Writes dissipated: energy that contacts dissipate, added.
    """
    shared = force_torque.shape[1] == SHARED
    of_i = VECTOR_WIDTH if shared else 0
    for b in range(low, high):
        clear(sums)
        middle = e + count_as_second[b]
        stop = middle + count_as_first[b]
        while e < middle:
            add_group(e, 0, pairs_of_body, force_row, force_torque, sums)
            e += GROUP
        if shared:
            reverse_shared_line(heat, sums)
        else:
            reverse_force_line(heat, sums)
        while e < stop:
            add_group(e, of_i, pairs_of_body, force_row, force_torque, sums)
            e += GROUP
        write_force_torque(sums, b - first_body, force, torque)
        add_dissipation_of_pairs(heat, b, sums, dissipated, per_joule)


@inline
def add_group(e, column, pairs_of_body, force_row, force_torque, sums):
    """Add the lines of a group of candidates, from column `column` on, to the sums of a body."""
    for m in range(GROUP):
        add_eight(sums, force_torque, force_row[pairs_of_body[e + m]], column)


@vector_loop
def sum_rows(
    active, e, count_as_second, count_as_first, pairs_of_body, force_row, force_torque, sums, force, torque, heat,
    dissipated, per_joule,
):  # fmt: skip
    """Force and torque of the candidate pairs on bodies.

    One loop takes the pairs in which the body is the second one, then the others, in whole groups filled up with a row
    that is always zero: the processor predicts the number of groups better than that of pairs on either side.

    active, e: (n,) bodies; index in `pairs_of_body` of the first candidate of the first of them.
    count_as_second, count_as_first, pairs_of_body, force_row, force_torque, heat: of `Neighbours`.
    dissipated, per_joule: see `gather_lines`.
    Writes force, torque: (3, N) of these bodies, world frame [N, N m]. Writes sums: (8,) or longer, scratch.
    Writes dissipated: energy that contacts dissipate, added.
    """
    for a in range(active.size):
        b = active[a]
        clear(sums)
        middle = e + count_as_second[b]
        stop = middle + count_as_first[b]
        while e < stop:
            for m in range(GROUP):
                add_eight(sums, force_torque, force_row[pairs_of_body[e + m]], FORCE_J if e + m < middle else 0)
            e += GROUP
        write_force_torque(sums, b, force, torque)
        add_dissipation_of_pairs(heat, b, sums, dissipated, per_joule)


@inline
def gather_rows(c, first_body, context):
    """Force and torque of candidate pairs on the bodies of chunk c, from rows of `force_torque`; see `gather_pairs`."""
    bodies, neighbours, (low, stop) = context.bodies, context.neighbours, range_with_contacts(c, context)
    sum_rows(
        neighbours.with_contacts[low:stop], neighbours.pairs_of_body_start[c], neighbours.count_as_second,
        neighbours.count_as_first, neighbours.pairs_of_body, neighbours.force_row, neighbours.force_torque,
        neighbours.batch_forces[neighbours.block_of[c]], bodies.force, bodies.torque, neighbours.heat,
        bodies.dissipated, context.constants.per_joule,
    )  # fmt: skip


@vector_loop
def sum_bodies(
    box, active, e, count_as_second, count_as_first, pairs_of_body, sphere_i, sphere_j, pair_force, sphere_position,
    position, force,
    torque,
):  # fmt: skip
    """Force and torque of the candidate pairs on bodies of several spheres, along the lines of centres.

    So the lever arm of a force may end at the sphere's own centre.

    active, e: (n,) bodies; index in `pairs_of_body` of the first candidate of the first of them.
    count_as_second, count_as_first, pairs_of_body, sphere_i, sphere_j, pair_force: of `Neighbours`.
    sphere_position, position: (3, M), (3, N) world frame [m].
    Writes force, torque: (3, N) of these bodies, world frame [N, N m].
    """
    for a in range(active.size):
        b = active[a]
        x, f, t = load(position, b), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        middle = e + count_as_second[b]
        stop = middle + count_as_first[b]
        for n in range(e, stop):
            k, sign = pairs_of_body[n], -1.0 if n < middle else 1.0
            f_k, sphere = load(pair_force, k), sphere_j[k] if n < middle else sphere_i[k]
            f = add_scaled(f, sign, f_k)
            t = add_scaled(t, sign, cross(minimum_image(box, load(sphere_position, sphere), x), f_k))
        e = stop
        store(force, b, f)
        store(torque, b, t)


@inline
def gather_elastic_bodies(c, first_body, context):
    """Force and torque on the bodies of several spheres of chunk c; see `gather_pairs`."""
    bodies, neighbours, (low, stop) = context.bodies, context.neighbours, range_with_contacts(c, context)
    sum_bodies(
        context.box, neighbours.with_contacts[low:stop], neighbours.pairs_of_body_start[c], neighbours.count_as_second,
        neighbours.count_as_first, neighbours.pairs_of_body, neighbours.sphere_i, neighbours.sphere_j,
        neighbours.pair_force, bodies.sphere_position, bodies.position, bodies.force, bodies.torque,
    )  # fmt: skip


# Functions of (c, first_body, context), which sum pair forces and torques for the bodies of chunk c; those of body b go
# to column b - first_body of `Bodies.force` and `Bodies.torque`, (3, N) world frame [N, N m]
gather_spheres = select("context.law", {laws.Elastic: gather_elastic, laws.Composite: gather_dissipative})
gather_clusters = select("context.law", {laws.Elastic: gather_elastic_bodies, laws.Composite: gather_rows})
gather_bodies = select("context.kinds", {Kinds: gather_clusters, Capsules: gather_rows, ConvexBodyKinds: gather_rows})
# only bodies of several spheres, capsules and polyhedra have contacts that share damping
gather_dissipative_pairs = select("context.law.damping", {SharedDamping: gather_bodies, object: gather_any_pairs})
gather_body_pairs = select("context.law", {laws.Elastic: gather_any_pairs, laws.Composite: gather_dissipative_pairs})
gather_pairs = select("context.scheme", {rotation.SphericalPCDM: gather_spheres, object: gather_body_pairs})
