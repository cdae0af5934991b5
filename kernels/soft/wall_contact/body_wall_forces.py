"""Forces and torques on bodies at faces and walls, chunk by chunk: in batches of contacts or one by one.

Batches are used for single spheres under laws with losses, unless faces are rough, and for all other bodies except
convex ones if the only walls are faces. All other bodies are treated one by one.

Batches of contacts with faces are in ``box_contacts``, those of spheres with walls of any shape in this module. Apart
from the search for pieces of a wall, all of a contact (motion of the surfaces, law, load on the wall) is in loops that
LLVM vectorises. `wall_contacts.add_of_sphere` evaluates one by one the contacts of several pieces, and those with walls
that are rough, wear, hold a force or have a belt.
"""

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.domain.faces import BoxFaces, RoughFaces
from dem.kernels.laws.merged_contacts import exponent
from dem.kernels.numerics.columns import BLOCK, flat, get, put
from dem.kernels.numerics.energy import add_words
from dem.kernels.numerics.vector import add, load, store
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.batch_kinematics import (
    LOSS,
    MAY_BE_NEW,
    MIXED_TYPES,
    NORMAL,
    OF_FACES,
    ONGOING,
    OPEN_LOSS,
    OVERLAP,
    SingleSpheres,
)
from dem.kernels.soft.contact.contact_detection import ON_I, ON_J, add_sums, add_work, no_energy, no_sums
from dem.kernels.soft.contact.contact_evaluation import FORCE, PERSISTS, BatchSettings, evaluate_batch
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.contact.result_sinks import batch_sink
from dem.kernels.soft.contact.surface_motion import radius_near
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact import wall_history, wall_loads
from dem.kernels.soft.wall_contact.box_contacts import add_faces, touch_faces
from dem.kernels.soft.wall_contact.mesh_contacts import detect, find_in_block
from dem.kernels.soft.wall_contact.overlap_regions import beyond_of, is_of_one_piece
from dem.kernels.soft.wall_contact.rough_planes import NO_PLANE, is_rough, store_rough_plane
from dem.kernels.soft.wall_contact.wall_arrays import (
    IN_USE,
    NEAR_WALLS,
    SINGLE,
    WalledFaces,
    WalledRoughFaces,
    WalledRoughPeriodicFaces,
    as_plain_box,
    has_extra,
    has_history,
    is_near,
    motion_of,
)
from dem.kernels.soft.wall_contact.wall_contacts import add_body, add_of_sphere, add_sides
from dem.kernels.soft.wall_contact.wall_kinematics import KEPT, KEY, OF_I, OF_J, SPHERE, WALL, wall_motions
from dem.kernels.soft.wall_contact.wall_prefetch import prefetch_ahead
from dem.kernels.walls.geometry import Unused, Used
from dem.kernels.walls.potential_terms import ANCHOR, DEEPEST


@inline
def add_no_faces(law, b, sink, bodies, kinds, neighbours, box):
    """`Sums` of a box without faces."""
    return no_sums()


add_faces_if_any = select("box.walls.faces", {Unused: add_no_faces, Used: add_faces})


@inline
def add_all(law, b, sink, bodies, kinds, neighbours, box):
    """Add the forces of the faces of a box and of all other walls on body b; returns `Sums`."""
    sums = add_faces_if_any(law, b, sink, bodies, kinds, neighbours, box)
    sums = add_sums(sums, add_body(sink, law, b, bodies, kinds, box))
    return add_sums(sums, add_sides(kinds, sink, law, b, bodies, box))


touch_walls = select("box", {BoxFaces: add_faces, WalledFaces: add_all})


@inline
def gather_one_by_one(law, scheme, c, sink, bodies, kinds, neighbours, box):
    """Add the forces of walls and their torques for the bodies of chunk c, body by body; returns `Sums` at the walls.

    Writes bodies.force, bodies.torque: (3, N) world frame, that of body b in column b - first_body [N, N m].
    Writes neighbours.wall_history, neighbours.wall_has_history, bodies.wall_contacts: history of contacts with faces.
    Writes box.walls: loads, and history of contacts with walls.
    """
    low, _ = chunk_of(c, bodies.kind.size)
    sums, stop = no_sums(), low + neighbours.near_wall_count[c]
    for k in range(low, stop):
        prefetch_ahead(box, c, k, stop, bodies, kinds, neighbours)
        sums = add_sums(sums, touch_walls(law, neighbours.near_wall[k], sink, bodies, kinds, neighbours, box))
    return sums


