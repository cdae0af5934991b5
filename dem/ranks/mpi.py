"""Ranks by MPI, one process each. Imported only where a launcher has started several."""

from __future__ import annotations

import os
import sys
import time
import traceback
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from dem.ranks.buffer_layout import BufferLayout, BufferSizes
from dem.ranks.communicator import Channel, Communicator
from dem.ranks.shared_memory import in_common

if TYPE_CHECKING:
    from dem.ranks.buffer_layout import Segment
    from dem.ranks.c_functions import Call

KEEN, SLEEP, IDLE = 2e-3, 2e-4, 5e-3  # s that somebody waits for an order with a busy core, and between looks after
# that: a hundredth of how long he has waited, within these
MORE = 1.25  # times the memory that is needed now


class Messages(Channel):
    """Memory that ranks of this machine have in common; to others persistent requests, straight from it and into it."""

    def __init__(self, world: MPI.Comm, motion: np.ndarray, columns: int, places: BufferLayout) -> None:
        super().__init__(motion, columns, places)
        self.requests = [
            [
                *(world.Recv_init(self.part(r, side), source=r.rank) for r in places.far(places.heard)),
                *(world.Send_init(self.part(r, side), dest=r.rank) for r in places.far(places.told)),
            ]
            for side in range(2)
        ]
        self.under_way: list[MPI.Prequest] = []

    def start(self, side: int) -> None:
        """Send, and be ready to receive."""
        self.under_way = self.requests[side]
        if self.under_way:
            MPI.Prequest.Startall(self.under_way)

    def hasten(self) -> None:
        """Look whether there is anything to do."""
        if self.under_way:
            MPI.Request.Testall(self.under_way)

    def finish(self) -> None:
        """Wait for all."""
        if self.under_way:
            MPI.Request.Waitall(self.under_way)

    def close(self) -> None:
        """Give requests back."""
        for request in (*self.requests[0], *self.requests[1]):
            request.Free()
        self.requests, self.under_way = [[], []], []


class World(Communicator):
    """All processes that the launcher has started."""

    def __init__(self) -> None:
        self.world = MPI.COMM_WORLD.Dup()
        self.rank, self.ranks = self.world.Get_rank(), self.world.Get_size()
        self.machine = self.world.Split_type(MPI.COMM_TYPE_SHARED)
        self.members = self.machine.allgather(self.rank)  # ranks of this machine
        mine, others = _cores(), self.machine.allgather(_cores())
        self._cores = sum(1 / sum(core in cores for cores in others) for core in mine)
        self.cores = min(self.world.allgather(self._cores))

    def bcast(self, thing: object = None) -> object:
        """What rank 0 says. Who waits long for it leaves his core to others."""
        here, began = self.world.Ibarrier(), time.perf_counter()
        while not here.Test():
            waited = time.perf_counter() - began
            if waited > KEEN:
                time.sleep(min(max(SLEEP, 0.01 * waited), IDLE))
        return self.world.bcast(thing)

    def alltoall(self, parcels: list) -> list:
        """All to all."""
        return self.world.alltoall(parcels)

    def gather(self, thing: object) -> list | None:
        """All to rank 0."""
        return self.world.gather(thing)

    def allgather(self, thing: object) -> list:
        """All to all, the same."""
        return self.world.allgather(thing)

    def allreduce(self, sums: np.ndarray, most: np.ndarray) -> None:
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

    def call_to_swap(self, report: np.ndarray, reports: np.ndarray) -> Call | None:
        """The function of C, if reports are handed on as they are."""
        from dem.ranks.c_functions import address_of  # noqa: PLC0415, with numba, which is to know its threads first

        address = address_of(MPI.__file__, "MPI_Allgather")
        if not address or len(reports) != self.ranks:
            return None
        kind, world = MPI._handleof(MPI.INT64_T), MPI._handleof(self.world)  # noqa: SLF001, there is no other way
        return [address, report.ctypes.data, report.size, kind, reports.ctypes.data, report.size, kind, world]

    def channel(self, columns: int, to: list[Segment], of: list[Segment], before: Messages | None) -> Messages:
        """By memory in common on this machine, by messages to others."""
        members = self.members
        wants = self.machine.allgather(BufferSizes.of(to, of, members))
        places = BufferLayout.among(self.rank, members, wants, to, of)
        size = columns * 2 * places.room * len(members)
        motion = before.motion if before else np.zeros(0)
        if before:
            before.close()
        if size > motion.size:
            motion = self._memory(int(MORE * size))
        if motion is None:  # nothing is in common here: all get on by messages
            self._keep_apart()
            return self.channel(columns, to, of, None)
        return Messages(self.world, motion, columns, places)

    def _memory(self, size: int) -> np.ndarray | None:
        """So many numbers for all of this machine, if that can be had."""
        if len(self.members) == 1:
            return np.zeros(size)
        found = in_common(self.machine, 8 * size)
        return None if found is None else found.view(float)

    def _keep_apart(self) -> None:
        """Have each rank be a machine of its own."""
        self.machine, self.members = MPI.COMM_SELF, [self.rank]

    def fail(self, error: BaseException) -> None:
        """Say what happened, and end all processes."""
        text = "".join(traceback.format_exception(error)) if os.environ.get("PCDM_DEM_TRACE") else ""
        sys.stderr.write(f"{text}rank {self.rank} of {self.ranks}: {type(error).__name__}: {error}; all ranks end\n")
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(1)

    def threads_each(self) -> int:
        """Cores for this rank: each core is split among the ranks of this machine that may run on it."""
        return max(1, int(self._cores + 1e-9))


def _cores() -> set[int]:
    """Those that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def end() -> None:
    """Leave MPI."""
    if not MPI.Is_finalized():
        MPI.Finalize()
