"""Blocks of chunks, one a thread, that take equally long."""

import itertools

import numpy as np
import pytest

from dem.soft.balance import blocks_of


@pytest.mark.parametrize("seed", range(20))
def test_no_block_is_without_a_chunk_nor_longer_than_its_share_by_more_than_a_chunk(seed):
    """Blocks cover all chunks in order, however unlike these are."""
    rng = np.random.default_rng(seed)
    blocks = int(rng.integers(1, 9))
    work = rng.exponential(size=blocks + int(rng.integers(0, 60))) ** 2
    block = blocks_of(work, blocks)
    assert block[0] == 0
    assert block[-1] == work.size
    assert (np.diff(block) >= 1).all()
    longest = max(work[a:b].sum() for a, b in itertools.pairwise(block))
    assert longest <= work.sum() / blocks + work.max() + 1e-12  # rounding of sums


def test_chunks_that_are_alike_are_divided_evenly():
    """As before anything is known of them."""
    assert blocks_of(np.ones(49), 2).tolist() in ([0, 24, 49], [0, 25, 49])
    assert blocks_of(np.ones(3), 3).tolist() == [0, 1, 2, 3]