@inline
def gather_batches(law, scheme, c, sink, bodies, kinds, neighbours, box):
    """Add the forces of all walls on the single spheres of chunk c that are near them; as `gather_one_by_one`."""
    sums, columns, walls, block = no_sums(), 0, box.walls, neighbours.block_of[c]
    kinematics, ids = neighbours.batch_kinematics[block][OF_FACES:], neighbours.batch_ids[block]
    histories = neighbours.batch_history[block].T
    pairs, pair_results = walls.pairs[block], walls.pair_results[block]
    low, _ = chunk_of(c, bodies.kind.size)
    stop = low + neighbours.near_wall_count[c]
    for first in range(low, stop, BLOCK):
        spheres = neighbours.near_wall[first : min(first + BLOCK, stop)]
        searched = detect(law, c, spheres, bodies, kinds, neighbours, box)
        for t in range(spheres.size):
            b, n = spheres[t], 0
            sums = add_sums(sums, add_faces_if_any(law, b, sink, bodies, kinds, neighbours, box))
            if has_history(walls):
                wall_history.copy_to_scratch(c, b, walls)
                walls.sphere_records[b, IN_USE] = 0
            for w in range(walls.material_row.size):
                if is_near(w, walls.sphere_records[b, NEAR_WALLS]):
                    power = exponent(law, kinds.material[bodies.kind[b]], walls.material_row[w])
                    count = find_in_block(
                        w, b, c, t, power, searched, pairs, pair_results, walls.centres[block, w], walls
                    )
                    columns, n, sums = gather_contacts_of(
                        law, w, c, b, count, columns, n, sink, bodies, kinds, neighbours, box, kinematics, ids,
                        histories, sums,
                    )  # fmt: skip
    if columns > 0:
        sums, _ = evaluate(law, columns, c, sink, bodies, kinds, neighbours, box, sums)
    return sums


@inline
def gather_contacts_of(
    law, w, c, b, count, columns, n, sink, bodies, kinds, neighbours, box, kinematics, ids, histories, sums
):
    """Append a number of contacts of sphere b with wall w to a batch after `columns` columns; the order is kept.

    n: contacts of the sphere that have been kept before these. Returns the number of columns, n, `Sums`.
    """
    walls, radius = box.walls, radius_near(b, b, bodies, kinds)
    m, row = kinds.material[bodies.kind[b]], walls.material_row[w]
    beyond = beyond_of(law, w, radius, walls)
    for t in range(count):
        if is_single(w, box) or not is_of_one_piece(c, t, walls):
            if columns > 0 and ids[SPHERE, columns - 1] == b:
                sums, n = evaluate(law, columns, c, sink, bodies, kinds, neighbours, box, sums)
                columns = 0
            more, n = add_of_sphere(law, sink, w, b, b, t, count, n, bodies, kinds, box)
            sums = add_sums(sums, more)
            continue
        overlap = walls.contacts[c, t, DEEPEST] - beyond
        history, found = wall_history.recall(law, c, w, t, count, walls.contacts[c], walls)
        if overlap > 0.0 or found > 0:
            put(
                kinematics, NORMAL, columns,
                (walls.contacts[c, t, 0], walls.contacts[c, t, 1], walls.contacts[c, t, 2]),
            )  # fmt: skip
            kinematics[flat(OVERLAP, columns)] = overlap
            ids[OF_I, columns], ids[OF_J, columns], ids[SPHERE, columns], ids[WALL, columns] = m, row, b, w
            ids[KEY, columns], ids[KEPT, columns] = wall_history.key_of(w, walls.contacts[c, t, ANCHOR]), n
            laws.store(law, histories, columns, 0, history)
            columns += 1
        if columns == BLOCK:
            sums, n = evaluate(law, columns, c, sink, bodies, kinds, neighbours, box, sums)
            columns = 0
    return columns, n, sums


