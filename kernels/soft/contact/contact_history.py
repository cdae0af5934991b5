"""Contact history, copied from the old candidates to the new ones when lists are rebuilt.

The history of a pair, such as the force of its tangential spring (Cundall & Strack), lies in a row of
`Neighbours.history`; `dem.kernels.laws.friction` rotates that spring with the contact.

When candidates are picked anew from the same neighbour list, a chunk saves the histories of its touching pairs with
their pair of bodies, and copies them to its new candidates (``save_history``, ``restore_history``). When the neighbour
list is rebuilt, bodies change their index. All histories then go through a table by the numbers of the
particles (``write_table``, ``read_pairs``, ``read_walls``): its spheres are numbered through all particles, and a wall
counts as the partner -1 - face.
"""

from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.neighbours.candidate_pairs import pairs_of, unpack


@inline
def candidates_of(p, c, neighbours):
    """First candidate of pair p of chunk c, and number of them."""
    column, count = unpack(neighbours.candidate_range[p])
    return column - neighbours.force_at[c] + first_candidate(c, neighbours), count


@inline
def copy_row(source, k, target, m):
    """Copy a row of history; a table may have more columns than pairs need."""
    for r in range(min(source.shape[1], target.shape[1])):
        target[m, r] = source[k, r]


@func
def save_history(c, bodies, neighbours):
    """Save the history of the contacts of chunk c, in the order of its pairs."""
    start = m = first_candidate(c, neighbours)
    first, last = pairs_of(c, bodies, neighbours)
    for p in range(first, last):
        k_first, count = candidates_of(p, c, neighbours)
        for k in range(k_first, k_first + count):
            if neighbours.has_history[k] != 0:
                neighbours.saved_pair[m] = p
                neighbours.saved_sphere_i[m] = neighbours.sphere_i[k]
                neighbours.saved_sphere_j[m] = neighbours.sphere_j[k]
                copy_row(neighbours.history, k, neighbours.saved_history, m)
                m += 1
    neighbours.saved_count[c] = m - start


@func
def restore_history(c, neighbours):
    """Copy the saved history to the new candidates of chunk c; other candidates have no history."""
    start = first_candidate(c, neighbours)
    for k in range(start, start + neighbours.pairs[c]):
        neighbours.has_history[k] = 0
    for m in range(start, start + neighbours.saved_count[c]):
        k_first, count = candidates_of(neighbours.saved_pair[m], c, neighbours)
        for k in range(k_first, k_first + count):
            if (
                neighbours.sphere_i[k] == neighbours.saved_sphere_i[m]
                and neighbours.sphere_j[k] == neighbours.saved_sphere_j[m]
            ):
                copy_row(neighbours.saved_history, m, neighbours.history, k)
                neighbours.has_history[k] = 1
    neighbours.saved_count[c] = -1


@inline
def number_of(s, bodies, first_number):
    """Number of sphere s among those of all particles in the user's order; body b begins at first_number[b]."""
    b = bodies.owner[s]
    return first_number[b] + s - bodies.first_sphere[b]


@kernel
def write_table(bodies, first_number, neighbours, i, j, history):
    """Fill a table of contact history: numbers of the spheres (H,), (H,), and history (H, R)."""
    n = 0
    for c in range(neighbours.pairs.size if neighbours.has_history.size > 0 else 0):
        start = first_candidate(c, neighbours)
        for k in range(start, start + neighbours.pairs[c]):
            if neighbours.has_history[k] != 0:
                i[n] = number_of(neighbours.sphere_i[k], bodies, first_number)
                j[n] = number_of(neighbours.sphere_j[k], bodies, first_number)
                copy_row(neighbours.history, k, history, n)
                n += 1
    for k in range(neighbours.wall_has_history.size):
        if neighbours.wall_has_history[k] != 0:
            i[n] = number_of(k // 6, bodies, first_number)
            j[n] = -1 - k % 6
            copy_row(neighbours.wall_history, k, history, n)
            n += 1


@kernel
def index_table(i, first, order):
    """Entries of sphere a are order[first[a]] to order[first[a + 1]]."""
    for a in range(first.size):
        first[a] = 0
    for m in range(i.size):
        first[i[m] + 1] += 1
    for a in range(first.size - 1):
        first[a + 1] += first[a]
    for m in range(i.size - 1, -1, -1):
        first[i[m] + 1] -= 1
        order[first[i[m] + 1]] = m
    for a in range(first.size - 1):
        first[a] = first[a + 1]
    first[first.size - 1] = i.size


@kernel
def read_pairs(bodies, first_number, neighbours, i, j, history, first, order):
    """Copy the history in a table, indexed by its first spheres, to the candidates.

    bodies, first_number: `Bodies`; (N,) number of the first sphere of each particle.
    i, j, history: (H,), (H,), (H, R) as of `write_table`.
    first, order: as of `index_table`.
    Writes neighbours.history, neighbours.has_history: of candidates in the table; the others stay.
    """
    for c in range(neighbours.pairs.size if neighbours.has_history.size > 0 else 0):
        start = first_candidate(c, neighbours)
        for k in range(start, start + neighbours.pairs[c]):
            a = number_of(neighbours.sphere_i[k], bodies, first_number)
            for m in range(first[a], first[a + 1]):
                if j[order[m]] == number_of(neighbours.sphere_j[k], bodies, first_number):
                    copy_row(history, order[m], neighbours.history, k)
                    neighbours.has_history[k] = 1


@kernel
def read_walls(bodies, first_number, neighbours, i, j, history, first, order):
    """Read the history of wall contacts from a table, before candidates are picked: rough walls hold on to bodies.

    first_number, i, j, history, first, order: see `read_pairs`.
    Writes neighbours.wall_history, neighbours.wall_has_history: of all contacts with walls.
    """
    for s in range(neighbours.wall_has_history.size // 6):
        for face in range(6):
            neighbours.wall_has_history[6 * s + face] = 0
        a = number_of(s, bodies, first_number)
        for m in range(first[a], first[a + 1]):
            if -7 < j[order[m]] < 0:
                copy_row(history, order[m], neighbours.wall_history, 6 * s - 1 - j[order[m]])
                neighbours.wall_has_history[6 * s - 1 - j[order[m]]] = 1
