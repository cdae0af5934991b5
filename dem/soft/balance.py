"""Which chunks of bodies each thread works on: blocks that take equally long, as far as what chunks hold can tell.

In a drum the bed's lower half has half as many contacts again as the upper one, and four times as many at the wall:
halves of equal numbers of bodies would keep one of two threads waiting for a quarter of its time. No bit depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.soft.chunks import CHUNK

if TYPE_CHECKING:
    from kernels.soft.state import Neighbours

# nanoseconds that a step takes, for spheres with friction on a core at 2.5 GHz: of a body, of a pair that is looked at,
# of one that touches, of a body near a wall
BODY, PAIR, TOUCHING, WALLED = 40.0, 8.0, 85.0, 500.0


def work_of(lists: Neighbours) -> np.ndarray:
    """What a step takes of each chunk [ns], by what was listed last; at first chunks are alike."""
    chunks = lists.pairs.size
    room = lists.sphere_i.size // chunks
    work = BODY * CHUNK + PAIR * lists.pairs + WALLED * lists.walled_count
    if lists.has_history.size:
        begin = room * np.arange(chunks)
        held = [np.count_nonzero(lists.has_history[k : k + n]) for k, n in zip(begin, lists.pairs, strict=True)]
        work += TOUCHING * np.array(held)
    return work


def blocks_of(work: np.ndarray, blocks: int) -> np.ndarray:
    """The first chunk of each block, and the number of chunks: stretches of about equal work (> 0), none empty.

    Examples
    --------
    >>> import numpy as np
    >>> blocks_of(np.array([3.0, 1.0, 1.0, 1.0]), 2)
    array([0, 1, 4])
    """
    done = np.concatenate([[0.0], np.cumsum(work)])
    first = np.abs(done[:, None] - np.linspace(0, done[-1], blocks + 1)).argmin(axis=0)
    k = np.arange(blocks + 1)
    first = k + np.maximum.accumulate(first - k)  # at least one chunk each, from below
    return np.minimum(first, work.size - blocks + k)  # and from above


def share_out(lists: Neighbours, work: np.ndarray) -> None:
    """Divide the chunks of new lists among the blocks that there are."""
    lists.block[:] = blocks_of(work, lists.block.size - 1)
    lists.block_of[:] = np.searchsorted(lists.block, np.arange(work.size), side="right") - 1
