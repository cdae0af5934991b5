"""Communicator by MPI, a process for each rank. Imported only under a launcher with several processes."""

from __future__ import annotations

import os
import sys
import time
import traceback
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from dem.ranks.communicator import BufferLayout, BufferSizes, Channel, Communicator
from dem.ranks.shared_memory import shared_bytes

if TYPE_CHECKING:
    from dem.ranks.c_functions import Call
    from dem.ranks.communicator import Segment

# Waiting for an order [s]: a rank polls without sleep for KEEN, then sleeps between polls for a hundredth of the time
# that it has waited, at least SLEEP and at most IDLE
KEEN, SLEEP, IDLE = 2e-3, 2e-4, 5e-3
MORE = 1.25  # buffers are allocated larger than needed by this factor


class MpiChannel(Channel):
    """Shared memory among the ranks of a machine, and persistent MPI requests to ranks of other machines."""

    def __init__(self, world: MPI.Comm, motion: np.ndarray, columns: int, layout: BufferLayout) -> None:
        super().__init__(motion, columns, layout)
        self.requests = [
            [
                *(world.Recv_init(self.part(r, side), source=r.rank) for r in layout.remote(layout.received)),
                *(world.Send_init(self.part(r, side), dest=r.rank) for r in layout.remote(layout.sent)),
            ]
            for side in range(2)
        ]
        self.under_way: list[MPI.Prequest] = []

    def start(self, side: int) -> None:
        """Start all requests of a side."""
        self.under_way = self.requests[side]
        if self.under_way:
            MPI.Prequest.Startall(self.under_way)

    def hasten(self) -> None:
        """Let the MPI library progress the requests."""
        if self.under_way:
            MPI.Request.Testall(self.under_way)

    def finish(self) -> None:
        """Wait for all requests."""
        if self.under_way:
            MPI.Request.Waitall(self.under_way)

    def close(self) -> None:
        """Free the requests."""
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
        """Broadcast from rank 0; ranks that wait long sleep, so that others may use their cores."""
        here, began = self.world.Ibarrier(), time.perf_counter()
        while not here.Test():
            waited = time.perf_counter() - began
            if waited > KEEN:
                time.sleep(min(max(SLEEP, 0.01 * waited), IDLE))
        return self.world.bcast(thing)

    def alltoall(self, parcels: list) -> list:
        """Send parcel r to rank r; returns the parcels received."""
        return self.world.alltoall(parcels)

    def gather(self, thing: object) -> list | None:
        """Objects of all ranks, on rank 0."""
        return self.world.gather(thing)

    def allgather(self, thing: object) -> list:
        """Objects of all ranks, on every rank."""
        return self.world.allgather(thing)

    def allreduce(self, sums: np.ndarray, maxima: np.ndarray) -> None:
        """Both reductions at once, in place."""
        requests = [
            self.world.Iallreduce(MPI.IN_PLACE, sums, MPI.SUM), self.world.Iallreduce(MPI.IN_PLACE, maxima, MPI.MAX)
        ]  # fmt: skip
        MPI.Request.Waitall(requests)

    def exchange_reports(self, report: np.ndarray, reports: np.ndarray, n_maxima: int) -> None:
        """One allgather, or two reductions at once."""
        if len(reports) == self.ranks:
            self.world.Allgather(report, reports)
            return
        reports[0] = report
        maxima, sums = reports[0, :n_maxima], reports[0, n_maxima:]
        requests = [
            self.world.Iallreduce(MPI.IN_PLACE, maxima, MPI.MAX), self.world.Iallreduce(MPI.IN_PLACE, sums, MPI.SUM)
        ]  # fmt: skip
        MPI.Request.Waitall(requests)

    def exchange_call(self, report: np.ndarray, reports: np.ndarray) -> Call | None:
        """The C function ``MPI_Allgather`` with its arguments, if every rank combines the reports itself."""
        from dem.ranks.c_functions import address_of  # noqa: PLC0415, imports numba, whose number of threads must be set before

        address = address_of(MPI.__file__, "MPI_Allgather")
        if not address or len(reports) != self.ranks:
            return None
        kind, world = MPI._handleof(MPI.INT64_T), MPI._handleof(self.world)  # noqa: SLF001, mpi4py has no public function for this
        return [address, report.ctypes.data, report.size, kind, reports.ctypes.data, report.size, kind, world]

    def channel(self, columns: int, to: list[Segment], of: list[Segment], before: MpiChannel | None) -> MpiChannel:
        """Channel through shared memory on this machine, and through messages to others."""
        members = self.members
        wants = self.machine.allgather(BufferSizes.of(to, of, members))
        layout = BufferLayout.among(self.rank, members, wants, to, of)
        size = columns * 2 * layout.side_rows * len(members)
        motion = before.motion if before else np.zeros(0)
        if before:
            before.close()
        if size > motion.size:
            shared = shared_bytes(self.machine, 8 * int(MORE * size)) if len(members) > 1 else None
            if len(members) > 1 and shared is None:  # no shared memory here: each rank is a machine of its own
                self.machine, self.members = MPI.COMM_SELF, [self.rank]
                return self.channel(columns, to, of, None)
            motion = np.zeros(int(MORE * size)) if shared is None else shared.view(float)
        return MpiChannel(self.world, motion, columns, layout)

    def fail(self, error: BaseException) -> None:
        """Print the error, and abort all processes."""
        text = "".join(traceback.format_exception(error)) if os.environ.get("PCDM_DEM_TRACE") else ""
        sys.stderr.write(f"{text}rank {self.rank} of {self.ranks}: {type(error).__name__}: {error}; all ranks end\n")
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(1)

    def threads_each(self) -> int:
        """Number of threads of this rank: cores that several ranks may use are divided among them."""
        return max(1, int(self._cores + 1e-9))


def _cores() -> set[int]:
    """Cores on which this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def end() -> None:
    """Finalize MPI."""
    if not MPI.Is_finalized():
        MPI.Finalize()
