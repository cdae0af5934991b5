"""Arrays of a subdomain: ghosts first, in whole chunks, then the bodies that its rank moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.large_pages import zeros
from dem.kernels.fluid import Dry
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.state import Bodies
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.soft import arrays
from dem.soft.per_body import MOVING, PER_BODY
from dem.soft.walls.wall_arrays import fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Kinds, Neighbours
    from dem.soft.subdomain.migration import BodyBatch, MigrationSet, Places

# arrays that may be used again
KEPT_ROOM = ("lower", "higher", "candidate_range", "pair_force", "contact_slot", "force_torque", "overlap", "touching")


def room_for_ghosts(ghosts: int) -> int:
    """Indices that so many ghosts take: whole chunks, one at least."""
    return CHUNK * max(1, -(-ghosts // CHUNK))


def bodies(migration: MigrationSet, places: Places, ghosts: BodyBatch, kinds: Kinds, used: Sequence[str]) -> tuple:
    """Bodies, ghosts first and then those of the rank from these places, and the number of the first sphere of each.

    Arrays that are not in `used` stay empty.
    """
    low = room_for_ghosts(ghosts.number.size)
    made = {}
    for name in MOVING:
        new = migration.values(name, places, low) if name in used else migration.none_of(name)
        if new.shape[1] and name in ghosts.arrays:
            new[:, : ghosts.number.size] = ghosts.arrays[name]
        made[name] = new if PER_BODY[name].axis == 1 else new[0]
    number = migration.numbers(places, low)
    number[: ghosts.number.size] = ghosts.number
    spheres = np.diff(kinds.first_offset)[made["kind"]]
    first_sphere = np.concatenate([[0], np.cumsum(spheres)]).astype(np.int32)
    found = Bodies(
        **made,
        first_sphere=first_sphere,
        sphere_position=made["position"] if kinds.all_single_spheres else zeros((3, first_sphere[-1])),
        owner=np.repeat(np.arange(number.size, dtype=np.int32), spheres),
        n_active=np.array([low + int(np.count_nonzero(made["is_removed"][0, low:] == 0))]),
    )
    return found, number


def lists(
    old: Neighbours | None, bodies: Bodies, layout: arrays.Layout, *, ghosts: int, border: int, blocks: int
) -> tuple[Neighbours, int]:
    """Lists for these bodies, with the room that there was, and the number of blocks that hold the border.

    The first `ghosts` indices are for ghosts; the `border` bodies come next, in blocks of their own.
    """
    chunks, first = -(-bodies.kind.size // CHUNK), ghosts // CHUNK
    inner = min(first + -(-border // CHUNK), chunks)
    before, after = max(1, min(blocks, inner - first)), min(blocks, chunks - inner)
    block = first + np.arange(before + 1) * (inner - first) // before
    if after:
        block = np.concatenate([block, inner + np.arange(1, after + 1) * (chunks - inner) // after])
    blocks = block.size - 1
    block_of = np.searchsorted(block, np.arange(chunks), side="right") - 1
    block_of[:first] = np.arange(first) % blocks
    block_of = np.minimum(block_of, blocks - 1)
    new = arrays.lists(bodies, chunks, blocks, layout)._replace(
        block=block, block_of=block_of, evaluating_block=block_of
    )
    if old is None:
        return new, before
    candidates = arrays.candidate_arrays(chunks, -(-old.sphere_i.size // chunks), layout)
    entries = arrays.entry_arrays(old.body_entries.size, bodies.kind.size, layout)
    return new._replace(**candidates, **entries, **{name: getattr(old, name) for name in KEPT_ROOM}), before


def with_wall_arrays(faces: BoxFaces, bodies: Bodies, chunks: int) -> BoxFaces:
    """Faces whose walls, if there are any, have arrays for these bodies; the state of walls is shared."""
    if not has_walls(faces):
        return faces
    return faces._replace(walls=fitted(faces.walls, bodies.kind.size, bodies.owner.size, chunks))


def with_fluid_scratch(fluid: tuple, chunks: int) -> tuple:
    """A fluid with scratch arrays for a number of chunks; its sums are shared."""
    if isinstance(fluid, Dry):
        return fluid
    medium = fluid.medium
    new = {name: zeros((chunks, *getattr(medium, name).shape[1:])) for name in ("sampled", "predicted_motion")}
    return fluid._replace(medium=medium._replace(**new))
