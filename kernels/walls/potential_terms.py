"""Terms of the potential of walls, δ^(p+1) / (p+1), and their sums: one row of ``contacts`` each.

The force of a wall on a sphere of radius R is the stiffness of the law times the gradient of

    Σ ± δ^(p+1) / (p+1),  δ = R - d,

over distances d of the sphere's centre. p is 3/2 for Hertz's law, 1 for linear springs. The gradient is G = Σ ± δ^p n,
n the gradient of d. A law gets the overlap |G|^(1/p) along G; for a normal force that goes with another power of the
overlap, or adhesion, the force of several terms is continuous, but no gradient.

Contacts of the side of a capsule have three columns more: Σ ± s δ^p n, s the place of a term on the capsule's segment,
from -1 at the first end to 1.
"""

import math

from dem.kernels.compiler.jit import inline

# columns of a row: G (three), the potential, the deepest δ, the piece that is that deep, the first piece, links
POTENTIAL, DEEPEST, ANCHOR, FIRST, LINKS, COLUMNS = 3, 4, 5, 6, 7, 8
MOMENT, SIDE_COLUMNS = 8, 11  # of the side of a capsule
RELATIVE_ROUNDING = 1e-11  # of the potential of a contact of the same depth
# in the number of a piece: 1 + number of the corner of a polyhedron that touches a triangle; which of several places at
# which the side of a capsule touches
CORNER_STRIDE, MINIMUM_STRIDE = 1 << 28, 1 << 32


@inline
def power_of_overlap(overlap, power):
    """Power δ^p of an overlap."""
    if power == 1.5:
        return overlap * math.sqrt(overlap)
    return overlap if power == 1.0 else overlap**power


@inline
def clear_contact(contacts, t, piece):
    """Write an empty row of a contact to row t."""
    for column in range(COLUMNS):
        contacts[t, column] = 0.0
    contacts[t, ANCHOR] = contacts[t, FIRST] = piece


@inline
def add_piece(contacts, t, overlap, n, piece, power):
    """Add the term of a piece; of equally deep pieces the first is the anchor."""
    term = power_of_overlap(overlap, power)
    contacts[t, 0] += term * n[0]
    contacts[t, 1] += term * n[1]
    contacts[t, 2] += term * n[2]
    contacts[t, POTENTIAL] += term * overlap / (power + 1.0)
    if overlap > contacts[t, DEEPEST]:
        contacts[t, DEEPEST] = overlap
        contacts[t, ANCHOR] = piece


@inline
def subtract_link(contacts, t, overlap, n, power):
    """Subtract the term of the edge or point that two pieces share."""
    term = power_of_overlap(overlap, power)
    contacts[t, 0] -= term * n[0]
    contacts[t, 1] -= term * n[1]
    contacts[t, 2] -= term * n[2]
    contacts[t, POTENTIAL] -= term * overlap / (power + 1.0)
    contacts[t, LINKS] += 1.0


@inline
def add_side_term(contacts, t, overlap, n, s, piece, power):
    """Add the term of a piece of the wall, at the place s of a side."""
    add_piece(contacts, t, overlap, n, piece, power)
    term = s * power_of_overlap(overlap, power)
    for k in range(3):
        contacts[t, MOMENT + k] += term * n[k]


@inline
def subtract_side_link(contacts, t, overlap, n, s, power):
    """Subtract the term of a link, at the parameter s of a side."""
    subtract_link(contacts, t, overlap, n, power)
    term = s * power_of_overlap(overlap, power)
    for k in range(3):
        contacts[t, MOMENT + k] -= term * n[k]


@inline
def clear_side_contact(contacts, t, piece):
    """Write an empty row of a contact of a side to row t."""
    clear_contact(contacts, t, piece)
    for k in range(3):
        contacts[t, MOMENT + k] = 0.0


@inline
def number_of_contacts(contacts, t, power):
    """Number of contacts in row t of a side: 1 if its potential is above rounding, else 0.

    Where a minimum of the distance merges with an end as soon as it appears, its two terms cancel but for rounding.
    """
    deepest = contacts[t, DEEPEST]
    return 1 if contacts[t, POTENTIAL] > RELATIVE_ROUNDING * deepest * power_of_overlap(deepest, power) else 0
