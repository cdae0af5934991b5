"""Touching pairs in blocks: gather what a contact law wants to know, evaluate it in a loop without branches, scatter.

One by one, with bodies, velocities and memories all over the place, a frictional contact of spheres takes three times
as long: LLVM makes vector code of the loop in the middle, which has nothing but rows of numbers before it. A block is
few enough pairs for these to stay in the fastest cache.
"""

from kernels import laws, rotation
from kernels.base.jit import formula, loop, part
from kernels.base.memory import fetch
from kernels.base.transposing import lines_of, read_lines, write_lines
from kernels.base.vector import cross, load, scale
from kernels.box.periodic import gap
from kernels.soft.chunks import first_candidate
from kernels.soft.columns import FORCE, LASTS, act, put_torques
from kernels.soft.known import BLOCK, OF_PAIRS, RADIUS_I, flat, get, know, know_alike
from kernels.soft.touching import FORCE_J, HALF, LINE, ON_I, ON_J, SHARED, first_row, joined, no_sums


@loop
def fetch_history(law, first, number, touching, history):
    """Ask for what contacts remember, while it is found out where they are: in a gas this is a long wait."""
    for t in range(number):
        fetch(history, touching[first + t] * history.shape[1])


@loop
def recall(law, first, number, touching, history, has_history, kept):
    """Gather what contacts remember; those that begin, zeros."""
    whole = read_lines(touching, history, has_history, first, number, kept)
    for t in range(whole, number):
        k = touching[first + t]
        for r in range(laws.columns(law)):
            kept[r, t] = history[k, r] if has_history[k] != 0 else 0.0


@loop
def keep(law, first, number, touching, kept, out, history, has_history):
    """Scatter what contacts remember.

    Parameters
    ----------
    law, kept, out : see `act`
    first, number, touching : pairs of the block in the list of candidates that touch

    Writes
    ------
    history, has_history : of those candidates
    """
    whole = write_lines(touching, history, first, number, kept)
    for t in range(number):
        has_history[touching[first + t]] = 1 if out[flat(LASTS, t)] > 0.0 else 0
    for t in range(whole, number):
        for r in range(laws.columns(law)):
            history[touching[first + t], r] = kept[r, t]


@loop
def turn_points(scheme, law, box, first, number, touching, sphere_i, sphere_j, position, out):
    """Torques on single spheres that are not alike, in place of the points where forces act and of couples.

    Parameters
    ----------
    scheme, law : see `kernels.soft.state`
    box, first, touching, sphere_i, sphere_j, position : as of `kernels.soft.known.gather_spheres`
    number : of pairs

    Writes
    ------
    out : rows ON_I and ON_J
    """
    for t in range(number):
        k = touching[first + t]
        force, point = get(out, FORCE, t), get(out, ON_I, t)
        couple = get(out, ON_J, t) if laws.turns(law) else (0.0, 0.0, 0.0)
        x_i, x_j = load(position, sphere_i[k]), load(position, sphere_j[k])
        torque_i, torque_j = cross(gap(box, point, x_i), force), cross(gap(box, point, x_j), scale(-1.0, force))
        put_torques(out, t, torque_i, torque_j, couple)


@formula
def leave(scheme, law, box, first, number, touching, sphere_i, sphere_j, position, out):
    """Torques on other bodies, or under other schemes, are written already.

    Parameters
    ----------
    scheme, law, box, first, number, touching, sphere_i, sphere_j, position, out : see `turn_points`

    Returns
    -------
    nothing
    """
    return


turn_both = rotation.spheres_or(turn_points, leave)


lay_out = lines_of(*range(FORCE, FORCE + 3), LASTS, *range(ON_I, ON_I + 3), LASTS)


@loop
def hand_out(number, out, wrench):
    """Write rows: force and torque on i, and on j if its torque is another; each fourth number is nobody's."""
    width, whole = wrench.shape[1], 0
    if width == SHARED:  # two of three lines would be written across: number by number is as fast
        for t in range(number):
            wrench[t, 0], wrench[t, 1], wrench[t, 2] = get(out, ON_J, t)
            wrench[t, HALF], wrench[t, HALF + 1], wrench[t, HALF + 2] = get(out, FORCE, t)
            wrench[t, 2 * HALF], wrench[t, 2 * HALF + 1], wrench[t, 2 * HALF + 2] = get(out, ON_I, t)
    else:
        if width == LINE:
            whole = lay_out(out, BLOCK, number, wrench)
        for t in range(whole, number):
            wrench[t, 0], wrench[t, 1], wrench[t, 2] = get(out, FORCE, t)
            wrench[t, ON_I], wrench[t, ON_I + 1], wrench[t, ON_I + 2] = get(out, ON_I, t)
            if width > LINE:
                wrench[t, FORCE_J], wrench[t, FORCE_J + 1], wrench[t, FORCE_J + 2] = scale(-1.0, get(out, FORCE, t))
                wrench[t, ON_J], wrench[t, ON_J + 1], wrench[t, ON_J + 2] = get(out, ON_J, t)


@part
def evaluate_listed(scheme, law, c, touching, time_sign, half, per_joule, bodies, kinds, neighbours, box):
    """Force on sphere i of each touching pair of chunk c, and torques on both; history and energies.

    Parameters
    ----------
    scheme, law, c, time_sign, half, per_joule, bodies, kinds, box : see `kernels.soft.state`
    touching : (T,) the touching candidates, counted from the chunk's first

    Writes
    ------
    neighbours.wrench, neighbours.history, neighbours.has_history : of those candidates
    neighbours.known, neighbours.kept, neighbours.out, neighbours.met : scratch

    Returns
    -------
    `Sums`
    """
    start, row, block = first_candidate(c, neighbours), first_row(c, neighbours), neighbours.evaluator[c]
    gathered, kept, out = neighbours.known[block], neighbours.kept[block], neighbours.out[block]
    known = gathered[OF_PAIRS:]
    material_i, material_j = neighbours.met[block, 0], neighbours.met[block, 1]
    remembers = neighbours.has_history.size > 0
    alike = kinds.round and kinds.reach > 0.0
    if alike and gathered[flat(RADIUS_I, 0)] == 0.0:
        know_alike(bodies, kinds, gathered, known, material_i, material_j)
    sums = no_sums()
    for first in range(0, touching.size, BLOCK):
        number = min(BLOCK, touching.size - first)
        if remembers:
            fetch_history(law, first, number, touching, neighbours.history[start:])
        may_begin = know(
            scheme, law, start, first, first + number, touching, half, bodies, kinds, neighbours, box, gathered, known,
            material_i, material_j,
        )  # fmt: skip
        if remembers:
            recall(law, first, number, touching, neighbours.history[start:], neighbours.has_history[start:], kept)
        more = act(
            scheme, law, number, alike, may_begin, time_sign, half, per_joule, known, material_i, material_j, kept, out
        )
        if remembers:
            keep(law, first, number, touching, kept, out, neighbours.history[start:], neighbours.has_history[start:])
        if not alike:
            turn_both(
                scheme, law, box, first, number, touching, neighbours.sphere_i[start:], neighbours.sphere_j[start:],
                bodies.position, out,
            )  # fmt: skip
        hand_out(number, out, neighbours.wrench[row + first :])
        sums = joined(sums, more)
    return sums
