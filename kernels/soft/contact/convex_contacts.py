"""Contacts of convex bodies: detection among the candidate pairs, kinematics, and overlaps of one moment for Python.

The normal n of a pair is a function of its bodies' places and turns but for rounding: the solver takes a few steps
fewer if it begins with the n of the last step. What it begins with is seen in the last bits, so the n of touching pairs
is kept behind what the contact law remembers: it survives new lists, ranks and checkpoints as friction does, and
the bytes of a run do not depend on them. Pairs that do not touch begin with the direction between their centres. What
proved them to be apart in the last step is kept in the same place until candidates are picked: most often it still does
so, by one value of both support functions. That leaves no trace in a result, as whatever proves it is true.

Smooth pairs take steps of Newton's method in batches (`dem.kernels.convex.newton_batches`), and only those for which
that is not enough are solved one by one. Of polyhedra a direction that proves their cores to be apart is enough: what
touches is then found by their corners and edges (``facet_contacts``).

What the solver finds of a candidate that touches is put into `Neighbours.found`, from which its kinematics follow.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, kernel, select
from dem.kernels.convex import newton_batches
from dem.kernels.convex.facets import extent
from dem.kernels.convex.overlap import APART, BY_SHIFTS, UNFINISHED, USUAL, first_direction, overlap_of_cores
from dem.kernels.convex.overlap import overlap as convex_overlap
from dem.kernels.convex.shape_kinds import NOWHERE, has_facets, is_smooth_at, rounding_of, support_of
from dem.kernels.domain.faces import height, inward
from dem.kernels.domain.periodic import image_velocity, minimum_image, nearest_image
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.quaternion import load_quaternion
from dem.kernels.numerics.vector import add, cross, dot, load, scale, store, subtract
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, FacetedBodyKinds, at_plane, convex_body, row_of
from dem.kernels.soft.contact.result_sinks import is_report
from dem.kernels.soft.contact.surface_motion import inverse_effective_mass, pair_kinematics, radius_of, spin_of

AXES = 3  # numbers of a normal, behind those of the law
FOUND = 7  # numbers of `Neighbours.found`: overlap, normal, place
# columns of `chunk_sums`, of pairs of convex bodies that touch: their number; steps of the solver, most of one pair;
# pairs for which it fell back, and those for which it did not end, see `dem.kernels.convex.overlap`
SOLVED, SOLVER_STEPS, MOST_SOLVER_STEPS, FALLBACKS, UNENDED, SOLVER_COLUMNS = range(6)
DEEPEST = 0.999  # overlap over the sum of the roundings, above which cores of polyhedra may meet
UNIT = 1e-12  # by which the square of a unit vector may be off
MARGIN = 1e-10  # over the sizes, far above rounding and the deviation of a unit vector


@inline
def is_of_corners(law, a, b):
    """Whether a pair touches at the corners and edges of polyhedra, if its cores are apart."""
    return not laws.has_range(law) and not laws.begins(law) > 0.0 and has_facets(a) and has_facets(b)


@inline
def solve(law, k, reach, bodies, kinds, neighbours, box):
    """Overlap of candidate k: of sphere j with sphere i, seen from the centre of the former.

    k: candidate.
    reach: distance above which any that is above it will do [m].
    Returns the overlap [m], unit normal from j to i, place halfway between the touching ones from the centre of j [m],
        number of steps, how the solver ended.
    """
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    r = minimum_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
    overlap, n, x_j, x_i, steps, ending = convex_overlap(
        convex_body(j, c, bodies, kinds), convex_body(i, b, bodies, kinds), r, first_normal(law, k, neighbours), reach
    )
    return overlap, n, scale(0.5, add(x_j, add(r, x_i))), steps, ending


@inline
def put_found(k, overlap, n, place, neighbours):
    """Keep what the solver found of candidate k until its force is evaluated."""
    at, found = FOUND * k, neighbours.found
    found[at], found[at + 1], found[at + 2], found[at + 3] = overlap, n[0], n[1], n[2]
    found[at + 4], found[at + 5], found[at + 6] = place


@inline
def found_normal(k, neighbours):
    """Normal that was found last of the candidate with this number; anything if none was."""
    at, found = FOUND * k, neighbours.found
    return found[at + 1], found[at + 2], found[at + 3]


@inline
def take_found(k, bodies, neighbours, box):
    """Overlap of candidate k, normal and place, see `solve`; and the way from the centre of j to that of i.

    Returns the overlap [m], unit normal, place [m], way [m], periodic cells between them.
    """
    at, found = FOUND * k, neighbours.found
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    r, image = nearest_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
    n, place = found_normal(k, neighbours), (found[at + 4], found[at + 5], found[at + 6])
    return found[at], n, place, r, image


@inline
def first_normal(law, k, neighbours):
    """Normal with which the solver begins for candidate k: its last one, or zeros if it has none."""
    return (0.0, 0.0, 0.0) if neighbours.has_history[k] == 0 else stored_normal(law, k, neighbours)


@inline
def stored_normal(law, k, neighbours):
    """The three numbers behind those that the law remembers of candidate k."""
    at = laws.columns(law)
    return neighbours.history[k, at], neighbours.history[k, at + 1], neighbours.history[k, at + 2]


@inline
def is_apart_still(law, k, least, bodies, kinds, neighbours, box):
    """Whether the direction kept for candidate k, which has no history, proves that it overlaps by less than `least`.

    By a margin, so that the solver finds the same whatever it begins with. Where candidates are new it may be that of
    other bodies, which will do as well, or anything: then it is no unit vector, and proves nothing.
    """
    if neighbours.has_history[k] != 0:
        return False
    n = stored_normal(law, k, neighbours)
    if not abs(dot(n, n) - 1.0) < UNIT:
        return False
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    r = minimum_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
    h_j, _ = support_of(convex_body(j, bodies.owner[j], bodies, kinds), n)
    h_i, _ = support_of(convex_body(i, bodies.owner[i], bodies, kinds), scale(-1.0, n))
    return h_j + h_i - dot(n, r) < least - MARGIN * (h_j + h_i)


@inline
def clear_all_slots(kinds, law, k, neighbours):
    """Empty what is behind the normal of candidate k, whose contact begins, see ``facet_contacts``."""
    for r in range(laws.columns(law) + AXES, neighbours.history.shape[1]):
        neighbours.history[k, r] = 0.0


clear_slots = select("kinds", {ConvexBodyKinds: None, FacetedBodyKinds: clear_all_slots})


@inline
def begin_history(kinds, law, k, neighbours):
    """Have candidate k, which touches, remember: nothing yet, if its contact begins."""
    if neighbours.has_history[k] == 0:
        for r in range(laws.columns(law)):
            neighbours.history[k, r] = 0.0
        clear_slots(kinds, law, k, neighbours)
        neighbours.has_history[k] = 1


@inline
def keep_normal(law, k, n, neighbours):
    """Keep the normal of candidate k for the next step."""
    at = laws.columns(law)
    neighbours.history[k, at], neighbours.history[k, at + 1], neighbours.history[k, at + 2] = n


@inline
def count_steps(sums, steps, ending):
    """Add a pair that touches to the columns from SOLVED on."""
    sums[SOLVED] += 1
    sums[SOLVER_STEPS] += steps
    sums[MOST_SOLVER_STEPS] = max(sums[MOST_SOLVER_STEPS], steps)
    sums[FALLBACKS] += 1 if ending == BY_SHIFTS else 0
    sums[UNENDED] += 1 if ending == UNFINISHED else 0


@inline
def take_overlap(kinds, sink, law, k, at, depth, n, middle, steps, ending, neighbours, overlap, sums):
    """Note what the solver found of candidate k.

    at: its place in `overlap`.
    depth, n, middle, steps, ending: see `solve`.
    Writes overlap, neighbours, sums: see `list_convex_overlaps`.
    """
    overlap[at] = depth
    put_found(k, depth, n, middle, neighbours)
    if not is_report(sink):
        if depth > 0.0:
            count_steps(sums, steps, ending)
            begin_history(kinds, law, k, neighbours)
        keep_normal(law, k, n, neighbours)


@inline
def reach_of(law, k, least, neighbours):
    """Distance of candidate k above which any that is above it will do [m]."""
    return math.inf if laws.has_range(law) and neighbours.has_history[k] != 0 else -least


@func
def find_overlap(kinds, sink, law, k, at, least, bodies, neighbours, box, overlap, sums):
    """Find the overlap of one candidate k; at: its place in `overlap`; all others see `list_convex_overlaps`."""
    if is_apart_still(law, k, least, bodies, kinds, neighbours, box):
        overlap[at] = -math.inf
        return
    reach = reach_of(law, k, least, neighbours)
    depth, n, middle, steps, ending = solve(law, k, reach, bodies, kinds, neighbours, box)
    take_overlap(kinds, sink, law, k, at, depth, n, middle, steps, ending, neighbours, overlap, sums)


@inline
def is_pair_of_corners(law, k, kinds, bodies, neighbours):
    """Whether candidate k is one of two polyhedra, see `is_of_corners`."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    return is_of_corners(law, convex_body(j, c, bodies, kinds), convex_body(i, b, bodies, kinds))


