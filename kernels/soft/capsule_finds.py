"""Pairs of capsules that touch, found among their candidates."""

import math

from kernels import laws
from kernels.base.jit import formula, loop
from kernels.base.vector import dot
from kernels.box.periodic import gap
from kernels.soft import touching
from kernels.soft.blend import between, closest
from kernels.soft.capsules import axis_of, centre_of
from kernels.soft.chunks import first_candidate
from kernels.soft.values import of_pair


@loop
def find(box, pose, owner, sphere_i, sphere_j, reach, least, overlap):
    """Overlap of each candidate pair at its closest points, or the least wanted.

    Parameters
    ----------
    box : see `kernels.soft.state`
    pose, owner : of `Capsules`; (M,) body of each sphere
    sphere_i, sphere_j, reach : (K,) a sphere of each body, R_i + R_j [m] or one for all
    least : least overlap wanted [m]

    Writes
    ------
    overlap : (K,) [m]
    """
    for k in range(sphere_i.size):
        b, c = owner[sphere_i[k]], owner[sphere_j[k]]
        x, u, v = gap(box, centre_of(pose, b), centre_of(pose, c)), axis_of(pose, b), axis_of(pose, c)
        s, t = closest(x, u, v)
        d = between(x, u, v, s, t)
        deep = of_pair(reach, k) - math.sqrt(dot(d, d))
        overlap[k] = deep if deep > least else least


@formula
def find_touching(law, c, bodies, kinds, neighbours, box):
    """List the candidates of chunk c that touch, or have not let go since; returns their number.

    Parameters
    ----------
    law, c, bodies, kinds, box : see `kernels.soft.state`

    Writes
    ------
    neighbours.overlap, neighbours.touching, neighbours.touched, neighbours.has_history : of the chunk
    neighbours.wrench : zero for those that touched before
    """
    start, number = first_candidate(c, neighbours), neighbours.pairs[c]
    stop = start + number
    sphere_i, sphere_j = neighbours.sphere_i[start:stop], neighbours.sphere_j[start:stop]
    overlap, listed = neighbours.overlap[start:stop], neighbours.touching[start:]
    least = -math.inf if laws.lasting(law) else 0.0 - laws.begins(law)
    if kinds.reach > 0.0:
        find(box, kinds.pose, bodies.owner, sphere_i, sphere_j, kinds.reach, least, overlap)
    else:
        reach = neighbours.reach[start:stop]
        find(box, kinds.pose, bodies.owner, sphere_i, sphere_j, reach, least, overlap)
    if neighbours.has_history.size > 0 and not laws.lasting(law):
        touching.forget(overlap, neighbours.has_history[start:stop])
    touching.clear(start, listed[: neighbours.touched[c]], neighbours.wrench)
    if laws.lasting(law):
        neighbours.touched[c] = touching.list_lasting(overlap, neighbours.has_history[start:stop], listed)
    else:
        neighbours.touched[c] = touching.list_touching(overlap, laws.begins(law), listed)
    return neighbours.touched[c]
