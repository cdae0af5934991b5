"""Communicator whose ranks are threads of one process: for tests, and to measure the cost of subdomains."""

from __future__ import annotations

import ctypes
import pickle
import queue
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.compiler.c_functions import kind_of_call
from dem.ranks import job_server
from dem.ranks.communicator import BufferLayout, BufferSizes, Channel, Communicator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.ranks.c_functions import Call
    from dem.ranks.communicator import Segment

TOGETHER = 3  # number of ranks that count as one machine


class Board:
    """Exchange of objects between threads: of all by a barrier, or of two by mail."""

    def __init__(self, ranks: int) -> None:
        self.barrier = threading.Barrier(ranks)
        self.slots: list = [None] * ranks
        self.mail = {(one, other): queue.SimpleQueue() for one in range(ranks) for other in range(ranks)}
        self.error: BaseException | None = None

    def swap(self, rank: int, thing: object) -> list:
        """Objects of all threads, by rank. An object must not change before its thread calls this again."""
        self.slots[rank] = thing
        self._wait()
        found = list(self.slots)
        self._wait()
        return found

    def receive(self, sender: int, receiver: int) -> object:
        """The next object that one thread has put into the mail for another."""
        while True:
            try:
                return self.mail[sender, receiver].get(timeout=0.1)
            except queue.Empty:
                if self.barrier.broken:
                    self._wait()  # which raises why

    def _wait(self) -> None:
        try:
            self.barrier.wait()
        except threading.BrokenBarrierError:
            if self.error is None:
                raise
            message = f"another rank has failed: {type(self.error).__name__}: {self.error}"
            raise RuntimeError(message) from self.error


class ThreadChannel(Channel):
    """Channel that detects misuse: rows not to be read are NaN, and rows being sent are compared afterwards."""

    def __init__(self, board: Board, rank: int, motion: np.ndarray, columns: int, layout: BufferLayout) -> None:
        super().__init__(motion, columns, layout)
        self.board, self.rank = board, rank
        self.side, self.sent = -1, []

    def _parts(self, routes: list[Segment], side: int) -> list[np.ndarray]:
        return [self.part(route, side) for route in routes]

    def start(self, side: int) -> None:
        """Copy the rows to send, and set the rows to receive to NaN.

        Raises
        ------
        AssertionError
            If the side is the one sent last, which other ranks may be reading.
        """
        if side == self.side:
            message = "rows were written on the side that others read: this is an error of pcdm-dem"
            raise AssertionError(message)
        self.side, self.sent = side, [part.copy() for part in self._parts(self.layout.sent, side)]
        for part in self._parts(self.layout.remote(self.layout.received), side):
            part.fill(np.nan)

    def finish(self) -> None:
        """Receive the rows of this side, and set the rows sent on the other side to NaN: all ranks have read them.

        Raises
        ------
        AssertionError
            If rows have been changed since `start`.
        """
        layout, now = self.layout, self._parts(self.layout.sent, self.side)
        if any(sent.tobytes() != part.tobytes() for sent, part in zip(self.sent, now, strict=True)):
            message = "rows were changed while they were being sent: this is an error of pcdm-dem"
            raise AssertionError(message)
        for part in self._parts(layout.sent, 1 - self.side):
            part.fill(np.nan)
        sent = {route.rank: part for route, part in zip(layout.sent, self.sent, strict=True)}
        found, far = self.board.swap(self.rank, sent), layout.remote(layout.received)
        for route, part in zip(far, self._parts(far, self.side), strict=True):
            part[...] = found[route.rank][self.rank]


class MailChannel(Channel):
    """Channel that only threads of different machines take part in, as others may be inside kernels meanwhile."""

    def __init__(self, board: Board, rank: int, motion: np.ndarray, columns: int, layout: BufferLayout) -> None:
        super().__init__(motion, columns, layout)
        self.board, self.rank, self.side = board, rank, -1

    def start(self, side: int) -> None:
        """Send copies of the rows for threads of other machines."""
        self.side = side
        for route in self.layout.remote(self.layout.sent):
            self.board.mail[self.rank, route.rank].put(self.part(route, side).copy())

    def finish(self) -> None:
        """Receive the rows of threads of other machines."""
        for route in self.layout.remote(self.layout.received):
            self.part(route, self.side)[...] = self.board.receive(route.rank, self.rank)


