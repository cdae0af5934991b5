"""Candidate pairs: the spheres that may touch within the next ten steps or so, out of the neighbour entries.

Two lists, because they wear out at different rates. Neighbours carry a wide skin and last a hundred steps;
from them candidates are picked with a narrow skin every ten steps or so. What every step then has to look at
is barely more than what touches (the GROMACS dual pair list: Páll et al., J. Chem. Phys. 153, 134110 (2020)).
"""

from kernels.cells import SLACK, capsules_meet
from kernels.hertz import stiffness
from kernels.jit import formula, kernel
from kernels.vector import dot, load, subtract

COUNT_BITS = 24  # candidate pairs of one entry: below 2^24


@formula
def pack(first, number):
    """First candidate pair and number of pairs in one integer; the lowest bit is left for the side."""
    return (first << (COUNT_BITS + 1)) | (number << 1)


@formula
def unpack(packed):
    """First candidate pair, number of pairs, and side: 1 on sphere i (the owner), -1 on sphere j."""
    number = (packed >> 1) & ((1 << COUNT_BITS) - 1)
    return packed >> (COUNT_BITS + 1), number, 1.0 - 2.0 * (packed & 1)


@kernel
def pick_candidates(skin, bodies, kinds, neighbours, box):
    """Fill the candidate pairs and each body's list of them; returns the number of pairs needed.

    If that is more than the arrays hold, nothing can be trusted: the caller makes room and calls again.
    """
    capacity = neighbours.sphere_i.size
    pairs = 0
    for b in range(bodies.kind.size):
        first = neighbours.first[b]
        for e in range(first + neighbours.owned[b], first + neighbours.count[b]):
            c = neighbours.partner[e]
            number = 0
            if kinds.tip[bodies.kind[b]] + kinds.tip[bodies.kind[c]] == 0.0 or capsules_meet(b, c, skin, bodies, kinds):
                number = pick_spheres(b, c, skin, pairs, capacity, bodies, kinds, neighbours)
            neighbours.packed[e] = pack(pairs, number)
            pairs += number
    if pairs <= capacity:
        for b in range(bodies.kind.size):
            list_incident(b, neighbours)
            neighbours.near_wall[b] = near_wall(b, skin, bodies, kinds, box)
    return pairs


@kernel
def pick_spheres(b, c, skin, start, capacity, bodies, kinds, neighbours):
    """Write the sphere pairs of bodies b and c that are closer than the skin, from `start` on; returns their number."""
    g, h = bodies.kind[b], bodies.kind[c]
    modulus = kinds.modulus[kinds.material[g], kinds.material[h]]
    first_i, first_j = bodies.first_sphere[b], bodies.first_sphere[c]
    k = start
    for i in range(first_i, bodies.first_sphere[b + 1]):
        radius_i = kinds.radius[kinds.first_offset[g] + i - first_i]
        x_i = load(bodies.sphere_position, i)
        for j in range(first_j, bodies.first_sphere[c + 1]):
            radius_j = kinds.radius[kinds.first_offset[h] + j - first_j]
            gap = subtract(x_i, load(bodies.sphere_position, j))
            cut_off = (radius_i + radius_j + skin) * SLACK
            if dot(gap, gap) < cut_off * cut_off:
                if k < capacity:
                    neighbours.sphere_i[k] = i
                    neighbours.sphere_j[k] = j
                    neighbours.reach[k] = radius_i + radius_j
                    neighbours.stiffness[k] = stiffness(modulus, radius_i * radius_j / (radius_i + radius_j))
                k += 1
    return k - start


@kernel
def list_incident(b, neighbours):
    """List the entries of body b that have candidate pairs, in the order of its neighbours."""
    first = neighbours.first[b]
    owned = first + neighbours.owned[b]
    n = first
    for e in range(first, first + neighbours.count[b]):
        packed = neighbours.packed[e] if e >= owned else neighbours.packed[neighbours.twin[e]] | 1
        if (packed >> 1) & ((1 << COUNT_BITS) - 1) > 0:
            neighbours.incident[n] = packed
            n += 1
    neighbours.incident_count[b] = n - first


@kernel
def near_wall(b, skin, bodies, kinds, box):
    """Whether the bounding sphere of body b comes closer to a wall than the skin."""
    margin = (kinds.bound[bodies.kind[b]] + skin) * SLACK
    near = 0
    for axis in range(3):
        x = bodies.position[axis, b]
        if x - margin < box.lower[axis] or x + margin > box.upper[axis]:
            near = 1
    return near