@inline
def is_smooth_pair(k, kinds, bodies, neighbours):
    """Whether Newton's method is for candidate k."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    kind_j, kind_i = (
        kinds.shape[row_of(j, bodies.owner[j], bodies, kinds)],
        kinds.shape[row_of(i, bodies.owner[i], bodies, kinds)],
    )
    return is_smooth_at(kinds.shapes, kind_j, ()) and is_smooth_at(kinds.shapes, kind_i, ())


@inline
def put_pair(law, t, k, least, kinds, bodies, neighbours, box, integers, rows):
    """Write candidate k to column t of a batch of `dem.kernels.convex.newton_batches`."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    row_j, row_i = row_of(j, c, bodies, kinds), row_of(i, b, bodies, kinds)
    r = minimum_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
    put(rows, newton_batches.WAY, t, r)
    newton_batches.put_quaternion(rows, newton_batches.TURN_A, t, load_quaternion(bodies.orientation, c))
    newton_batches.put_quaternion(rows, newton_batches.TURN_B, t, load_quaternion(bodies.orientation, b))
    integers[newton_batches.KIND_A, t], integers[newton_batches.KIND_B, t] = kinds.shape[row_j], kinds.shape[row_i]
    integers[newton_batches.FIRST_A, t] = kinds.first_number[row_j]
    integers[newton_batches.FIRST_B, t] = kinds.first_number[row_i]
    integers[newton_batches.OWNER, t] = k
    n, lowest, margin = stored_normal(law, k, neighbours), -reach_of(law, k, least, neighbours), 0.0
    if neighbours.has_history[k] == 0:  # the start must not be seen in what is found
        is_kept = abs(dot(n, n) - 1.0) < UNIT
        n, margin = n if is_kept else first_direction(r), MARGIN if is_kept else 0.0
    newton_batches.begin_at(t, n, lowest, margin, integers, rows)


