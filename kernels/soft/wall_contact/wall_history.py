"""What contacts with walls remember: a few slots for each sphere, each of one contact with a wall.

A wall is made of pieces, and a contact is one lowest region of it, known by its *anchor*, the deepest piece. In the
next step its memory goes to the contact that has the same anchor or, as the sphere rolls on, one whose anchor shares an
edge or a vertex with that; of several to the first. Where two contacts have become one, it has what both remember
(`kernels.laws.merged_contacts`); where nobody takes a memory up, its contact has ended. Those of a sphere that are in
use come before the others.
"""

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.laws import merged_contacts
from dem.kernels.soft.wall_contact import rough_walls
from dem.kernels.soft.wall_contact.near_wall_record import IN_USE, remember, slot_at
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces
from dem.kernels.walls.geometry import neighbours_of
from dem.kernels.walls.potential_terms import LOBE

PIECE_BITS = 40  # pieces of a wall: below 2^40
DIRECTION, GRAIN = 1 << 38, 1023.0  # added to what stands for a direction in place of a piece; steps of each component
TURN = 0.02  # square of the angle by which a contact may turn in a step [rad²]
SIDE = 1 << 20  # in the number of a wall: of the side of a capsule, see `dem.kernels.soft.wall_contact.capsule_sides`
ANCHOR = 5  # column of a tree, see `dem.kernels.walls.geometry.feel`


@inline
def key_of(w, piece):
    """Wall and anchor in one integer."""
    return (np.int64(w) << PIECE_BITS) | np.int64(piece)


@inline
def wall_of(key):
    """Number of the wall in the key of a contact."""
    return key >> PIECE_BITS


@inline
def piece_of(key):
    """Number of the anchor, a piece of the wall, in the key of a contact."""
    return key & ((np.int64(1) << PIECE_BITS) - 1)


@inline
def key_of_direction(n):
    """Number in place of a piece for a contact that is known by its direction, a unit vector in the wall's frame."""
    x, y, z = (np.int64(0.5 * (n[0] + 1.0) * GRAIN + 0.5), np.int64(0.5 * (n[1] + 1.0) * GRAIN + 0.5),
               np.int64(0.5 * (n[2] + 1.0) * GRAIN + 0.5))  # fmt: skip
    return np.int64(DIRECTION) + (x << 20) + (y << 10) + z


@inline
def apart(piece, other):
    """Square of the distance of two directions."""
    x, y, z = (piece >> 20 & 1023) - (other >> 20 & 1023), (piece >> 10 & 1023) - (other >> 10 & 1023), (
        (piece & 1023) - (other & 1023)
    )  # fmt: skip
    return 4.0 * np.float64(x * x + y * y + z * z) / (GRAIN * GRAIN)


@inline
def successor_direction(c, key, count, trees, walls):
    """Which tree takes up the contact of a direction: the nearest one, if no other contact of the wall is nearer to it.

    Of equally near ones the first tree, and the contact of the lowest key, take part.
    """
    piece, best, nearest = piece_of(key), -1, TURN
    for t in range(count):
        far = apart(piece, np.int64(trees[t, ANCHOR]))
        if far < nearest:
            best, nearest = t, far
    if best >= 0:
        for k in range(slots_of(walls)):
            other = walls.old_key[c, k]
            if other < 0:
                break
            if wall_of(other) == wall_of(key) and other != key:
                far = apart(piece_of(other), np.int64(trees[best, ANCHOR]))
                if far < nearest or (far == nearest and other < key):
                    return -1
    return best


@inline
def slots_of(walls):
    """Slots that each sphere has."""
    return walls.old_key.shape[1]


@inline
def copy_to_scratch(c, s, walls):
    """Copy what is in the slots of sphere s to the scratch of chunk c, after which comes a key of -1."""
    number = walls.at[s, IN_USE]
    for k in range(number):
        at = slot_at(k, walls)
        walls.old_key[c, k] = walls.at[s, at]
        for r in range(walls.old_history.shape[2]):
            walls.old_history[c, k, r] = walls.history[s, at + 1 + r]
    if number < slots_of(walls):
        walls.old_key[c, number] = -1


@inline
def move_to_scratch(c, s, walls):
    """Move what is in the slots of sphere s to the scratch of chunk c, and empty the slots."""
    copy_to_scratch(c, s, walls)
    walls.at[s, IN_USE] = 0


