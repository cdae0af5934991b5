"""Candidate pairs of capsules: one for each pair of bodies whose segments come close enough."""

from kernels.base.jit import loop, part
from kernels.soft import candidates
from kernels.soft.candidates import pack, pairs_of, write_pair
from kernels.soft.capsules import capsules_or
from kernels.soft.chunks import candidate_room
from kernels.soft.neighbours import flag_near


@part
def pick_spheres(kinds, c, skin, bodies, neighbours, box):
    """Bodies made of spheres have candidates that are pairs of spheres.

    Parameters
    ----------
    kinds, c, skin, bodies, box : see `kernels.soft.state`

    Writes
    ------
    neighbours : as `kernels.soft.candidates.pick`
    """
    candidates.pick(c, skin, bodies, kinds, neighbours, box)


@part
def pick_capsules(kinds, c, skin, bodies, neighbours, box):
    """Fill the candidate pairs of chunk c and note their number; more than there is room for are only counted.

    Parameters
    ----------
    kinds, c, skin, bodies, box : see `kernels.soft.state`

    Writes
    ------
    neighbours : candidates, each with the first spheres of its two bodies, and where those of a pair are
    """
    start = c * candidate_room(neighbours)
    first, last = pairs_of(c, bodies, neighbours)
    lower, higher, near = neighbours.lower[first:last], neighbours.higher[first:last], neighbours.packed[first:last]
    flag_near(
        box, skin, lower, higher, bodies.position, bodies.orientation, bodies.kind, kinds.tip, kinds.bound,
        kinds.on_line, near,
    )  # fmt: skip
    neighbours.pairs[c] = write_near(
        lower, higher, bodies.kind, bodies.first_sphere, kinds, start, start + candidate_room(neighbours),
        neighbours.force_at[c], near, neighbours.sphere_i, neighbours.sphere_j, neighbours.reach, neighbours.stiffness,
    )  # fmt: skip


@loop
def write_near(
    lower, higher, kind, first_sphere, kinds, start, stop, column, near, sphere_i, sphere_j, reach, stiffness
):
    """Write those pairs that are near.

    Parameters
    ----------
    lower, higher, kind, first_sphere, kinds : pairs of bodies of a chunk, and of `Bodies` and `Capsules`
    start, stop, column : the chunk's segment of the candidates, and where its wrenches begin

    Writes
    ------
    near : (P,) 1 or 0; after that the first candidate of each pair, and 1 or 0
    sphere_i, sphere_j, reach, stiffness : (C K,) from start on; the last two only if spheres differ

    Returns
    -------
    number of candidates, also of those for which there is no room
    """
    k = start
    for p in range(lower.size):
        i, j, flag = lower[p], higher[p], near[p]
        if k < stop:
            sphere_i[k], sphere_j[k] = first_sphere[i], first_sphere[j]
        if kinds.reach == 0.0:
            of_i, of_j = kinds.first_offset[kind[i]], kinds.first_offset[kind[j]]
            write_pair(k, stop, kind[i], kind[j], of_i, of_j, kinds, reach, stiffness)
        near[p] = pack(column + k - start, flag)
        k += flag
    return k - start


pick = capsules_or(pick_spheres, pick_capsules)