@func
def find_corners(kinds, sink, law, k, at, bodies, neighbours, box, overlap, sums):
    """Find out whether candidate k, of two polyhedra, may touch with corners or edges, or whether their cores meet.

    The direction of the last step, in `Neighbours.found`, most often proves the cores to be apart, and by how much at
    least. If that is less than the sum of the roundings, ``facet_contacts`` finds out what touches, which does not
    depend on the direction: after new lists it may be that of other bodies, or anything.

    at: its place in `overlap`; all others see `list_convex_overlaps`.
    Writes overlap: a number above 0 if the candidate may touch, not more than the overlap if it is less.
    """
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    a, b = convex_body(j, bodies.owner[j], bodies, kinds), convex_body(i, bodies.owner[i], bodies, kinds)
    r = minimum_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
    n, reach, bound = found_normal(k, neighbours), rounding_of(a) + rounding_of(b), -math.inf
    if abs(dot(n, n) - 1.0) < UNIT:
        h_a, h_b, along = extent(a, n), extent(b, scale(-1.0, n)), dot(n, r)
        size = h_a + h_b + abs(along)
        if along - h_a - h_b > reach + MARGIN * size:
            overlap[at] = -math.inf
            return
        if along - h_a - h_b > APART * size:
            bound = reach + 2.0 * MARGIN * size - (along - h_a - h_b)
    else:
        n = NOWHERE
    if bound == -math.inf:
        bound, n, _, found = overlap_of_cores(a, b, r, n, 0.0)
        if not found:
            bound, n, middle, steps, ending = solve(law, k, 0.0, bodies, kinds, neighbours, box)
            if bound >= DEEPEST * reach:
                take_overlap(kinds, sink, law, k, at, bound, n, middle, steps, ending, neighbours, overlap, sums)
                return
    overlap[at] = bound
    put_found(k, bound, n, NOWHERE, neighbours)
    if bound > 0.0 and not is_report(sink):
        begin_history(kinds, law, k, neighbours)


