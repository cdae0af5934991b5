"""Terms of the potential of walls, δ^(p+1) / (p+1), and their sums: one row of ``trees`` a contact.

A wall in contact with a sphere of radius R pushes by what is its own, a stiffness, times the gradient of

    Σ ± δ^(p+1) / (p+1),  δ = R - d,

over distances d of the sphere's centre. p is 3/2 for Hertz's law, 1 for linear springs. The gradient is G = Σ ± δ^p n,
n the gradient of d. A law gets the overlap |G|^(1/p) along G; for a normal force that goes with another power of the
overlap, or adhesion, the force of several terms is continuous, but no gradient.
"""

import math

from dem.kernels.compiler.jit import inline

# columns of a row: G (three), the potential, the deepest δ, the piece that is that deep, the lowest piece, links
POTENTIAL, DEEPEST, ANCHOR, FIRST, LINKS, COLUMNS = 3, 4, 5, 6, 7, 8
LOBE = 1 << 32  # in the number of a piece that touches the side of a capsule at several places: which of them


@inline
def raised(overlap, power):
    """Power δ^p of an overlap."""
    if power == 1.5:
        return overlap * math.sqrt(overlap)
    return overlap if power == 1.0 else overlap**power


@inline
def begin(trees, t, piece):
    """Write an empty row of a contact to tree t."""
    for column in range(COLUMNS):
        trees[t, column] = 0.0
    trees[t, ANCHOR] = trees[t, FIRST] = piece


@inline
def add_piece(trees, t, overlap, n, piece, power):
    """Add the term of a piece; of equally deep ones the first is kept."""
    term = raised(overlap, power)
    trees[t, 0] += term * n[0]
    trees[t, 1] += term * n[1]
    trees[t, 2] += term * n[2]
    trees[t, POTENTIAL] += term * overlap / (power + 1.0)
    if overlap > trees[t, DEEPEST]:
        trees[t, DEEPEST] = overlap
        trees[t, ANCHOR] = piece


@inline
def take_link(trees, t, overlap, n, power):
    """Take off the term of what two pieces share."""
    term = raised(overlap, power)
    trees[t, 0] -= term * n[0]
    trees[t, 1] -= term * n[1]
    trees[t, 2] -= term * n[2]
    trees[t, POTENTIAL] -= term * overlap / (power + 1.0)
    trees[t, LINKS] += 1.0