@inline
def successor_contact(c, key, count, trees, walls):
    """Which of the trees of a wall takes up what has this key: its number, -1 if none does."""
    w, piece = wall_of(key), piece_of(key)
    if piece >= DIRECTION:
        return successor_direction(c, key, count, trees, walls)
    for t in range(count):
        if np.int64(trees[t, ANCHOR]) == piece:
            return t
    for t in range(count):
        if neighbours_of(w & (SIDE - 1), piece & (LOBE - 1), np.int64(trees[t, ANCHOR]) & (LOBE - 1), walls.geometry):
            return t
    return -1


@inline
def is_only(c, key, walls):
    """Whether the one contact that is remembered has this key: as mostly it has."""
    return walls.old_key[c, 0] == key and (slots_of(walls) == 1 or walls.old_key[c, 1] < 0)


@inline
def recall(law, c, w, t, count, trees, walls):
    """History of the contact that is tree t of wall w, and whether it has any.

    Parameters
    ----------
    law, c, w : see `dem.kernels.soft.state`; chunk, wall
    t, count, trees : which tree, of how many
    walls : `dem.kernels.soft.wall_contact.wall_arrays.Walls`, with what a sphere remembers taken up

    Returns
    -------
    history, number of contacts that it comes from
    """
    history, found = laws.nothing(law), 0
    if not remember(walls):
        return history, found
    if count == 1 and is_only(c, key_of(w, trees[0, ANCHOR]), walls):
        return laws.load(law, walls.old_history[c], 0, rough_walls.column(walls.rough)), 1
    k = next_of(w, np.int64(-1), c, walls)
    while k >= 0:
        key = walls.old_key[c, k]
        if successor_contact(c, key, count, trees, walls) == t:
            kept = laws.load(law, walls.old_history[c], k, rough_walls.column(walls.rough))
            history = merged_contacts.join(law, history, kept) if found > 0 else kept
            found += 1
        k = next_of(w, key, c, walls)
    return history, found


@inline
def first_heir(c, w, t, count, walls):
    """Which of the slots taken up is the first that tree t of wall w goes on from, of so many trees; -1 if none is."""
    k = next_of(w, np.int64(-1), c, walls)
    while k >= 0:
        key = walls.old_key[c, k]
        if successor_contact(c, key, count, walls.trees[c], walls) == t:
            return k
        k = next_of(w, key, c, walls)
    return -1


@inline
def next_of(w, key, c, walls):
    """Where the lowest key of wall w above this one is among those taken up, -1 if nowhere.

    In which slots they are depends on when lists were made, and so must not show.
    """
    best = -1
    for k in range(slots_of(walls)):
        other = walls.old_key[c, k]
        if other < 0:
            break
        if other > key and wall_of(other) == w and (best < 0 or other < walls.old_key[c, best]):
            best = k
    return best


@inline
def note(law, c, s, n, key, history, walls):
    """Keep what a contact remembers as the n-th of sphere s, if there is room; the next number.

    Parameters
    ----------
    law, c, s : see `dem.kernels.soft.state`; chunk, sphere
    n, key, history : number of those that have been kept, of which contact, what
    walls : `dem.kernels.soft.wall_contact.wall_arrays.Walls`

    Writes
    ------
    walls.at, walls.history : a slot of the sphere
    walls.fullest : entry c
    """
    if n < slots_of(walls):
        at = slot_at(n, walls)
        walls.at[s, at], walls.at[s, IN_USE] = key, n + 1
        laws.store(law, walls.history, s, at + 1 + rough_walls.column(walls.rough), history)
    walls.fullest[c] = max(walls.fullest[c], n + 1)
    return n + 1


@func
def forget(b, bodies, walls):
    """Empty all slots of body b, which is near no wall."""
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        walls.at[s, IN_USE] = 0


@inline
def never(box):
    """Whether slots are scarce where there are no walls: never."""
    return False


@inline
def are_scarce(box):
    """Whether a sphere has come to fill more than half of its slots: time to make more, before any is lacking."""
    most = np.int64(0)
    for c in range(box.walls.fullest.size):
        most = max(most, box.walls.fullest[c])
    return 2 * most > slots_of(box.walls) and most > 0


are_few = select("box", {BoxFaces: never, WalledFaces: are_scarce})