class Threads(Communicator):
    """Communicator of a thread; `together` threads at a time count as one machine.

    With `by_kernels`, kernels of threads that share memory with all that they exchange rows with exchange reports
    themselves, and misuse of a channel is not detected.
    """

    def __init__(self, board: Board, rank: int, together: int = TOGETHER, *, by_kernels: bool = False) -> None:
        self.board, self.rank, self.ranks, self.by_kernels = board, rank, len(board.slots), by_kernels
        self.called: list = []
        first = rank // together * together
        self.members = range(first, min(first + together, self.ranks))

    def bcast(self, thing: object = None) -> object:
        """Broadcast from rank 0; other ranks get copies."""
        if self.rank == 0:
            self.board.swap(0, pickle.dumps(thing))
            return thing
        return pickle.loads(self.board.swap(self.rank, None)[0])

    def alltoall(self, parcels: list) -> list:
        """Send copies of parcel r to rank r."""
        found = self.board.swap(self.rank, [pickle.dumps(parcel) for parcel in parcels])
        return [pickle.loads(parcels[self.rank]) for parcels in found]

    def gather(self, thing: object) -> list | None:
        """Copies of the objects of all ranks, on rank 0."""
        found = self.allgather(thing)
        return found if self.rank == 0 else None

    def allgather(self, thing: object) -> list:
        """Copies of the objects of all ranks, on every rank."""
        return [pickle.loads(each) for each in self.board.swap(self.rank, pickle.dumps(thing))]

    def allreduce(self, sums: np.ndarray, maxima: np.ndarray) -> None:
        """Sums and maxima over all ranks, in place."""
        found = self.board.swap(self.rank, (sums.copy(), maxima.copy()))
        sums[...] = np.sum([each[0] for each in found], axis=0)
        maxima[...] = np.max([each[1] for each in found], axis=0)

    def exchange_reports(self, report: np.ndarray, reports: np.ndarray, n_maxima: int) -> None:
        """The reports of all ranks, or their maxima and sums in one row."""
        found = np.array(self.board.swap(self.rank, report.copy()))
        if len(reports) == self.ranks:
            reports[...] = found
        else:
            reports[0, :n_maxima], reports[0, n_maxima:] = (
                found[:, :n_maxima].max(axis=0),
                found[:, n_maxima:].sum(axis=0),
            )

    def exchange_call(self, report: np.ndarray, reports: np.ndarray) -> Call | None:
        """A C callback that exchanges the reports, with `by_kernels`."""
        if not self.by_kernels or len(reports) != self.ranks:
            return None

        def swap(*_: int) -> int:
            try:
                self.exchange_reports(report, reports, 0)
            except (RuntimeError, threading.BrokenBarrierError):
                return 1
            return 0

        self.called.append(kind_of_call()(swap))  # kept alive as long as kernels may call it
        return [ctypes.cast(self.called[-1], ctypes.c_void_p).value]

    def channel(self, columns: int, to: list[Segment], of: list[Segment], before: Channel | None) -> Channel:
        """Channel with shared rows within a machine, and copies between machines."""
        del before
        wants = self.board.swap(self.rank, BufferSizes.of(to, of, self.members))
        layout = BufferLayout.among(self.rank, self.members, [wants[member] for member in self.members], to, of)
        motion = np.full(2 * layout.side_rows * len(self.members) * columns, np.nan)
        kind = MailChannel if self.by_kernels else ThreadChannel
        return kind(self.board, self.rank, self.board.swap(self.rank, motion)[self.members[0]], columns, layout)

    def fail(self, error: BaseException) -> None:
        """Wake all threads that wait, which then fail too."""
        if self.board.error is None:
            self.board.error = error
        self.board.barrier.abort()

    @property
    def described(self) -> str:
        """Number of ranks in words."""
        return f"{self.ranks} ranks, threads of one process"


@contextmanager
def in_one_process(
    ranks: int, together: int = TOGETHER, *, by_kernels: bool = False, **ways: object
) -> Iterator[Communicator]:
    """Share the simulations that are made within the context among threads, to bitwise equal results.

    Parameters
    ----------
    ranks : int
        Number of threads.
    together : int
        Threads that count as one machine and share memory; to others, rows are copied.
    by_kernels : bool
        Let kernels take several steps between returns to Python.
    **ways
        Further parameters of `dem.ranks.job_server.JobServer`.
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
