"""Forces and torques on bodies at walls: see ``all_walls``, and ``wall_blocks`` for single spheres in a box."""

from kernels import laws
from kernels.base.jit import by_type, formula, stage
from kernels.laws.damping import SharedDamping
from kernels.soft.all_walls import touch_walls
from kernels.soft.chunks import chunk_of
from kernels.soft.coming import fetch_ahead
from kernels.soft.obstacle_blocks import touch_obstacles
from kernels.soft.touching import joined, no_sums
from kernels.soft.wall_blocks import touch_faces
from kernels.soft.walled import by_walls


@stage
def gather_one_by_one(law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule):
    """Add the forces of walls and their torques for the bodies of chunk c; that of body b goes to column b - shift.

    Parameters
    ----------
    law, c, shift, time_sign, half, kinds, box, per_joule : see `kernels.soft.state`

    Writes
    ------
    bodies.force, bodies.torque : (3, N) world frame [N, N m]
    neighbours.wall_history, neighbours.wall_has_history, bodies.wall_contacts : what contacts with walls remember

    Returns
    -------
    `Sums` at the walls
    """
    low, _ = chunk_of(c, bodies.kind.size)
    sums, stop = no_sums(), low + neighbours.walled_count[c]
    for k in range(low, stop):
        fetch_ahead(box, c, k, stop, bodies, kinds, neighbours)
        b = neighbours.walled[k]
        more = touch_walls(box, law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours)
        sums = joined(sums, more)
    return sums


@formula
def gather_at_faces(law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule):
    """The same, many contacts at a time where each body is one sphere and faces are smooth.

    Parameters
    ----------
    law, c, shift, time_sign, half, kinds, box, per_joule : see `gather_one_by_one`

    Writes
    ------
    bodies, neighbours : as `gather_one_by_one`

    Returns
    -------
    `Sums` at the walls
    """
    if kinds.round and box.roughness == 0.0:
        return touch_faces(law, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)
    return gather_one_by_one(law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule)


@formula
def gather_any(law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule):
    """The same where there are walls beside the faces.

    Parameters
    ----------
    law, c, shift, time_sign, half, kinds, per_joule : see `gather_one_by_one`

    Writes
    ------
    bodies, neighbours, box.walls : as `kernels.soft.obstacle_blocks.touch_obstacles`

    Returns
    -------
    `Sums` at the walls
    """
    if kinds.round:
        return touch_obstacles(law, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)
    return gather_one_by_one(law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule)


# only clusters share damping: where they do, nothing is compiled for single spheres
by_damping = by_type(lambda part: gather_one_by_one if part is SharedDamping else gather_any)


@formula
def gather_at_walls(law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule):
    """As `gather_any`, or one by one where bodies are known to be clusters.

    Parameters
    ----------
    law, c, shift, time_sign, half, kinds, per_joule : see `gather_one_by_one`

    Writes
    ------
    bodies, neighbours, box.walls : see `gather_any`

    Returns
    -------
    `Sums` at the walls
    """
    return by_damping(law.damping, law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule)


by_box = by_walls(gather_at_faces, gather_at_walls)


@formula
def gather_lossy_walls(law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule):
    """As `gather_at_faces`, or `gather_at_walls` where there are walls beside the faces.

    Parameters
    ----------
    law, c, shift, time_sign, half, kinds, box, per_joule : see `gather_one_by_one`

    Writes
    ------
    bodies, neighbours : see `gather_one_by_one`

    Returns
    -------
    `Sums` at the walls
    """
    return by_box(box, law, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule)


gather_walls = laws.elastic_or(gather_one_by_one, gather_lossy_walls)