@inline
def is_single(w, box):
    """Whether contacts with wall w are evaluated one by one, not in batches."""
    return is_rough(box.walls.rough, w) or has_extra(w, box)


@func
def evaluate(law, columns, c, sink, bodies, kinds, neighbours, box, sums):
    """Evaluate a batch of contacts; returns their `Sums`, and the contacts of the last sphere that are stored.

    Writes bodies.force, bodies.torque: columns b - first_body, added to [N, N m].
    Writes box.walls: loads, and history of contacts. Writes neighbours: scratch of batches.
    """
    block, walls = neighbours.block_of[c], box.walls
    kinematics, ids = neighbours.batch_kinematics[block][OF_FACES:], neighbours.batch_ids[block]
    histories, out = neighbours.batch_history[block], neighbours.batch_forces[block]
    others, began = wall_motions(columns, 2.0 * sink.half, bodies, kinds, box, ids, kinematics)
    batch_type = ONGOING if began == 0 else MAY_BE_NEW
    if others > 0 or laws.transmits_couples(law):  # with couples the torque is wanted by itself
        batch_type = MIXED_TYPES
    settings = BatchSettings(
        SingleSpheres(), batch_sink(sink), law, sink.time_sign, sink.half, sink.per_joule, kinds.modulus.size == 1
    )
    more = evaluate_batch(settings, columns, batch_type, kinematics, ids[OF_I], ids[OF_J], histories, out)
    n, present = 0, 0
    for t in range(columns):
        b, force = ids[SPHERE, t], get(out, FORCE, t)
        n = ids[KEPT, t] if t == 0 or ids[SPHERE, t - 1] != b else n
        present |= 1 << min(ids[WALL, t], SINGLE)
        store(bodies.force, b - sink.first_body, add(load(bodies.force, b - sink.first_body), force))
        if bodies.torque.shape[1] > 0:
            torque = add(load(bodies.torque, b - sink.first_body), get(out, ON_I, t))
            store(
                bodies.torque,
                b - sink.first_body,
                add(torque, get(out, ON_J, t)) if laws.transmits_couples(law) else torque,
            )
        wall_loads.add_wall_heat(sink, b, out[flat(LOSS, t)], out[flat(OPEN_LOSS, t)], bodies)
        if has_history(walls) and out[flat(PERSISTS, t)] > 0.0:
            store_rough_plane(walls.rough, b, n, NO_PLANE, walls)
            n = wall_history.store_slot(law, c, b, n, ids[KEY, t], laws.load(law, histories.T, t, 0), walls)
    work = no_energy()
    for w in range(walls.material_row.size):
        if is_near(w, present):
            wall_load = wall_loads.load_of_batch(
                w, motion_of(w, box), wall_loads.units_of(walls), columns, sink.half, sink.per_joule,
                laws.transmits_couples(law), ids, kinematics, out, as_plain_box(box),
            )  # fmt: skip
            wall_loads.add_to_loads(c, w, wall_load, box)
            work = add_words(work, wall_load.work)
    return add_work(add_sums(sums, more), work), n


gather_spheres = select(
    "box",
    {
        BoxFaces: touch_faces, RoughFaces: gather_one_by_one, WalledFaces: gather_batches,
        WalledRoughFaces: gather_batches, WalledRoughPeriodicFaces: gather_batches,
    },
)  # fmt: skip
gather_sphere_bodies = select(
    "box", {BoxFaces: touch_faces, RoughFaces: gather_one_by_one, WalledFaces: gather_one_by_one,
            WalledRoughFaces: gather_one_by_one, WalledRoughPeriodicFaces: gather_one_by_one},
)  # fmt: skip
gather_bodies = select("kinds", {Kinds: gather_sphere_bodies, ConvexBodyKinds: gather_one_by_one})
by_scheme = select("scheme", {rotation.SphericalPCDM: gather_spheres, object: gather_bodies})
# under laws with losses nothing is compiled for spheres where there are only other bodies, or the reverse
gather_walls = select("law", {laws.Elastic: gather_one_by_one, laws.Composite: by_scheme})
