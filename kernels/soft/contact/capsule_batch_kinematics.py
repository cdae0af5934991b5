"""A block of contacts of capsules: pairs fetched one by one, and what is the same for all of them in vector code."""

from dem.kernels.compiler.jit import inline, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.vector import add, subtract
from dem.kernels.soft.contact.batch_kinematics import (
    ARM,
    BLOCK,
    MASS,
    NORMAL,
    OVERLAP,
    POINT,
    RADIUS,
    REDUCED,
    ROLLING,
    STIFFNESS,
    TURNING,
    TWIST,
    VELOCITY,
    flat,
    get,
    put,
)
from dem.kernels.soft.contact.capsule_blending import are_parallel_of, closest_of
from dem.kernels.soft.contact.capsule_kinematics import (
    CANDIDATE,
    OF_I,
    OF_J,
    RECALLS,
    SLOT,
    WEIGHT,
    add_pair,
    put_motion,
    remembering,
    tell_materials,
    touch_at,
    weigh,
)
from dem.kernels.soft.contact.capsule_shared_damping import share
from dem.kernels.soft.contact.capsules import (
    PER,
    SLOTS,
    axis_of,
    centre_of,
    from_body,
    lone_or,
    mean_radius,
    radius_at,
    row_of,
)

# rows of what is fetched, in the scratch for what comes out: LLVM makes no vector code of a loop that reads and writes
# the same array; and one that is written
APART, AXIS_I, AXIS_J, REACH, RADIUS_I, MEAN, PER_I, PER_J = 0, 3, 6, 9, 10, 11, 12, 13
PARALLEL = 23
PAIRS, VOID = 32, -1  # pairs at a time; in place of the candidate of a column that says nothing


@inline
def compute_kinematics(law, start, first, listed, half, bodies, kinds, neighbours, box, fetched, known, told):
    """Compute the kinematics of contacts of pairs from `first` in a list on, as many as a block has room for.

    Pairs that are not nearly parallel have a column each; the others have theirs behind, and a void one before.

    Parameters
    ----------
    law, half, bodies, kinds, neighbours, box : see `dem.kernels.soft.state`
    start, first, listed : first candidate of the chunk; pairs in the list of those that touch

    Writes
    ------
    known, told : a column a contact; the latter (`batch_kinematics.TOLD`, BLOCK)
    fetched : scratch of 14 rows or more

    Returns
    -------
    number of columns, and the first pair that is still to come
    """
    pairs = min(PAIRS, listed.size - first)
    for t in range(pairs):
        fetch(t, start + listed[first + t], bodies, kinds, neighbours, fetched, known)
    measure(box, pairs, fetched, known)
    number, done = pairs, pairs
    for t in range(pairs):
        counted = listed[first + t]
        if known[flat(PARALLEL, t)] == 0.0:
            finish(law, t, start, counted, bodies, kinds, neighbours, box, known, told)
            continue
        make_void(t, known, told)
        if number + SLOTS <= BLOCK and done == pairs:
            number = add_pair(law, start, counted, number, bodies, kinds, neighbours, box, known, told)
        elif done == pairs:
            done = t
    for t in range(done, pairs):
        make_void(t, known, told)
    share(kinds, law, done, start, first, listed, half, bodies, neighbours, box, known)
    return number, first + done


@inline
def make_void(t, known, told):
    """Make column t one that no pair has: surfaces at rest that touch without an overlap, with the weight 0.

    Laws evaluate it with all others, and what they make of it is multiplied by its weight: it has to be a number.
    """
    none = (0.0, 0.0, 0.0)
    known[flat(WEIGHT, t)] = known[flat(OVERLAP, t)] = known[flat(TWIST, t)] = 0.0
    put(known, VELOCITY, t, none)
    put(known, TURNING, t, none)
    known[flat(MASS, t)] = known[flat(RADIUS, t)] = known[flat(REDUCED, t)] = known[flat(ROLLING, t)] = 1.0
    told[CANDIDATE, t], told[RECALLS, t], told[SLOT, t], told[OF_I, t], told[OF_J, t] = VOID, 0, 0, 0, 0


