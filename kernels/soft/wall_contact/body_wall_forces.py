"""Forces and torques on bodies at faces and walls, chunk by chunk: which of the ways to evaluate contacts is taken."""

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import inline, select
from dem.kernels.domain.faces import BoxFaces, RoughFaces
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.contact_detection import joined, no_sums
from dem.kernels.soft.contact.result_sinks import WallForceSink
from dem.kernels.soft.wall_contact.box_contacts import add_walls, has_faces, touch_faces
from dem.kernels.soft.wall_contact.capsule_sides import add_sides
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces, WalledRoughFaces, WalledRoughPeriodicFaces
from dem.kernels.soft.wall_contact.wall_batches import touch_obstacles
from dem.kernels.soft.wall_contact.wall_contacts import add_body
from dem.kernels.soft.wall_contact.wall_prefetch import fetch_ahead


@inline
def add_faces(box, law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """Add what the faces of a box do to body b, where there are no other walls.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `dem.kernels.soft.wall_contact.box_contacts.add_walls`

    Returns
    -------
    `Sums`
    """
    return add_walls(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)


@inline
def add_all(box, law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """Add the forces of the faces of a box and of all other walls on body b.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `dem.kernels.soft.wall_contact.box_contacts.add_walls`
    box.walls : as `dem.kernels.soft.wall_contact.wall_contacts.add_body`

    Returns
    -------
    `Sums`
    """
    sums = no_sums()
    if has_faces(box):
        sums = add_walls(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)
    sink = WallForceSink(shift, time_sign, half, per_joule)
    sums = joined(sums, add_body(sink, law, b, bodies, kinds, box))
    return joined(sums, add_sides(kinds, sink, law, b, bodies, box))


touch_walls = select("box", {BoxFaces: add_faces, WalledFaces: add_all})


@inline
def gather_one_by_one(law, scheme, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule):
    """Add the forces of walls and their torques for the bodies of chunk c; that of body b goes to column b - shift.

    Parameters
    ----------
    law, scheme, c, shift, time_sign, half, kinds, box, per_joule : see `dem.kernels.soft.state`

    Writes
    ------
    bodies.force, bodies.torque : (3, N) world frame [N, N m]
    neighbours.wall_history, neighbours.wall_has_history, bodies.wall_contacts : what contacts with walls remember

    Returns
    -------
    `Sums` at the walls
    """
    low, _ = chunk_of(c, bodies.kind.size)
    sums, stop = no_sums(), low + neighbours.near_wall_count[c]
    for k in range(low, stop):
        fetch_ahead(box, c, k, stop, bodies, kinds, neighbours)
        b = neighbours.near_wall[k]
        more = touch_walls(box, law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours)
        sums = joined(sums, more)
    return sums


@inline
def at_rough_faces(box, law, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """Add the forces of the rough faces of a box on the single spheres of chunk c.

    Parameters
    ----------
    box, law, c, shift, time_sign, half, per_joule, kinds : see `gather_one_by_one`

    Writes
    ------
    bodies, neighbours : as `gather_one_by_one`

    Returns
    -------
    `Sums` at the walls
    """
    return gather_one_by_one(
        law, rotation.SphericalPCDM(), c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule
    )


among_walls = select(
    "box",
    {
        BoxFaces: touch_faces,
        RoughFaces: at_rough_faces,
        WalledFaces: touch_obstacles,
        WalledRoughFaces: touch_obstacles,
        WalledRoughPeriodicFaces: touch_obstacles,
    },
)


@inline
def gather_spheres(law, scheme, c, shift, time_sign, half, bodies, kinds, neighbours, box, per_joule):
    """Add the forces of walls on the single spheres of chunk c, in batches unless faces are rough.

    Parameters
    ----------
    law, scheme, c, shift, time_sign, half, kinds, per_joule : see `gather_one_by_one`

    Writes
    ------
    bodies, neighbours, box.walls : as `gather_one_by_one`, `dem.kernels.soft.wall_contact.wall_batches.touch_obstacles`

    Returns
    -------
    `Sums` at the walls
    """
    return among_walls(box, law, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours)


# under laws with losses nothing is compiled for spheres where there are only other bodies, or the reverse
by_scheme = select("scheme", {rotation.SphericalPCDM: gather_spheres, object: gather_one_by_one})
gather_walls = select("law", {laws.Elastic: gather_one_by_one, laws.Composite: by_scheme})
