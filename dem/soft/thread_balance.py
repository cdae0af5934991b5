"""Number of threads of a step, and blocks of chunks of about equal work for each thread; no result depends on these.

Blocks of equal numbers of bodies are not of equal work. In a drum, for example, the lower half of the bed has more
contacts than the upper half, between particles and with the wall, so that one of two threads would often wait.

A pass waits for the last of its threads: if another program uses the core of one thread, all others wait. Whether this
happens is measured: from time to time one thread, or all, take a few steps, and the faster number of threads is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.compiler.jit import set_threads
from dem.kernels.soft.chunks import CHUNK, Serial, Threaded

if TYPE_CHECKING:
    from dem.kernels.soft.state import Neighbours

# nanoseconds that a step takes, for spheres with friction on a core at 2.6 GHz: of a body, of a pair that is looked at,
# of one that touches, of a body near a face of the box or near another wall
BODY, PAIR, TOUCHING, FACED, WALLED = 22.0, 4.0, 22.0, 20.0, 160.0


def work_of(lists: Neighbours, *, with_walls: bool) -> np.ndarray:
    """Estimated time of each chunk in a step, without pairs and of pairs (2, C) [ns], from the latest lists.

    There may be other walls beside the faces of the box.
    """
    chunks = lists.pairs.size
    room = lists.sphere_i.size // chunks
    near = (WALLED if with_walls else FACED) * lists.near_wall_count
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


def assign_chunks(lists: Neighbours, work: np.ndarray) -> None:
    """Distribute the chunks of new lists among the blocks of threads.

    All blocks evaluate as many of the chunks that reach out of theirs, which are evaluated before all others; so these
    take a block no time of its own.
    """
    blocks = lists.block.size - 1
    _cut(lists, work.sum(axis=0))
    _cut(lists, work[0] + np.where(has_pairs_outside_block(lists), 0.0, work[1]))
    lists.evaluating_block[:] = lists.block_of
    border = np.flatnonzero(has_pairs_outside_block(lists))
    lists.evaluating_block[border] = np.arange(border.size) * blocks // max(border.size, 1)


def _cut(lists: Neighbours, work: np.ndarray) -> None:
    lists.block[:] = blocks_of(work, lists.block.size - 1)
    lists.block_of[:] = np.searchsorted(lists.block, np.arange(work.size), side="right") - 1


def has_pairs_outside_block(lists: Neighbours) -> np.ndarray:
    """Whether pairs of each chunk (C,) have a body outside its block."""
    own = lists.block_of
    return (lists.first_chunk_reached < lists.block[own]) | (lists.last_chunk_reached >= lists.block[own + 1])


BATCH, MANY = 0.05, 64  # s of steps from one look at the clock to the next, and the fewest: each look costs a pass
TRIAL, FEW = 0.005, 4  # s of steps taken the other way, and the fewest, also of the first looks
SOON, SELDOM = 0.1, 4.0  # s from one trial to the next, at first, and where trials have been in vain
SHARE = 0.025  # of the time that trials may take
LOOKS = 3  # of so few steps before the first trial of a way: the first steps of all are slow
RECENT = 25  # batches that a trial is compared with
FASTER = 0.9  # of the time of a step that the other way must take to be preferred


def thread_mode(bodies: int, threads: int) -> Serial | Threaded:
    """Whether kernels spread the work over threads: not if it is a single chunk."""
    return Threaded() if threads > 1 and bodies > CHUNK else Serial()


class ThreadChoice:
    """Choice between one thread and many, by the measured time of a step.

    Parameters
    ----------
    threads : int
        The most.
    clock : callable
        Time now [s].

    Examples
    --------
    >>> choice = ThreadChoice(1)
    >>> choice.begin(1000), choice.threads  # one thread has no other way
    (1000, 1)
    """

    def __init__(self, threads: int, clock: Callable[[], float] = perf_counter) -> None:
        self.max_threads = self.threads = threads
        self.clock = clock
        self._begun = 0.0
        self._next_trial, self._pause = -math.inf, SOON  # when to try the other way, and the pause before that [s]
        self._recent_times: list[float] = []  # seconds a step in recent batches
        self._other_time = math.inf  # and the other way, when it was tried last
        self._is_trial = False

    def begin(self, wanted: int) -> int:
        """Start a batch: number of the wanted steps to take before the time is measured again."""
        if self.max_threads == 1:
            return wanted
        set_threads(self.threads)
        self._begun = self.clock()
        if len(self._recent_times) < LOOKS:
            return min(wanted, FEW)
        if self._is_trial:
            return min(wanted, max(FEW, int(TRIAL / max(self._typical_time(), self._other_time))))
        return min(wanted, max(MANY, int(BATCH / self._recent_times[-1])))

    def end(self, steps: int) -> None:
        """End a batch of steps, and choose the number of threads for the next one."""
        if self.max_threads > 1 and steps > 0:
            now = self.clock()
            self._compare(max(now - self._begun, 1e-9) / steps, now)

    def _typical_time(self) -> float:
        """Seconds a step in recent undisturbed batches: the first quartile."""
        return sorted(self._recent_times)[len(self._recent_times) // 4]

    def _compare(self, took: float, now: float) -> None:
        """Keep the faster number of threads, and try the other one if a trial is due."""
        if self._is_trial:
            self._is_trial = False
            if took < FASTER * self._typical_time():
                self._other_time, self._recent_times = self._typical_time(), []
                self._pause, self._next_trial = SOON, now  # so that it is tried again at once
            else:
                self._switch_threads()
                self._other_time, self._pause = took, min(2 * self._pause, SELDOM)
                self._next_trial = now + max(self._pause, (now - self._begun) / SHARE)
            return
        self._recent_times = [*self._recent_times[1 - RECENT :], took]
        if len(self._recent_times) >= LOOKS and now >= self._next_trial:
            self._is_trial = True
            self._switch_threads()

    def _switch_threads(self) -> None:
        """Take the next steps with the other number of threads."""
        self.threads = 1 if self.threads > 1 else self.max_threads