@inline
def measures_of(k, i, b, c, bodies, kinds, neighbours):
    """R_i + R_j of candidate k, of sphere i of body b and one of c; stiffness, R_i, mean: looked up if they differ."""
    if kinds.contact_distance > 0.0:
        radius = kinds.radius[0]
        return kinds.contact_distance, kinds.stiffness, radius, radius
    radius = radius_at(kinds, i, b, bodies)
    return neighbours.contact_distance[k], neighbours.stiffness[k], radius, mean_radius(b, c, bodies, kinds)


@inline
def fetch(t, k, bodies, kinds, neighbours, fetched, known):
    """Write where the bodies of candidate k are and point, and what they measure, to column t: see `measure`."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    at_i, at_j = row_of(kinds, i, bodies), row_of(kinds, j, bodies)
    put(fetched, APART, t, subtract(centre_of(kinds.pose, at_i), centre_of(kinds.pose, at_j)))
    put(fetched, AXIS_I, t, axis_of(kinds.pose, at_i))
    put(fetched, AXIS_J, t, axis_of(kinds.pose, at_j))
    fetched[flat(PER_I, t)], fetched[flat(PER_J, t)] = kinds.pose[at_i, PER], kinds.pose[at_j, PER]
    reach, known[flat(STIFFNESS, t)], radius, mean = measures_of(k, i, b, c, bodies, kinds, neighbours)
    fetched[flat(REACH, t)], fetched[flat(RADIUS_I, t)], fetched[flat(MEAN, t)] = reach, radius, mean


@vector_loop
def measure(box, number, fetched, known):
    """Compute the closest points of pairs, and whether they are nearly parallel, in vector code.

    Parameters
    ----------
    box : see `dem.kernels.soft.state`
    number, fetched : of columns; what `fetch` has written, in one dimension

    Writes
    ------
    known : NORMAL, OVERLAP, POINT, ARM, PARALLEL of these columns
    """
    for t in range(number):
        x, u, v = (
            minimum_image(box, get(fetched, APART, t), (0.0, 0.0, 0.0)),
            get(fetched, AXIS_I, t),
            get(fetched, AXIS_J, t),
        )
        per_a, per_e, mean = fetched[flat(PER_I, t)], fetched[flat(PER_J, t)], fetched[flat(MEAN, t)]
        known[flat(PARALLEL, t)] = 1.0 if are_parallel_of(u, v, mean, per_a, per_e) else 0.0
        s, e = closest_of(x, u, v, per_a, per_e)
        normal, overlap, arm = touch_at(x, u, v, s, e, fetched[flat(REACH, t)], fetched[flat(RADIUS_I, t)])
        put(known, NORMAL, t, normal)
        put(known, POINT, t, arm)
        put(known, ARM, t, add(arm, x))
        known[flat(OVERLAP, t)] = overlap


@inline
def stay(kinds, t, i, j, known):
    """Pieces are whole bodies."""
    return


@inline
def move(kinds, t, i, j, known):
    """Have the place of a contact begin at the centres of bodies, not of the pieces that spheres i and j stand for."""
    put(known, POINT, t, from_body(kinds, i, get(known, POINT, t)))
    put(known, ARM, t, from_body(kinds, j, get(known, ARM, t)))


shift = lone_or(stay, move)


@inline
def finish(law, t, start, counted, bodies, kinds, neighbours, box, known, told):
    """Complete the column of a pair that has but one contact.

    Parameters
    ----------
    t, start, counted : column; first candidate of the chunk, which one counted from that
    law, bodies, kinds, neighbours, box : see `dem.kernels.soft.state`

    Writes
    ------
    known, told : column t
    """
    k = start + counted
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    b, c = bodies.owner[i], bodies.owner[j]
    shift(kinds, t, i, j, known)
    known[flat(WEIGHT, t)], told[CANDIDATE, t], told[SLOT, t] = 1.0, counted, 0
    told[RECALLS, t] = remembering(law, k, neighbours) & 1
    tell_materials(law, t, b, c, bodies, kinds, told)
    put_motion(law, t, i, j, bodies, kinds, box, known)
    weigh(law, t, t + 1, b, c, subtract(get(known, ARM, t), get(known, POINT, t)), bodies, kinds, known)