@func
def list_each(kinds, sink, law, start, number, least, rows, integers, bodies, neighbours, box, overlap, sums):
    """Overlap of each of the candidates of a chunk, one after the other; see `list_convex_overlaps`."""
    for k in range(start, start + number):
        if is_pair_of_corners(law, k, kinds, bodies, neighbours):
            find_corners(kinds, sink, law, k, k - start, bodies, neighbours, box, overlap, sums)
        else:
            find_overlap(kinds, sink, law, k, k - start, least, bodies, neighbours, box, overlap, sums)


@func
def list_in_batches(kinds, sink, law, start, number, least, rows, integers, bodies, neighbours, box, overlap, sums):
    """Overlap of each of the candidates of a chunk, smooth pairs in batches; see `list_convex_overlaps`.

    A column of the batch whose pair is finished is taken by the next candidate.
    """
    k, stop, count, going = start, start + number, 0, True
    while going:
        while count < BLOCK and k < stop:
            if is_smooth_pair(k, kinds, bodies, neighbours):
                put_pair(law, count, k, least, kinds, bodies, neighbours, box, integers, rows)
                count += 1
            else:
                find_overlap(kinds, sink, law, k, k - start, least, bodies, neighbours, box, overlap, sums)
            k += 1
        if count > 0:
            filled = newton_batches.fill_up(count, integers, rows)
            newton_batches.evaluate_normals(filled, kinds.shapes, kinds.numbers, integers, rows, rows)
        for t in range(count - 1, -1, -1):
            if is_finished(kinds, sink, law, t, start, least, integers, rows, bodies, neighbours, box, overlap, sums):
                count -= 1
                if t < count:
                    newton_batches.copy_column(count, t, integers, rows)
        going = k < stop or count > 0


@inline
def is_finished(kinds, sink, law, t, start, least, integers, rows, bodies, neighbours, box, overlap, sums):
    """Whether column t of a batch is finished, and its result noted; else it is prepared for the next step.

    t: column.
    integers, rows: see `dem.kernels.convex.newton_batches`; all others see `list_convex_overlaps`.
    """
    k, status = integers[newton_batches.OWNER, t], rows[flat(newton_batches.STATUS, t)]
    if rows[flat(newton_batches.MARGIN, t)] > 0.0:
        if status == newton_batches.APART:
            overlap[k - start] = -math.inf
            return True
        r, lowest = get(rows, newton_batches.WAY, t), -reach_of(law, k, least, neighbours)
        newton_batches.begin_at(t, first_direction(r), lowest, 0.0, integers, rows)
        return False
    steps = integers[newton_batches.STEPS, t] + 1
    if status == newton_batches.UNDECIDED and steps < newton_batches.MOST_STEPS:
        newton_batches.go_on(t, integers, rows)
        return False
    is_found = status == newton_batches.FOUND
    if is_found or status == newton_batches.APART:
        depth, n, middle = newton_batches.result_of(t, is_found, rows)
        take_overlap(kinds, sink, law, k, k - start, depth, n, middle, steps, USUAL, neighbours, overlap, sums)
    else:
        find_overlap(kinds, sink, law, k, k - start, least, bodies, neighbours, box, overlap, sums)
    return True


list_overlaps_of = select("kinds", {ConvexBodyKinds: list_in_batches, FacetedBodyKinds: list_each})


@func
def list_convex_overlaps(
    kinds, sink, law, start, number, least, rows, integers, bodies, neighbours, box, overlap, sums
):
    """Overlap of each of the candidates of a chunk, or less than the least wanted [m].

    sink: steps keep normals of pairs that touch.
    start, number: first candidate, number of them.
    rows, integers: scratch.
    Writes overlap: (K,) [m].
    Writes neighbours.history, neighbours.has_history: of those that touch; directions that prove others to be apart.
    Writes neighbours.found: of those that touch. Writes sums: (SOLVER_COLUMNS,), in steps.
    """
    for r in range(0 if is_report(sink) else SOLVER_COLUMNS):
        sums[r] = 0
    least = 0.0 if laws.has_range(law) else least
    list_overlaps_of(kinds, sink, law, start, number, least, rows, integers, bodies, neighbours, box, overlap, sums)


