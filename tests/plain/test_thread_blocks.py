"""Blocks of chunks, one a thread, that take equally long."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from sample_runs import divide_into_small_chunks

import dem
from dem.soft import simulation, thread_balance  # noqa: F401, all who know of chunks are to be there
from dem.soft.thread_balance import assign_chunks, blocks_of


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


@pytest.mark.parametrize("blocks", [1, 2, 3, 5])
@pytest.mark.parametrize("reach", [0, 1, 4])
def test_chunks_that_reach_out_of_their_block_are_everybodys(blocks, reach):
    """As many for each, and the rest of the work is divided as if there were none; all others are their block's."""
    chunks = 40
    work = np.random.default_rng(reach).uniform(1.0, 2.0, (2, chunks))
    own = np.zeros(chunks, np.int64)
    lists = SimpleNamespace(
        block=np.zeros(blocks + 1, np.int64), block_of=own, evaluating_block=own.copy(),
        first_chunk_reached=np.maximum(np.arange(chunks) - reach, 0), last_chunk_reached=np.arange(chunks),
    )  # fmt: skip
    assign_chunks(lists, work)
    border = np.array([first + k for first in lists.block[1:-1] for k in range(reach)], dtype=int)
    inner = np.setdiff1d(np.arange(chunks), border)
    assert (lists.evaluating_block[inner] == lists.block_of[inner]).all()
    each = np.bincount(lists.evaluating_block[border], minlength=blocks)
    assert each.max() - each.min() <= 1
    alone = work[0].copy()
    alone[inner] += work[1, inner]
    longest = max(alone[a:b].sum() for a, b in itertools.pairwise(lists.block))
    assert longest <= alone.sum() / blocks + 2 * work.sum(axis=0).max()  # a chunk, and one that the cut has moved over


def test_what_touches_from_the_start_remembers_it_when_chunks_are_divided_anew(monkeypatch):
    """Candidates are then elsewhere: on one thread they stay where they are."""
    divide_into_small_chunks(monkeypatch)
    sand = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.6, friction=0.5)
    places = np.stack(np.meshgrid(np.arange(12), [0, 1], [0, 1], indexing="ij"), -1).reshape(-1, 3) + 0.5
    places[16:, 0] *= 1.1  # some chunks touch, others do not
    monkeypatch.setattr(thread_balance, "TOUCHING", 1000.0)  # and so they take unlike times
    spin = np.random.default_rng(5).normal(0, 20, places.shape)
    found = []
    for threads in (1, 2):
        balls = dem.Particles(
            dem.Sphere(diameter=0.01), sand, position=0.00995 * places, velocity=0.02 * spin, angular_velocity=spin
        )
        sim = dem.Simulation(balls, time_step=2e-5, threads=threads)
        if threads > 1:
            assert sim._engine.lists.arrays.block.tolist() != [0, 3, 6]
        found.append([values.tolist() for values in sim._engine.history().ascending()])
    assert found[0] == found[1]
    assert len(found[0][0]) > 10
