"""Ranks that are threads of one process, in lockstep: for tests, and to see what shares cost."""

from __future__ import annotations

import pickle
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from dem.ranks import crew
from dem.ranks.communicator import Channel, Communicator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.ranks.communicator import Route


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
    """Rows copied from the arrays of others, who are waited for; what may not be touched meanwhile is watched."""

    def __init__(self, board: Board, rank: int, told: np.ndarray, to: list[Route], heard: np.ndarray, of: list) -> None:
        self.board, self.rank, self.told, self.heard, self.of = board, rank, told, heard, of
        self.to = {route.rank: route for route in to}
        self.sent = told

    def start(self) -> None:
        """Note what is sent; nobody is to rely on what was heard before."""
        self.sent = self.told.copy()
        self.heard.fill(np.nan)

    def finish(self) -> None:
        """Copy, when all are there.

        Raises
        ------
        AssertionError
            If what was told has been changed since it was sent.
        """
        if self.sent.tobytes() != self.told.tobytes():
            message = "what is told was changed while it was being sent: this is an error of pcdm-dem"
            raise AssertionError(message)
        found = self.board.swap(self.rank, (self.sent, self.to))
        for route in self.of:
            told, to = found[route.rank]
            sent = to[self.rank]
            self.heard[route.first : route.stop] = told[sent.first : sent.stop]
        self.board.swap(self.rank, None)


class Threads(Communicator):
    """A thread among others."""

    def __init__(self, board: Board, rank: int) -> None:
        self.board, self.rank, self.ranks = board, rank, len(board.slots)

    def told(self, thing: object = None) -> object:
        """What rank 0 says; others get a copy."""
        if self.rank == 0:
            self.board.swap(0, pickle.dumps(thing))
            return thing
        return pickle.loads(self.board.swap(self.rank, None)[0])

    def deal(self, parcels: list) -> list:
        """Hand copies on."""
        found = self.board.swap(self.rank, [pickle.dumps(parcel) for parcel in parcels])
        return [pickle.loads(parcels[self.rank]) for parcels in found]

    def collect(self, thing: object) -> list | None:
        """Copies, at rank 0."""
        found = self.all_told(thing)
        return found if self.rank == 0 else None

    def all_told(self, thing: object) -> list:
        """Copies, to all."""
        return [pickle.loads(said) for said in self.board.swap(self.rank, pickle.dumps(thing))]

    def combine(self, sums: np.ndarray, most: np.ndarray) -> None:
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

    def channel(self, told: np.ndarray, to: list[Route], heard: np.ndarray, of: list[Route]) -> Channel:
        """Copies of rows."""
        return Told(self.board, self.rank, told, to, heard, of)

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
def in_one_process(ranks: int, **ways: object) -> Iterator[Communicator]:
    """Have so many threads share the simulations that are made meanwhile; see `dem.ranks.crew.Crew` for the ways.

    The result is that of one process, bit for bit.
    """
    board = Board(ranks)
    others = [threading.Thread(target=crew.serve, args=(Threads(board, r),), daemon=True) for r in range(1, ranks)]
    for thread in others:
        thread.start()
    mine = Threads(board, 0)
    with crew.at_work(crew.Crew(mine, **ways)):
        yield mine
    for thread in others:
        thread.join(timeout=10.0)
