"""Forces and torques on bodies at faces and walls, chunk by chunk: which of the ways to evaluate contacts is taken.

Single spheres go in batches under laws with losses, unless faces are rough; all others go body by body.
"""

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import inline, select
from dem.kernels.domain.faces import BoxFaces, RoughFaces
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.contact_detection import joined, no_sums
from dem.kernels.soft.wall_contact.box_contacts import add_walls, has_faces, touch_faces
from dem.kernels.soft.wall_contact.capsule_sides import add_sides
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces, WalledRoughFaces, WalledRoughPeriodicFaces
from dem.kernels.soft.wall_contact.wall_batches import touch_obstacles
from dem.kernels.soft.wall_contact.wall_contacts import add_body
from dem.kernels.soft.wall_contact.wall_prefetch import fetch_ahead


@inline
def add_faces(law, b, sink, bodies, kinds, neighbours, box):
    """Add the forces of the faces of a box on body b, where there are no other walls; see `add_all`."""
    return add_walls(law, b, sink, bodies, kinds, neighbours, box)


@inline
def add_all(law, b, sink, bodies, kinds, neighbours, box):
    """Add the forces of the faces of a box and of all other walls on body b.

    Parameters
    ----------
    law, b, kinds : see `dem.kernels.soft.state`
    sink : see ``result_sinks``

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
        sums = add_walls(law, b, sink, bodies, kinds, neighbours, box)
    sums = joined(sums, add_body(sink, law, b, bodies, kinds, box))
    return joined(sums, add_sides(kinds, sink, law, b, bodies, box))


touch_walls = select("box", {BoxFaces: add_faces, WalledFaces: add_all})


@inline
def gather_one_by_one(law, scheme, c, sink, bodies, kinds, neighbours, box):
    """Add the forces of walls and their torques for the bodies of chunk c, body by body.

    Parameters
    ----------
    law, scheme, c, kinds, box : see `dem.kernels.soft.state`
    sink : see ``result_sinks``

    Writes
    ------
    bodies.force, bodies.torque : (3, N) world frame, that of body b in column b - shift [N, N m]
    neighbours.wall_history, neighbours.wall_has_history, bodies.wall_contacts : history of contacts with walls

    Returns
    -------
    `Sums` at the walls
    """
    low, _ = chunk_of(c, bodies.kind.size)
    sums, stop = no_sums(), low + neighbours.near_wall_count[c]
    for k in range(low, stop):
        fetch_ahead(box, c, k, stop, bodies, kinds, neighbours)
        sums = joined(sums, touch_walls(law, neighbours.near_wall[k], sink, bodies, kinds, neighbours, box))
    return sums


by_box = select(
    "box",
    {
        BoxFaces: touch_faces, RoughFaces: gather_one_by_one, WalledFaces: touch_obstacles,
        WalledRoughFaces: touch_obstacles, WalledRoughPeriodicFaces: touch_obstacles,
    },
)  # fmt: skip


@inline
def gather_spheres(law, scheme, c, sink, bodies, kinds, neighbours, box):
    """Add the forces of walls on the single spheres of chunk c; see `gather_one_by_one`."""
    return by_box(law, scheme, c, sink, bodies, kinds, neighbours, box)


by_scheme = select("scheme", {rotation.SphericalPCDM: gather_spheres, object: gather_one_by_one})
# under laws with losses nothing is compiled for spheres where there are only other bodies, or the reverse
gather_walls = select("law", {laws.Elastic: gather_one_by_one, laws.Composite: by_scheme})
