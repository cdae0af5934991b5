"""Contact history at walls: a few slots for each sphere, one for each contact with a wall.

A wall is made of pieces. A contact is one local minimum of the distance from it, identified by its *anchor*, the
deepest piece. In the next step its history goes to the contact with the same anchor or, as the sphere rolls on, to the
first one whose anchor shares an edge or a vertex with it. Where two contacts have merged, the new one gets the history
of both (`dem.kernels.laws.merged_contacts`). A history that no contact continues belongs to a contact that has ended.
The slots of a sphere that are in use come before the others.

When neighbour lists are rebuilt, slots go through the tables of `dem.kernels.soft.contact.contact_history`
(`write_slots`, `read_slots`).
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
from dem.kernels.walls.potential_terms import ANCHOR, CORNER_STRIDE

PIECE_BITS = 40  # pieces of a wall: below 2^40
DIRECTION = 1 << 38  # added to the number that stands for a direction in place of a piece
DIRECTION_STEPS = 1023.0  # of each component of a direction
MAX_TURN_SQUARED = 0.02  # square of the angle by which a contact may turn in a step [rad²]
SIDE = 1 << 20  # flag in the number of a wall: the contact is one of the side of a capsule
FACES = 6  # of a box


@inline
def key_of(w, piece):
    """Key of a contact: wall and anchor in one integer."""
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
    x, y = np.int64(0.5 * (n[0] + 1.0) * DIRECTION_STEPS + 0.5), np.int64(0.5 * (n[1] + 1.0) * DIRECTION_STEPS + 0.5)
    return np.int64(DIRECTION) + (x << 20) + (y << 10) + np.int64(0.5 * (n[2] + 1.0) * DIRECTION_STEPS + 0.5)


@inline
def direction_distance_squared(piece, other):
    """Square of the distance between two directions."""
    x, y = (piece >> 20 & 1023) - (other >> 20 & 1023), (piece >> 10 & 1023) - (other >> 10 & 1023)
    z = (piece & 1023) - (other & 1023)
    return 4.0 * np.float64(x * x + y * y + z * z) / (DIRECTION_STEPS * DIRECTION_STEPS)


@inline
def successor_direction(c, key, count, contacts, walls):
    """Contact that continues an earlier one of a direction: the nearest, if no other contact of the wall is nearer.

    Of equally near ones the first contact, and the lowest key, count.
    """
    piece, best, nearest = piece_of(key), -1, MAX_TURN_SQUARED
    for t in range(count):
        distance_squared = direction_distance_squared(piece, np.int64(contacts[t, ANCHOR]))
        if distance_squared < nearest:
            best, nearest = t, distance_squared
    if best >= 0:
        for k in range(slots_of(walls)):
            other = walls.old_key[c, k]
            if other < 0:
                break
            if wall_of(other) == wall_of(key) and other != key:
                distance_squared = direction_distance_squared(piece_of(other), np.int64(contacts[best, ANCHOR]))
                if distance_squared < nearest or (distance_squared == nearest and other < key):
                    return -1
    return best


@inline
def slots_of(walls):
    """Number of slots of each sphere."""
    return walls.old_key.shape[1]


@inline
def copy_to_scratch(c, s, walls):
    """Copy the history slots of sphere s to the scratch of chunk c; a key of -1 marks the end."""
    count = walls.sphere_records[s, IN_USE]
    for k in range(count):
        column = slot_at(k, walls)
        walls.old_key[c, k] = walls.sphere_records[s, column]
        for r in range(walls.old_history.shape[2]):
            walls.old_history[c, k, r] = walls.history[s, column + 1 + r]
    if count < slots_of(walls):
        walls.old_key[c, count] = -1


@inline
def piece_alone(piece):
    """Number of a piece alone, without the corner or place that touches it."""
    return piece & (CORNER_STRIDE - 1)


@inline
def is_continued_by(w, piece, other, geometry):
    """Whether a contact with another anchor continues that of a piece: near it, and of the same corner of a body."""
    same_corner = w >= SIDE or piece // CORNER_STRIDE == other // CORNER_STRIDE
    return same_corner and neighbours_of(w & (SIDE - 1), piece_alone(piece), piece_alone(other), geometry)


@inline
def successor_contact(c, key, count, contacts, walls):
    """Number of the contact with a wall that continues the one of a key; -1 if none does."""
    w, piece = wall_of(key), piece_of(key)
    if piece >= DIRECTION:
        return successor_direction(c, key, count, contacts, walls)
    for t in range(count):
        if np.int64(contacts[t, ANCHOR]) == piece:
            return t
    for t in range(count):
        if is_continued_by(w, piece, np.int64(contacts[t, ANCHOR]), walls.geometry):
            return t
    return -1


@inline
def is_only(c, key, walls):
    """Whether the only stored contact has this key, the usual case."""
    return walls.old_key[c, 0] == key and (slots_of(walls) == 1 or walls.old_key[c, 1] < 0)


@inline
def recall(law, c, w, t, count, contacts, walls):
    """History of contact t of `count` with wall w, and the number of stored contacts that it continues.

    The slots of the sphere have been copied to the scratch (`copy_to_scratch`).
    """
    history, found = laws.initial_history(law), 0
    if not has_history(walls):
        return history, found
    if count == 1 and is_only(c, key_of(w, contacts[0, ANCHOR]), walls):
        return laws.load(law, walls.old_history[c], 0, history_column(walls.rough)), 1
    k = slot_of_next_key(w, np.int64(-1), c, walls)
    while k >= 0:
        key = walls.old_key[c, k]
        if successor_contact(c, key, count, contacts, walls) == t:
            kept = laws.load(law, walls.old_history[c], k, history_column(walls.rough))
            history = merged_contacts.join(law, history, kept) if found > 0 else kept
            found += 1
        k = slot_of_next_key(w, key, c, walls)
    return history, found


@inline
def first_predecessor_slot(c, w, t, count, walls):
    """First slot of the scratch that contact t of `count` with wall w continues; -1 if there is none."""
    k = slot_of_next_key(w, np.int64(-1), c, walls)
    while k >= 0:
        key = walls.old_key[c, k]
        if successor_contact(c, key, count, walls.contacts[c], walls) == t:
            return k
        k = slot_of_next_key(w, key, c, walls)
    return -1


@inline
def slot_of_next_key(w, key, c, walls):
    """Slot in the scratch with the lowest key of wall w above a given one; -1 if there is none.

    The order by keys does not depend on when lists were built; that of the slots does.
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
def store_slot(law, c, s, n, key, history, walls):
    """Store the history of a contact in the n-th slot of sphere s, if there is one; returns n + 1.

    Writes walls.sphere_records, walls.history: a slot of the sphere. Writes walls.fullest: entry c.
    """
    if n < slots_of(walls):
        column = slot_at(n, walls)
        walls.sphere_records[s, column], walls.sphere_records[s, IN_USE] = key, n + 1
        laws.store(law, walls.history, s, column + 1 + history_column(walls.rough), history)
    walls.fullest[c] = max(walls.fullest[c], n + 1)
    return n + 1


