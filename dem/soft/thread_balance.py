"""Load balance of threads: blocks of chunks of about equal work, estimated from bodies and contacts.

In a drum the lower half of the bed has half as many contacts again as the upper one, and four times as many at the
wall: with halves of equal numbers of bodies one of two threads would wait for a quarter of its time. No bit of the
result depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.soft.chunks import CHUNK

if TYPE_CHECKING:
    from dem.kernels.soft.state import Neighbours

# nanoseconds that a step takes, for spheres with friction on a core at 2.6 GHz: of a body, of a pair that is looked at,
# of one that touches, of a body near a face of the box or near another wall
BODY, PAIR, TOUCHING, FACED, WALLED = 22.0, 4.0, 22.0, 20.0, 160.0


def work_of(lists: Neighbours, *, walled: bool) -> np.ndarray:
    """What a step takes of each chunk, without pairs and of pairs (2, C) [ns], by what was listed last.

    There may be other walls beside the faces of the box.
    """
    chunks = lists.pairs.size
    room = lists.sphere_i.size // chunks
    near = (WALLED if walled else FACED) * lists.near_wall_count
    of_bodies, of_pairs = BODY * CHUNK + near, PAIR * lists.pairs
    if lists.has_history.size:
        begin = room * np.arange(chunks)
        touching = [np.count_nonzero(lists.has_history[k : k + n]) for k, n in zip(begin, lists.pairs, strict=True)]
        of_pairs = of_pairs + TOUCHING * np.array(touching)
    return np.array([of_bodies, of_pairs])


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
    """Divide the chunks of new lists among the blocks that there are.

    All blocks evaluate as many of the chunks that reach out of theirs, which are evaluated before all others; so these
    take a block no time of its own.
    """
    blocks = lists.block.size - 1
    _cut(lists, work.sum(axis=0))
    _cut(lists, work[0] + np.where(reaches_out(lists), 0.0, work[1]))
    lists.evaluating_block[:] = lists.block_of
    border = np.flatnonzero(reaches_out(lists))
    lists.evaluating_block[border] = np.arange(border.size) * blocks // max(border.size, 1)


def _cut(lists: Neighbours, work: np.ndarray) -> None:
    lists.block[:] = blocks_of(work, lists.block.size - 1)
    lists.block_of[:] = np.searchsorted(lists.block, np.arange(work.size), side="right") - 1


def reaches_out(lists: Neighbours) -> np.ndarray:
    """Whether pairs of each chunk (C,) have a body outside its block."""
    own = lists.block_of
    return (lists.first_chunk_reached < lists.block[own]) | (lists.last_chunk_reached >= lists.block[own + 1])
