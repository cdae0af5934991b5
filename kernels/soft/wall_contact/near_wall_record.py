"""What is kept of each sphere among walls of any shape: its row of `kernels.soft.wall_contact.wall_arrays.Walls.at`.

One row has all of it, since few spheres are near walls, and each line of memory that one of them wants is waited for:
with lists, slots and what they remember in arrays of their own, triangles took a third longer.
"""

import numpy as np
from dem.kernels.compiler.jit import inline

LISTED, NEAR, IN_USE, SLOTS = 0, 1, 2, 3  # columns of `Walls.at`; slots begin at the last
NUMBER_BITS = 32  # of LISTED that tell how many


@inline
def remember(walls):
    """Whether contacts with walls remember anything."""
    return walls.old_history.shape[2] > 0


@inline
def listed_at(s, walls):
    """Range of the triangles near sphere s in its chunk's row of `Walls.listed`, of all walls in their order.

    Before 0 where they must be looked up in cells.
    """
    start = walls.at[s, LISTED] >> NUMBER_BITS
    return start, start + (walls.at[s, LISTED] & ((np.int64(1) << NUMBER_BITS) - 1))


@inline
def list_at(s, start, stop, walls):
    """Note that; a start of -1 where there was no room."""
    walls.at[s, LISTED] = (np.int64(start) << NUMBER_BITS) | np.int64(stop - start)


@inline
def slot_at(k, walls):
    """Column of `Walls.at` in which the k-th slot of a sphere begins; what that remembers is in the next ones."""
    return SLOTS + k * (1 + walls.old_history.shape[2])
