"""What contacts with walls remember, in tables by the user's numbers.

See `kernels.soft.contact.contact_history` and ``wall_history``.
"""

from dem.kernels.compiler.jit import inline, kernel
from dem.kernels.soft.contact.contact_history import number_of
from dem.kernels.soft.wall_contact.near_wall_record import IN_USE, slot_at
from dem.kernels.soft.wall_contact.wall_history import slots_of

FACES = 6  # of a box


@inline
def partner_of(key):
    """Number that stands for a contact with a wall in tables: below those of the faces of a box."""
    return -1 - FACES - key


@kernel
def count_slots(walls):
    """Number of slots in use."""
    n = 0
    for s in range(walls.at.shape[0]):
        n += walls.at[s, IN_USE]
    return n


@kernel
def write_slots(n, bodies, first_number, walls, i, j, history):
    """Write what contacts with walls remember to a table, after n others.

    Parameters
    ----------
    n, bodies, first_number : as of `dem.kernels.soft.contact.contact_history.write_table`
    walls : `dem.kernels.soft.wall_contact.wall_arrays.Walls`

    Writes
    ------
    i, j, history : as of `dem.kernels.soft.contact.contact_history.write_table`
    """
    for s in range(walls.at.shape[0]):
        for k in range(walls.at[s, IN_USE]):
            at = slot_at(k, walls)
            i[n] = number_of(s, bodies, first_number)
            j[n] = partner_of(walls.at[s, at])
            for r in range(walls.old_history.shape[2]):
                history[n, r] = walls.history[s, at + 1 + r]
            n += 1


@kernel
def read_slots(bodies, first_number, walls, i, j, history, first, order):
    """Fill the slots of all spheres from a table; returns how many the fullest sphere wants.

    Parameters
    ----------
    bodies, first_number, i, j, history, first, order : as of `dem.kernels.soft.contact.contact_history.read_pairs`

    Writes
    ------
    walls.at, walls.history : as many as there is room for
    """
    slots, most = slots_of(walls), 0
    for s in range(bodies.owner.size):
        a, n = number_of(s, bodies, first_number), 0
        for m in range(first[a], first[a + 1]):
            if j[order[m]] < -FACES:
                if n < slots:
                    at = slot_at(n, walls)
                    walls.at[s, at] = partner_of(j[order[m]])
                    for r in range(walls.old_history.shape[2]):
                        walls.history[s, at + 1 + r] = history[order[m], r]
                n += 1
        walls.at[s, IN_USE] = min(n, slots)
        most = max(most, n)
    return most
