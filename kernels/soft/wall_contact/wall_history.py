"""History of contacts with walls: a few slots for each sphere, each of one contact with a wall.

A wall is made of pieces, and a contact is one lowest region of it, known by its *anchor*, the deepest piece. In the
next step its memory goes to the contact that has the same anchor or, as the sphere rolls on, one whose anchor shares an
edge or a vertex with that; of several to the first. Where two contacts have become one, it has what both remember
(`dem.kernels.laws.merged_contacts`); a memory that no contact takes up belongs to a contact that has ended. The slots
of a sphere that are in use come before the others.

When bodies are listed anew, slots go through the tables of `dem.kernels.soft.contact.contact_history` (`write_slots`,
`read_slots`).
"""

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import inline, kernel, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.laws import merged_contacts
from dem.kernels.soft.contact.contact_history import number_of
from dem.kernels.soft.wall_contact.rough_planes import history_column
from dem.kernels.soft.wall_contact.wall_arrays import IN_USE, WalledFaces, has_history, slot_at
from dem.kernels.walls.geometry import neighbours_of
from dem.kernels.walls.potential_terms import ANCHOR, MINIMUM_STRIDE

PIECE_BITS = 40  # pieces of a wall: below 2^40
DIRECTION, GRAIN = 1 << 38, 1023.0  # added to what stands for a direction in place of a piece; steps of each component
TURN = 0.02  # square of the angle by which a contact may turn in a step [rad²]
SIDE = 1 << 20  # in the number of a wall: of the side of a capsule
FACES = 6  # of a box


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
    x, y = np.int64(0.5 * (n[0] + 1.0) * GRAIN + 0.5), np.int64(0.5 * (n[1] + 1.0) * GRAIN + 0.5)
    return np.int64(DIRECTION) + (x << 20) + (y << 10) + np.int64(0.5 * (n[2] + 1.0) * GRAIN + 0.5)


@inline
def apart(piece, other):
    """Square of the distance of two directions."""
    x, y = (piece >> 20 & 1023) - (other >> 20 & 1023), (piece >> 10 & 1023) - (other >> 10 & 1023)
    z = (piece & 1023) - (other & 1023)
    return 4.0 * np.float64(x * x + y * y + z * z) / (GRAIN * GRAIN)


@inline
def successor_direction(c, key, count, contacts, walls):
    """Which contact goes on from that of a direction: the nearest one, if no other contact of the wall is nearer to it.

    Of equally near ones the first contact, and the lowest key, count.
    """
    piece, best, nearest = piece_of(key), -1, TURN
    for t in range(count):
        far = apart(piece, np.int64(contacts[t, ANCHOR]))
        if far < nearest:
            best, nearest = t, far
    if best >= 0:
        for k in range(slots_of(walls)):
            other = walls.old_key[c, k]
            if other < 0:
                break
            if wall_of(other) == wall_of(key) and other != key:
                far = apart(piece_of(other), np.int64(contacts[best, ANCHOR]))
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
    number = walls.sphere_records[s, IN_USE]
    for k in range(number):
        at = slot_at(k, walls)
        walls.old_key[c, k] = walls.sphere_records[s, at]
        for r in range(walls.old_history.shape[2]):
            walls.old_history[c, k, r] = walls.history[s, at + 1 + r]
    if number < slots_of(walls):
        walls.old_key[c, number] = -1


@inline
def successor_contact(c, key, count, contacts, walls):
    """Which contact with a wall goes on from the one of this key: its number, -1 if none does."""
    w, piece = wall_of(key), piece_of(key)
    if piece >= DIRECTION:
        return successor_direction(c, key, count, contacts, walls)
    for t in range(count):
        if np.int64(contacts[t, ANCHOR]) == piece:
            return t
    for t in range(count):
        if neighbours_of(
            w & (SIDE - 1),
            piece & (MINIMUM_STRIDE - 1),
            np.int64(contacts[t, ANCHOR]) & (MINIMUM_STRIDE - 1),
            walls.geometry,
        ):
            return t
    return -1


