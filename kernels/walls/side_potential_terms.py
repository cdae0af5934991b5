"""Terms of the potential of the side of a capsule, and their sums: rows of ``potential_terms`` with places of terms.

A row of trees has three columns more: Σ ± s δ^p n, s the place on the capsule's segment from -1 at the first end to 1.
"""

from dem.kernels.compiler.jit import inline
from dem.kernels.walls.potential_terms import DEEPEST, POTENTIAL, add_piece, begin, raised, take_link

MOMENT, COLUMNS = 8, 11  # columns of a row of trees
NOTHING = 1e-11  # of the potential of a contact as deep


@inline
def add_term(trees, t, overlap, n, s, piece, power):
    """Add the term of a piece, at the place s."""
    add_piece(trees, t, overlap, n, piece, power)
    term = s * raised(overlap, power)
    for k in range(3):
        trees[t, MOMENT + k] += term * n[k]


@inline
def take_term(trees, t, overlap, n, s, power):
    """Take off that of a link."""
    take_link(trees, t, overlap, n, power)
    term = s * raised(overlap, power)
    for k in range(3):
        trees[t, MOMENT + k] -= term * n[k]


@inline
def start(trees, t, piece):
    """Write an empty row of a contact of a side to tree t."""
    begin(trees, t, piece)
    for k in range(3):
        trees[t, MOMENT + k] = 0.0


@inline
def counts(trees, t, power):
    """Whether a contact has more than rounding has left of a low that is one with an end where it appears."""
    return 1 if trees[t, POTENTIAL] > NOTHING * trees[t, DEEPEST] * raised(trees[t, DEEPEST], power) else 0
