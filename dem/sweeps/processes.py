"""Worker processes and user-defined executors for runs: start, watch, stop, and replacement after a crash."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, ProcessPoolExecutor, as_completed, wait
from multiprocessing import connection
from typing import TYPE_CHECKING

from dem.base import compilation, interrupts
from dem.sweeps.execute_run import carry_out, compile_for
from dem.sweeps.table import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from dem.sweeps.sweep_runs import SweepRun

UNGUARDED = (
    "processes for the runs cannot be started: a script that calls dem.sweep does so below if __name__ == '__main__':, "
    "since each process imports it; or give an executor"
)
DIED = "its process died, maybe of too little memory"
PATIENCE = 0.5  # [s] between polls of runs that are being abandoned


class _Worker:
    """State of this process as a worker of a sweep."""

    def __init__(self) -> None:
        self.ours = self.busy = self.asked = False

    def begin(self, stop: connection.Connection) -> None:
        """Prepare the process: signals now stop the current run, whose data are kept, but not the process."""
        self.ours = compilation.SILENT = True
        compilation.BESIDE = 0  # runs are side by side already
        for number in interrupts.signals():
            signal.signal(number, self._ask)
        threading.Thread(target=self._watch, args=(stop,), daemon=True).start()

    def _ask(self, number: int, frame: object) -> None:
        del number, frame
        self.asked = True

    def _watch(self, stop: connection.Connection) -> None:
        """Wait for the stop signal, or for the death of the parent process."""
        parent = multiprocessing.parent_process().sentinel
        connection.wait([parent, stop])
        os.kill(os.getpid(), signal.SIGTERM)
        connection.wait([parent])
        while self.busy:
            time.sleep(PATIENCE)
        os._exit(128 + signal.SIGTERM)

    def carry_out(self, member: SweepRun) -> Outcome:
        """Execute a run, unless the sweep is being stopped."""
        self.busy = True
        try:
            with interrupts.as_exceptions():  # between these two a signal is either seen or raised
                return Outcome("STOPPED") if self.asked else carry_out(member, quiet=True)
        except KeyboardInterrupt:
            return Outcome("STOPPED")
        finally:
            self.busy = False


WORKER = _Worker()


def begin(stop: connection.Connection) -> None:
    """Initialise a process."""
    WORKER.begin(stop)


def carry_out_alone(member: SweepRun) -> Outcome:
    """Execute a run in this process."""
    return WORKER.carry_out(member)


class Processes:
    """Context manager of a pool of `jobs` worker processes; raises RuntimeError if they cannot be started."""

    def __init__(self, number: int) -> None:
        context = multiprocessing.get_context("spawn")  # what is forked would have the threads of kernels half
        reader, self._stop = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(number, mp_context=context, initializer=begin, initargs=(reader,))
        self.submit = self._pool.submit

    def __enter__(self) -> Processes:
        """Check that a worker starts."""
        try:
            self._pool.submit(os.getpid).result()
        except BrokenExecutor:
            raise RuntimeError(UNGUARDED) from None
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def stop(self) -> None:
        """Ask all runs to stop."""
        self._stop.send_bytes(b"stop")

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Wait for the runs under way."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._stop.close()


def by_processes(
    members: Sequence[SweepRun], first: Sequence[SweepRun], jobs: int, done: Callable[[SweepRun, Outcome], None]
) -> None:
    """Execute all runs in worker processes, after compiling the kernels of `first`; reports each finished run.

    A process that dies breaks the pool, and with it the other current runs. Each of these is then repeated alone, which
    shows the run that failed.
    """
    left, suspects = deque(members), deque()
    while left or suspects:
        alone = bool(suspects) or jobs == 1
        lost = _round(deque([suspects.popleft()]) if suspects else left, first, 1 if alone else jobs, done)
        first = ()
        if alone:
            for member in lost:
                done(member, Outcome("ERROR", error=DIED))
        else:
            suspects += lost


def _round(
    left: deque[SweepRun], first: Sequence[SweepRun], jobs: int, done: Callable[[SweepRun, Outcome], None]
) -> list[SweepRun]:
    """Execute runs until none is left or a worker dies; returns the runs under way at that time."""
    flying = {}
    with Processes(jobs) as pool:
        try:
            wait([pool.submit(compile_for, member, quiet=True) for member in first])
            while left or flying:
                while left and len(flying) < jobs:
                    future = pool.submit(carry_out_alone, left[0])
                    flying[future] = left.popleft()
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    if isinstance(future.exception(), BrokenExecutor):
                        return [*flying.values()]
                    done(flying.pop(future), future.result())
        except BrokenExecutor:
            return [*flying.values()]
        except KeyboardInterrupt:
            pool.stop()
            for future in wait(flying).done:
                outcome = Outcome("STOPPED") if future.exception() else future.result()
                done(flying[future], outcome)
            raise
    return []


def by_executor(
    executor: Executor,
    members: Sequence[SweepRun],
    first: Sequence[SweepRun],
    done: Callable[[SweepRun, Outcome], None],
) -> None:
    """Execute runs with an executor of the user, which receives all of them at once."""
    wait([executor.submit(compile_for, member) for member in first])
    futures = {executor.submit(carry_out, member): member for member in members}
    try:
        for future in as_completed(futures):
            error = future.exception()
            done(futures[future], Outcome("ERROR", error=f"{DIED}: {error}") if error else future.result())
    except BaseException:
        for future in futures:
            future.cancel()
        raise
