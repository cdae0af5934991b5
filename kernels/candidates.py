"""Candidate pairs: the spheres that may touch within the next ten steps or so, out of the pairs of bodies.

Two lists, because they wear out at different rates. Neighbours carry a wide skin and last a hundred steps;
from them candidates are picked with a narrow skin every ten steps or so. What every step then has to look at
is barely more than what touches (the GROMACS dual pair list: Páll et al., J. Chem. Phys. 153, 134110 (2020)).
"""

from kernels.chunks import chunk_of
from kernels.hertz import stiffness
from kernels.jit import formula, kernel, loop
from kernels.neighbours import GROUP, SLACK, capsules_meet, entry_pair
from kernels.vector import dot, load, store, subtract

COUNT_BITS = 24  # candidate pairs of one pair of bodies: below 2^24


@formula
def pack(first, number):
    """First candidate pair and number of pairs in one integer."""
    return (first << COUNT_BITS) | number


@formula
def unpack(packed):
    """First candidate pair, number of pairs."""
    return packed >> COUNT_BITS, packed & ((1 << COUNT_BITS) - 1)


@kernel
def pick(c, skin, bodies, kinds, neighbours):
    """Fill the candidate pairs of chunk c and note their number; more than there is room for are only counted."""
    room = neighbours.sphere_i.size // neighbours.pairs.size
    k = c * room
    stop = k + room
    all_round = bodies.torque.shape[1] == 0
    low, high = chunk_of(c, bodies.kind.size)
    for b in range(low, high):
        for p in range(neighbours.first[b], neighbours.first[b] + neighbours.count[b]):
            partner = neighbours.partner[p]
            lower = min(bodies.identity[b], bodies.identity[partner]) == bodies.identity[b]
            i, j = (b, partner) if lower else (partner, b)
            if all_round:
                found = pick_spheres(k, stop, i, j, 0, 0, skin, bodies, kinds, neighbours)
            else:
                found = pick_bodies(k, stop, i, j, skin, bodies, kinds, neighbours)
            neighbours.packed[p] = pack(k, found)
            k += found
    neighbours.pairs[c] = k - c * room
    stiffen(neighbours.stiffness[c * room : k], neighbours.pair_force[0, c * room : k], neighbours.reach[c * room : k])


@loop
def stiffen(modulus, product, reach):
    """Turn E* into K, with R* = R_i R_j / (R_i + R_j): apart from the picking, because this vectorises."""
    for k in range(modulus.size):
        modulus[k] = stiffness(modulus[k], product[k] / reach[k])


@kernel
def pick_bodies(k, stop, b, partner, skin, bodies, kinds, neighbours):
    """Candidates of one pair of bodies, from k on; returns their number."""
    if not capsules_meet(b, partner, skin, bodies, kinds):
        return 0
    start = k
    for i in range(bodies.first_sphere[b + 1] - bodies.first_sphere[b]):
        for j in range(bodies.first_sphere[partner + 1] - bodies.first_sphere[partner]):
            k += pick_spheres(k, stop, b, partner, i, j, skin, bodies, kinds, neighbours)
    return k - start


@formula
def pick_spheres(k, stop, b, partner, i, j, skin, bodies, kinds, neighbours):
    """Write sphere i of body b and sphere j of its partner as candidate k; returns 1 if they are near enough to count.

    No branch on the distance: whether a pair is near is a toss-up, which would cost more than the writing.
    """
    g, h = bodies.kind[b], bodies.kind[partner]
    sphere_i, sphere_j = bodies.first_sphere[b] + i, bodies.first_sphere[partner] + j
    radius_i, radius_j = kinds.radius[kinds.first_offset[g] + i], kinds.radius[kinds.first_offset[h] + j]
    reach = radius_i + radius_j
    if k < stop:
        neighbours.sphere_i[k] = sphere_i
        neighbours.sphere_j[k] = sphere_j
        neighbours.reach[k] = reach
        neighbours.stiffness[k] = kinds.modulus[kinds.material[g], kinds.material[h]]
        neighbours.pair_force[0, k] = radius_i * radius_j
    gap = subtract(load(bodies.sphere_position, sphere_i), load(bodies.sphere_position, sphere_j))
    cut_off = (reach + skin) * SLACK
    return 1 if dot(gap, gap) < cut_off * cut_off else 0


@formula
def has_room(neighbours):
    """Whether every chunk's candidates fit its segment."""
    room = neighbours.sphere_i.size // neighbours.pairs.size
    fits = True
    for c in range(neighbours.pairs.size):
        fits = fits and neighbours.pairs[c] <= room
    return fits


@kernel
def list_incident(c, skin, bodies, kinds, neighbours, box):
    """For the bodies of chunk c: the entries that have candidates, nearness to walls, and which bodies are active.

    Bodies that are not active feel no contact until the next pick, so their force is zero from here on.
    """
    rotating = bodies.torque.shape[1] > 0
    low, high = chunk_of(c, bodies.kind.size)
    active = low
    for b in range(low, high):
        found = list_entries_with_candidates(b, neighbours)
        neighbours.near_wall[b] = near_wall(b, skin, bodies, kinds, box)
        neighbours.active[active] = b
        if found > 0 or neighbours.near_wall[b] != 0:
            active += 1
        else:
            store(bodies.force, b, (0.0, 0.0, 0.0))
            if rotating:
                store(bodies.torque, b, (0.0, 0.0, 0.0))
    neighbours.active_count[c] = active - low


@formula
def list_entries_with_candidates(b, neighbours):
    """Fill the incident lists of body b; returns the number of entries that have candidates.

    Entries come in ascending identity of the partner, so those where b is on side j (the higher identity) come first.
    Both parts are filled up to whole groups with the pair that is always zero (see contact.gather_round).
    """
    nothing = pack(neighbours.pair_force.shape[1] - 1, 0)
    first = neighbours.first_entry[b]
    e, stop = first, first + neighbours.entry_count[b]
    n, found = first, 0
    for side in (1, 0):
        start = n
        while e < stop and neighbours.entry[e] & 1 == side:
            packed = neighbours.packed[entry_pair(neighbours.entry[e])]
            neighbours.incident[n] = packed
            n += 1 if unpack(packed)[1] > 0 else 0
            e += 1
        found += n - start
        while (n - start) % GROUP:
            neighbours.incident[n] = nothing
            n += 1
        if side == 1:
            neighbours.incident_j[b] = n - start
        else:
            neighbours.incident_i[b] = n - start
    return found


@formula
def near_wall(b, skin, bodies, kinds, box):
    """Whether a sphere of body b comes closer to a wall than the skin."""
    g = bodies.kind[b]
    if is_clear(load(bodies.position, b), (kinds.bound[g] + skin) * SLACK, box):
        return 0
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        radius = kinds.radius[kinds.first_offset[g] + s - bodies.first_sphere[b]]
        if not is_clear(load(bodies.sphere_position, s), (radius + skin) * SLACK, box):
            return 1
    return 0


@formula
def is_clear(x, margin, box):
    """Whether a point is farther than the margin from all walls."""
    clear = True
    for axis in range(3):
        clear = clear and x[axis] - margin >= box.lower[axis] and x[axis] + margin <= box.upper[axis]
    return clear
