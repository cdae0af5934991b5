"""Touching pairs in blocks: gather what a contact law wants to know, evaluate it in a loop without branches, scatter.

One by one, with bodies, velocities and memories all over the place, a frictional contact of spheres takes three times
as long: LLVM makes vector code of the loop in the middle, which has nothing but rows of numbers before it. A block is
few enough pairs for these to stay in the fastest cache.
"""

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.laws.damping import clusters_or
from dem.kernels.numerics.vector import cross, scale
from dem.kernels.simd.memory import prefetch
from dem.kernels.simd.transpose import lines_of, read_lines, write_lines
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.batch_evaluation import FORCE, LASTS, evaluate_batch, put_torques
from dem.kernels.soft.contact.batch_kinematics import ARM, BLOCK, MIXED_TYPES, OF_PAIRS, compute_kinematics, flat, get
from dem.kernels.soft.contact.contact_detection import (
    FORCE_J,
    HALF,
    LINE,
    ON_I,
    ON_J,
    SHARED,
    first_row,
    joined,
    no_sums,
)


@vector_loop
def fetch_history(law, first, number, touching, history):
    """Ask for what contacts remember, while it is found out where they are: in a gas this is a long wait."""
    for t in range(number):
        prefetch(history, touching[first + t] * history.shape[1])


@vector_loop
def load_history(law, first, number, touching, history, has_history, kept):
    """Gather what contacts remember; those that begin, zeros."""
    whole = read_lines(touching, history, has_history, first, number, kept)
    for t in range(whole, number):
        k = touching[first + t]
        for r in range(laws.columns(law)):
            kept[r, t] = history[k, r] if has_history[k] != 0 else 0.0


@vector_loop
def store_history(law, first, number, touching, kept, out, history, has_history):
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


@vector_loop
def add_couples(scheme, number, known, out):
    """Torques on single spheres that are not alike, in place of that of the force on the first and of couples.

    Parameters
    ----------
    scheme, number, known : see `act`

    Writes
    ------
    out : rows ON_I and ON_J
    """
    for t in range(number):
        torque_j = cross(get(known, ARM, t), scale(-1.0, get(out, FORCE, t)))
        put_torques(out, t, get(out, ON_I, t), torque_j, get(out, ON_J, t))


@inline
def do_nothing(scheme, number, known, out):
    """Torques on other bodies, or under other schemes, are written already."""
    return


share_couples = rotation.spheres_or(add_couples, do_nothing)


lay_out = lines_of(*range(FORCE, FORCE + 3), LASTS, *range(ON_I, ON_I + 3), LASTS)


@inline
def scatter_to_first(t, out, force_torque):
    """Write the force and torque of contact t on body i to row t; each fourth number is unused."""
    force_torque[t, 0], force_torque[t, 1], force_torque[t, 2] = get(out, FORCE, t)
    force_torque[t, ON_I], force_torque[t, ON_I + 1], force_torque[t, ON_I + 2] = get(out, ON_I, t)


@inline
def scatter_to_second(t, out, force_torque):
    """Write the force and torque of contact t on body j to row t."""
    force = scale(-1.0, get(out, FORCE, t))
    force_torque[t, FORCE_J], force_torque[t, FORCE_J + 1], force_torque[t, FORCE_J + 2] = force
    force_torque[t, ON_J], force_torque[t, ON_J + 1], force_torque[t, ON_J + 2] = get(out, ON_J, t)


@vector_loop
def scatter_cluster_forces(number, out, other, force_torque):
    """Write rows, which have a line for either body."""
    for t in range(number):
        scatter_to_first(t, out, force_torque)
        scatter_to_second(t, out, force_torque)


@vector_loop
def scatter_any_forces(number, out, other, force_torque):
    """Write rows: force and torque on i, that on j from row `other` if it has one."""
    width, whole = force_torque.shape[1], 0
    if width == SHARED:  # two of three lines would be written across: number by number is as fast
        for t in range(number):
            force_torque[t, 0], force_torque[t, 1], force_torque[t, 2] = get(out, other, t)
            force_torque[t, HALF], force_torque[t, HALF + 1], force_torque[t, HALF + 2] = get(out, FORCE, t)
            force_torque[t, 2 * HALF], force_torque[t, 2 * HALF + 1], force_torque[t, 2 * HALF + 2] = get(out, ON_I, t)
    else:
        if width == LINE:
            whole = lay_out(out, BLOCK, number, force_torque)
        for t in range(whole, number):
            scatter_to_first(t, out, force_torque)
            if width > LINE:
                scatter_to_second(t, out, force_torque)


scatter_forces = clusters_or(scatter_cluster_forces, scatter_any_forces)  # function of (damping, *arguments)


@func
def evaluate_listed(scheme, law, c, touching, time_sign, half, per_joule, bodies, kinds, neighbours, box):
    """Force on sphere i of each touching pair of chunk c, and torques on both; history and energies.

    Parameters
    ----------
    scheme, law, c, time_sign, half, per_joule, bodies, kinds, box : see `dem.kernels.soft.state`
    touching : (T,) the touching candidates, counted from the chunk's first

    Writes
    ------
    neighbours.force_torque, neighbours.history, neighbours.has_history : of those candidates
    neighbours.batch_kinematics, neighbours.batch_history, neighbours.batch_forces, neighbours.batch_ids : scratch

    Returns
    -------
    `Sums`
    """
    start, row, block = first_candidate(c, neighbours), first_row(c, neighbours), neighbours.evaluating_block[c]
    gathered, kept, out = (
        neighbours.batch_kinematics[block],
        neighbours.batch_history[block],
        neighbours.batch_forces[block],
    )
    known = gathered[OF_PAIRS:]
    material_i, material_j = neighbours.batch_ids[block, 0], neighbours.batch_ids[block, 1]
    remembers = neighbours.has_history.size > 0
    sums = no_sums()
    for first in range(0, touching.size, BLOCK):
        number = min(BLOCK, touching.size - first)
        if remembers:
            fetch_history(law, first, number, touching, neighbours.history[start:])
        way = compute_kinematics(
            scheme, law, start, first, first + number, touching, half, bodies, kinds, neighbours, box, gathered, known,
            material_i, material_j,
        )  # fmt: skip
        if remembers:
            load_history(law, first, number, touching, neighbours.history[start:], neighbours.has_history[start:], kept)
        more = evaluate_batch(
            scheme, law, number, way, time_sign, half, per_joule, known, material_i, material_j, kept, out
        )
        if remembers:
            store_history(
                law, first, number, touching, kept, out, neighbours.history[start:], neighbours.has_history[start:]
            )
        if laws.turns(law) and way == MIXED_TYPES:
            share_couples(scheme, number, known, out)
        other = ON_J if laws.turns(law) or way == MIXED_TYPES else ON_I
        scatter_forces(law.damping, number, out, other, neighbours.force_torque[row + first :])
        sums = joined(sums, more)
    return sums