@inline
def is_only(c, key, walls):
    """Whether the one contact that is remembered has this key: as mostly it has."""
    return walls.old_key[c, 0] == key and (slots_of(walls) == 1 or walls.old_key[c, 1] < 0)


@inline
def recall(law, c, w, t, count, contacts, walls):
    """History of contact t, of so many, with wall w, and number of contacts before that it comes from.

    The slots of the sphere have been taken up.
    """
    history, found = laws.nothing(law), 0
    if not has_history(walls):
        return history, found
    if count == 1 and is_only(c, key_of(w, contacts[0, ANCHOR]), walls):
        return laws.load(law, walls.old_history[c], 0, history_column(walls.rough)), 1
    k = next_of(w, np.int64(-1), c, walls)
    while k >= 0:
        key = walls.old_key[c, k]
        if successor_contact(c, key, count, contacts, walls) == t:
            kept = laws.load(law, walls.old_history[c], k, history_column(walls.rough))
            history = merged_contacts.join(law, history, kept) if found > 0 else kept
            found += 1
        k = next_of(w, key, c, walls)
    return history, found


@inline
def first_heir(c, w, t, count, walls):
    """Which of the slots taken up is the first that contact t, of so many with wall w, goes on from; -1 if none is."""
    k = next_of(w, np.int64(-1), c, walls)
    while k >= 0:
        key = walls.old_key[c, k]
        if successor_contact(c, key, count, walls.contacts[c], walls) == t:
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
    """Keep the history of a contact as the n-th of sphere s, if there is room; returns the next number.

    Writes walls.sphere_records, walls.history: a slot of the sphere. Writes walls.fullest: entry c.
    """
    if n < slots_of(walls):
        at = slot_at(n, walls)
        walls.sphere_records[s, at], walls.sphere_records[s, IN_USE] = key, n + 1
        laws.store(law, walls.history, s, at + 1 + history_column(walls.rough), history)
    walls.fullest[c] = max(walls.fullest[c], n + 1)
    return n + 1


@inline
def are_scarce(box):
    """Whether a sphere has come to fill more than half of its slots: time to make more, before any is lacking."""
    most = np.int64(0)
    for c in range(box.walls.fullest.size):
        most = max(most, box.walls.fullest[c])
    return 2 * most > slots_of(box.walls) and most > 0


are_few = select("box", {BoxFaces: False, WalledFaces: are_scarce})


@inline
def partner_of(key):
    """Number that stands for a contact with a wall in tables: below those of the faces of a box."""
    return -1 - FACES - key


def count_slots(walls):
    """Number of slots in use; in Python."""
    return int(walls.sphere_records[:, IN_USE].sum())


@kernel
def write_slots(n, bodies, first_number, walls, i, j, history):
    """Write the history of contacts with walls to a table, after n rows.

    Writes i, j, history: as `dem.kernels.soft.contact.contact_history.write_table`.
    """
    for s in range(walls.sphere_records.shape[0]):
        for k in range(walls.sphere_records[s, IN_USE]):
            at = slot_at(k, walls)
            i[n] = number_of(s, bodies, first_number)
            j[n] = partner_of(walls.sphere_records[s, at])
            for r in range(walls.old_history.shape[2]):
                history[n, r] = walls.history[s, at + 1 + r]
            n += 1


@kernel
def read_slots(bodies, first_number, walls, i, j, history, first, order):
    """Fill the slots of all spheres from a table; returns how many the fullest sphere wants.

    The table is that of `dem.kernels.soft.contact.contact_history.read_pairs`.
    Writes walls.sphere_records, walls.history: as many as there is room for.
    """
    slots, most = slots_of(walls), 0
    for s in range(bodies.owner.size):
        a, n = number_of(s, bodies, first_number), 0
        for m in range(first[a], first[a + 1]):
            if j[order[m]] < -FACES:
                if n < slots:
                    at = slot_at(n, walls)
                    walls.sphere_records[s, at] = partner_of(j[order[m]])
                    for r in range(walls.old_history.shape[2]):
                        walls.history[s, at + 1 + r] = history[order[m], r]
                n += 1
        walls.sphere_records[s, IN_USE] = min(n, slots)
        most = max(most, n)
    return most