@inline
def slots_nearly_full_walled(box):
    """Whether a sphere fills more than half of its slots, so that more are made before any is lacking."""
    largest = np.int64(0)
    for c in range(box.walls.fullest.size):
        largest = max(largest, box.walls.fullest[c])
    return 2 * largest > slots_of(box.walls) and largest > 0


slots_nearly_full = select("box", {BoxFaces: False, WalledFaces: slots_nearly_full_walled})


@inline
def table_number(key):
    """Number in tables for a contact with a wall, below the numbers of the faces of a box; and back."""
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
            column = slot_at(k, walls)
            i[n] = number_of(s, bodies, first_number)
            j[n] = table_number(walls.sphere_records[s, column])
            for r in range(walls.old_history.shape[2]):
                history[n, r] = walls.history[s, column + 1 + r]
            n += 1


@kernel
def read_slots(bodies, first_number, walls, i, j, history, first, order):
    """Fill the slots of all spheres from a table; returns how many the fullest sphere wants.

    The table is that of `dem.kernels.soft.contact.contact_history.read_pairs`.
    Writes walls.sphere_records, walls.history: as many as there is room for.
    """
    slots, largest = slots_of(walls), 0
    for s in range(bodies.owner.size):
        a, n = number_of(s, bodies, first_number), 0
        for m in range(first[a], first[a + 1]):
            if j[order[m]] < -FACES:
                if n < slots:
                    column = slot_at(n, walls)
                    walls.sphere_records[s, column] = table_number(j[order[m]])
                    for r in range(walls.old_history.shape[2]):
                        walls.history[s, column + 1 + r] = history[order[m], r]
                n += 1
        walls.sphere_records[s, IN_USE] = min(n, slots)
        largest = max(largest, n)
    return largest
