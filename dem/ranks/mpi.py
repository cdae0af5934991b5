"""Ranks by MPI, one process each. Imported only where a launcher has started several."""

from __future__ import annotations

import os
import sys
import time
import traceback
from typing import TYPE_CHECKING

from mpi4py import MPI

from dem.ranks.communicator import Channel, Communicator

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from dem.ranks.communicator import Route

KEEN, SLEEP, IDLE = 2e-3, 2e-4, 5e-3  # s that somebody waits for an order with a busy core, and between looks after
# that: a hundredth of how long he has waited, within these


class Messages(Channel):
    """Persistent requests, straight from and into the arrays."""

    def __init__(self, world: MPI.Comm, told: np.ndarray, to: list[Route], heard: np.ndarray, of: list[Route]) -> None:
        self.requests = [world.Recv_init(heard[r.first : r.stop], source=r.rank) for r in of]
        self.requests += [world.Send_init(told[r.first : r.stop], dest=r.rank) for r in to]

    def start(self) -> None:
        """Send, and be ready to receive."""
        if self.requests:
            MPI.Prequest.Startall(self.requests)

    def hasten(self) -> None:
        """Look whether there is anything to do."""
        if self.requests:
            MPI.Request.Testall(self.requests)

    def finish(self) -> None:
        """Wait for all."""
        if self.requests:
            MPI.Request.Waitall(self.requests)

    def close(self) -> None:
        """Give them back."""
        for request in self.requests:
            request.Free()
        self.requests = []


class World(Communicator):
    """All processes that the launcher has started."""

    def __init__(self) -> None:
        self.world = MPI.COMM_WORLD.Dup()
        self.rank, self.ranks = self.world.Get_rank(), self.world.Get_size()

    def told(self, thing: object = None) -> object:
        """What rank 0 says. Who waits long for it leaves his core to others."""
        here, began = self.world.Ibarrier(), time.perf_counter()
        while not here.Test():
            waited = time.perf_counter() - began
            if waited > KEEN:
                time.sleep(min(max(SLEEP, 0.01 * waited), IDLE))
        return self.world.bcast(thing)

    def deal(self, parcels: list) -> list:
        """All to all."""
        return self.world.alltoall(parcels)

    def collect(self, thing: object) -> list | None:
        """All to rank 0."""
        return self.world.gather(thing)

    def all_told(self, thing: object) -> list:
        """All to all, the same."""
        return self.world.allgather(thing)

    def combine(self, sums: np.ndarray, most: np.ndarray) -> None:
        """Both at once."""
        requests = [
            self.world.Iallreduce(MPI.IN_PLACE, sums, MPI.SUM), self.world.Iallreduce(MPI.IN_PLACE, most, MPI.MAX)
        ]  # fmt: skip
        MPI.Request.Waitall(requests)

    def swap_reports(self, report: np.ndarray, reports: np.ndarray, most: int) -> None:
        """One message a rank, or two reductions at once."""
        if len(reports) == self.ranks:
            self.world.Allgather(report, reports)
            return
        reports[0] = report
        maxima, sums = reports[0, :most], reports[0, most:]
        requests = [
            self.world.Iallreduce(MPI.IN_PLACE, maxima, MPI.MAX), self.world.Iallreduce(MPI.IN_PLACE, sums, MPI.SUM)
        ]  # fmt: skip
        MPI.Request.Waitall(requests)

    def channel(self, told: np.ndarray, to: list[Route], heard: np.ndarray, of: list[Route]) -> Channel:
        """Messages straight to each rank that is concerned."""
        return Messages(self.world, told, to, heard, of)

    def fail(self, error: BaseException) -> None:
        """Say what happened, and end all processes."""
        text = "".join(traceback.format_exception(error)) if os.environ.get("PCDM_DEM_TRACE") else ""
        sys.stderr.write(f"{text}rank {self.rank} of {self.ranks}: {type(error).__name__}: {error}; all ranks end\n")
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(1)

    def threads_each(self) -> int:
        """Cores for this rank: each core is split among the ranks of this machine that may run on it."""
        node = self.world.Split_type(MPI.COMM_TYPE_SHARED)
        mine = _cores()
        others: Iterable[set[int]] = node.allgather(mine)
        node.Free()
        share = sum(1 / sum(core in cores for cores in others) for core in mine)
        return max(1, int(share + 1e-9))


def _cores() -> set[int]:
    """Those that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def end() -> None:
    """Leave MPI."""
    if not MPI.Is_finalized():
        MPI.Finalize()