@inline
def kinematics_at(law, k, r, image, depth, normal, place, bodies, kinds, neighbours, box):
    """Kinematics of a contact of candidate k, and its place from the centres of both bodies [m].

    r, image: from the centre of sphere j to that of i [m], periodic cells between them.
    depth, normal, place: overlap [m], unit normal from j to i, place from the centre of sphere j [m].
    """
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    arm_b = add(subtract(place, r), minimum_image(box, load(bodies.sphere_position, i), load(bodies.position, b)))
    arm_c = add(place, minimum_image(box, load(bodies.sphere_position, j), load(bodies.position, c)))
    r_b, r_c = radius_of(i, b, bodies, kinds), radius_of(j, c, bodies, kinds)
    w_b, w_c = spin_of(b, bodies), spin_of(c, bodies)
    velocity = (0.0, 0.0, 0.0)
    if laws.needs_velocity(law):
        of_c = add(load(bodies.velocity_predicted, c), image_velocity(box, image, subtract(arm_c, arm_b)))
        velocity = subtract(add(load(bodies.velocity_predicted, b), cross(w_b, arm_b)), add(of_c, cross(w_c, arm_c)))
    inverse_b = inverse_effective_mass(b, normal, cross(arm_b, normal), bodies, kinds)
    inverse_c = inverse_effective_mass(c, normal, cross(arm_c, normal), bodies, kinds)
    mass, stiffness = 1.0 / (inverse_b + inverse_c), neighbours.stiffness[k]
    return pair_kinematics(b, c, r_b, r_c, stiffness, mass, depth, normal, velocity, bodies, kinds), arm_b, arm_c


@inline
def look_at_convex(kinds, law, k, bodies, neighbours, box):
    """Kinematics of the contact of candidate k, and its place from the centres of both bodies.

    k: see `dem.kernels.soft.contact.cluster_kinematics.look_at_spheres`.
    Returns what `dem.kernels.soft.contact.cluster_kinematics.look_at_spheres` does.
    """
    depth, normal, place, r, image = take_found(k, bodies, neighbours, box)
    return kinematics_at(law, k, r, image, depth, normal, place, bodies, kinds, neighbours, box)


@kernel
def measure_pairs(bodies, kinds, box, sphere_i, sphere_j, overlap, normal, arm_i, arm_j):
    """Contacts of pairs of pieces, which have been placed.

    sphere_i, sphere_j: (K,) pieces of each pair.
    Writes overlap: (K,) [m]; less than 0 for pairs that are apart.
    Writes normal, arm_i, arm_j: (3, K) from j to i, contact from the centres of both bodies [m].
    """
    for k in range(sphere_i.size):
        i, j = sphere_i[k], sphere_j[k]
        b, c = bodies.owner[i], bodies.owner[j]
        r = minimum_image(box, load(bodies.sphere_position, i), load(bodies.sphere_position, j))
        deep, n, x_j, x_i, _, _ = convex_overlap(
            convex_body(j, c, bodies, kinds), convex_body(i, b, bodies, kinds), r, (0.0, 0.0, 0.0), 0.0
        )
        middle = scale(0.5, add(x_j, add(r, x_i)))
        overlap[k] = deep
        store(normal, k, n)
        of_b = minimum_image(box, load(bodies.sphere_position, i), load(bodies.position, b))
        of_c = minimum_image(box, load(bodies.sphere_position, j), load(bodies.position, c))
        store(arm_i, k, add(subtract(middle, r), of_b))
        store(arm_j, k, add(middle, of_c))


@kernel
def measure_faces(bodies, kinds, box, overlap):
    """Overlaps of all pieces, which have been placed, with the faces of a box.

    Writes overlap: (6, M) [m]; less than 0 for those that are apart.
    """
    for b in range(bodies.kind.size):
        for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
            for face in range(6):
                x = at_plane(kinds, s, b, inward(face), bodies)
                overlap[face, s] = radius_of(s, b, bodies, kinds) - height(x, face, box)


@kernel
def measure_arms(bodies, kinds, box, sphere, normal, arm):
    """Places of some pieces that are lowest against normals, from the centres of their bodies.

    sphere, normal: (T,), (3, T) pieces, which have been placed, unit vectors.
    Writes arm: (3, T) [m].
    """
    for t in range(sphere.size):
        s, b = sphere[t], bodies.owner[sphere[t]]
        centre = minimum_image(box, load(bodies.sphere_position, s), load(bodies.position, b))
        store(arm, t, add(centre, support_of(convex_body(s, b, bodies, kinds), scale(-1.0, load(normal, t)))[1]))
