"""Number of threads for sweeps: all that a run may have, or one where other programs keep the cores busy.

A sweep waits for the last of its threads: if one of them gets no core, all others wait. Only a trial shows whether that
is so: now and then a few steps are taken with the other number of threads, and the faster number stays. No bit of the
result depends on it.
"""

import math
from collections.abc import Callable
from time import perf_counter

from dem.kernels.compiler.jit import set_threads
from dem.kernels.soft.chunks import CHUNK, Serial, Threaded

BATCH, MANY = 0.05, 64  # s of steps from one look at the clock to the next, and the fewest: each look costs a sweep
TRIAL, FEW = 0.005, 4  # s of steps taken the other way, and the fewest, also of the first looks
SOON, SELDOM = 0.1, 4.0  # s from one trial to the next, at first, and where trials have been in vain
SHARE = 0.025  # of the time that trials may take
LOOKS = 3  # of so few steps before the first trial of a way: the first steps of all are slow
RECENT = 25  # batches that a trial is compared with
FASTER = 0.9  # of the time of a step that the other way must take to be preferred


def mode_for(bodies: int, threads: int) -> Serial | Threaded:
    """Whether kernels spread the work over threads: not if it is a single chunk."""
    return Threaded() if threads > 1 and bodies > CHUNK else Serial()


class Pace:
    """What steps take on many threads and on one.

    Parameters
    ----------
    threads : int
        The most.
    clock : callable
        Time now [s].

    Examples
    --------
    >>> pace = Pace(1)
    >>> pace.begin(1000), pace.threads  # one thread has no other way
    (1000, 1)
    """

    def __init__(self, threads: int, clock: Callable[[], float] = perf_counter) -> None:
        self.most = self.threads = threads
        self.clock = clock
        self._begun = 0.0
        self._due, self._apart = -math.inf, SOON  # when to try the other way, and the pause before that [s]
        self._took: list[float] = []  # seconds a step in recent batches
        self._other = math.inf  # and the other way, when it was tried last
        self._tries = False

    def begin(self, wanted: int) -> int:
        """How many of the steps wanted to take before the next look at the clock, which is now."""
        if self.most == 1:
            return wanted
        set_threads(self.threads)
        self._begun = self.clock()
        if len(self._took) < LOOKS:
            return min(wanted, FEW)
        if self._tries:
            return min(wanted, max(FEW, int(TRIAL / max(self._usual(), self._other))))
        return min(wanted, max(MANY, int(BATCH / self._took[-1])))

    def end(self, steps: int) -> None:
        """So many steps have been taken."""
        if self.most > 1 and steps > 0:
            now = self.clock()
            self._note(max(now - self._begun, 1e-9) / steps, now)

    def _usual(self) -> float:
        """Seconds a step in recent undisturbed batches: the first quartile."""
        return sorted(self._took)[len(self._took) // 4]

    def _note(self, took: float, now: float) -> None:
        """Keep the faster number of threads, and find whether it is time to try the other."""
        if self._tries:
            self._tries = False
            if took < FASTER * self._usual():
                self._other, self._took = self._usual(), []
                self._apart, self._due = SOON, now  # so that it is tried again at once
            else:
                self._switch()
                self._other, self._apart = took, min(2 * self._apart, SELDOM)
                self._due = now + max(self._apart, (now - self._begun) / SHARE)
            return
        self._took = [*self._took[1 - RECENT :], took]
        if len(self._took) >= LOOKS and now >= self._due:
            self._tries = True
            self._switch()

    def _switch(self) -> None:
        """Take the next steps with the other number of threads."""
        self.threads = 1 if self.threads > 1 else self.most
