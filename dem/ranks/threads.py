"""Ranks that are threads of one process, in lockstep: for tests, and to see what shares cost."""

from __future__ import annotations

import ctypes
import pickle
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.compiler.c_functions import kind_of_call
from dem.ranks import job_server
from dem.ranks.buffer_layout import BufferLayout, BufferSizes
from dem.ranks.communicator import Channel, Communicator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.ranks.buffer_layout import Segment
    from dem.ranks.c_functions import Call

TOGETHER = 3  # ranks that are as if on one machine


class Board:
    """Where threads leave things for each other."""

    def __init__(self, ranks: int) -> None:
        self.barrier = threading.Barrier(ranks)
        self.slots: list = [None] * ranks
        self.error: BaseException | None = None

    def swap(self, rank: int, thing: object) -> list:
        """Leave something; returns what all have left. Nobody may change what he has left before he swaps again."""
        self.slots[rank] = thing
        self._wait()
        found = list(self.slots)
        self._wait()
        return found

    def _wait(self) -> None:
        try:
            self.barrier.wait()
        except threading.BrokenBarrierError:
            if self.error is None:
                raise
            message = f"another rank has failed: {type(self.error).__name__}: {self.error}"
            raise RuntimeError(message) from self.error


class Told(Channel):
    """Rows that some ranks have in common, and copies of rows of others; who touches what he may not is found out."""

    def __init__(self, board: Board, rank: int, motion: np.ndarray, columns: int, places: BufferLayout) -> None:
        super().__init__(motion, columns, places)
        self.board, self.rank = board, rank
        self.side, self.sent = -1, []

    def _parts(self, routes: list[Segment], side: int) -> list[np.ndarray]:
        return [self.part(route, side) for route in routes]

    def start(self, side: int) -> None:
        """Note what is sent; nobody is to rely on what was heard before.

        Raises
        ------
        AssertionError
            If the side is the one that was told on last, which others may be reading.
        """
        if side == self.side:
            message = "what is told was written where others read: this is an error of pcdm-dem"
            raise AssertionError(message)
        self.side, self.sent = side, [part.copy() for part in self._parts(self.places.told, side)]
        for part in self._parts(self.places.far(self.places.heard), side):
            part.fill(np.nan)

    def finish(self) -> None:
        """Copy, when all are there, who have heard what was told before: nobody is to rely on that any more.

        Raises
        ------
        AssertionError
            If what was told has been changed since it was sent.
        """
        places, now = self.places, self._parts(self.places.told, self.side)
        if any(sent.tobytes() != part.tobytes() for sent, part in zip(self.sent, now, strict=True)):
            message = "what is told was changed while it was being sent: this is an error of pcdm-dem"
            raise AssertionError(message)
        for part in self._parts(places.told, 1 - self.side):
            part.fill(np.nan)
        sent = {route.rank: part for route, part in zip(places.told, self.sent, strict=True)}
        found, far = self.board.swap(self.rank, sent), places.far(places.heard)
        for route, part in zip(far, self._parts(far, self.side), strict=True):
            part[...] = found[route.rank][self.rank]


class Threads(Communicator):
    """A thread among others; some at a time are as if they were on one machine.

    Kernels take steps by themselves if that is wanted: then nobody finds out who touches what he may not.
    """

    def __init__(self, board: Board, rank: int, together: int = TOGETHER, *, by_kernels: bool = False) -> None:
        self.board, self.rank, self.ranks, self.by_kernels = board, rank, len(board.slots), by_kernels
        self.called: list = []
        first = rank // together * together
        self.members = range(first, min(first + together, self.ranks))

    def bcast(self, thing: object = None) -> object:
        """What rank 0 says; others get a copy."""
        if self.rank == 0:
            self.board.swap(0, pickle.dumps(thing))
            return thing
        return pickle.loads(self.board.swap(self.rank, None)[0])

    def alltoall(self, parcels: list) -> list:
        """Hand copies on."""
        found = self.board.swap(self.rank, [pickle.dumps(parcel) for parcel in parcels])
        return [pickle.loads(parcels[self.rank]) for parcels in found]

    def gather(self, thing: object) -> list | None:
        """Copies, at rank 0."""
        found = self.allgather(thing)
        return found if self.rank == 0 else None

    def allgather(self, thing: object) -> list:
        """Copies, to all."""
        return [pickle.loads(said) for said in self.board.swap(self.rank, pickle.dumps(thing))]

    def allreduce(self, sums: np.ndarray, most: np.ndarray) -> None:
        """Add and compare."""
        found = self.board.swap(self.rank, (sums.copy(), most.copy()))
        sums[...] = np.sum([each[0] for each in found], axis=0)
        most[...] = np.max([each[1] for each in found], axis=0)

    def swap_reports(self, report: np.ndarray, reports: np.ndarray, most: int) -> None:
        """Copies, or what they come to."""
        found = np.array(self.board.swap(self.rank, report.copy()))
        if len(reports) == self.ranks:
            reports[...] = found
        else:
            reports[0, :most], reports[0, most:] = found[:, :most].max(axis=0), found[:, most:].sum(axis=0)

    def call_to_swap(self, report: np.ndarray, reports: np.ndarray) -> Call | None:
        """A function that does so if that is wanted."""
        if not self.by_kernels or len(reports) != self.ranks:
            return None

        def swap(*_: int) -> int:
            try:
                self.swap_reports(report, reports, 0)
            except (RuntimeError, threading.BrokenBarrierError):
                return 1
            return 0

        self.called.append(kind_of_call()(swap))  # for as long as it may be
        return [ctypes.cast(self.called[-1], ctypes.c_void_p).value]

    def channel(self, columns: int, to: list[Segment], of: list[Segment], before: Told | None) -> Told:
        """Rows in common with some, copies of those of others."""
        del before
        wants = self.board.swap(self.rank, BufferSizes.of(to, of, self.members))
        places = BufferLayout.among(self.rank, self.members, [wants[member] for member in self.members], to, of)
        motion = np.full(2 * places.room * len(self.members) * columns, np.nan)
        return Told(self.board, self.rank, self.board.swap(self.rank, motion)[self.members[0]], columns, places)

    def fail(self, error: BaseException) -> None:
        """Wake those who wait."""
        if self.board.error is None:
            self.board.error = error
        self.board.barrier.abort()

    @property
    def described(self) -> str:
        """In words."""
        return f"{self.ranks} ranks, threads of one process"


@contextmanager
def in_one_process(
    ranks: int, together: int = TOGETHER, *, by_kernels: bool = False, **ways: object
) -> Iterator[Communicator]:
    """Have so many threads share the simulations that are made meanwhile.

    See `ranks.job_server.JobServer` for the ways.

    So many together tell each other by memory in common, others by copies; kernels may take several steps by
    themselves. The result is that of one process, bit for bit.
    """
    board = Board(ranks)
    mine, *rest = (Threads(board, r, together, by_kernels=by_kernels) for r in range(ranks))
    others = [threading.Thread(target=job_server.serve, args=(one,), daemon=True) for one in rest]
    for thread in others:
        thread.start()
    with job_server.at_work(job_server.JobServer(mine, **ways)):
        yield mine
    for thread in others:
        thread.join(timeout=10.0)
