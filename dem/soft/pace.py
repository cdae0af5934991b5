"""How many threads sweeps are spread over: all that a run may have, or one where others keep the cores busy.

A sweep waits for the last of its threads, and where one of them gets no core all others wait: beside other work steps
took six times as long on two threads as on one. Whether it is so is not to be known but by trying: now and then a few
steps are taken the other way, and the faster one is kept. No bit of the result depends on it.
"""

import math
from collections.abc import Callable
from statistics import median
from time import perf_counter

from kernels.base.jit import set_threads

BATCH = 0.02  # s, steps between two looks at the clock
TRIAL = 0.005  # s, of steps taken the other way
BATCHES, MOST_APART = 25, 200  # between two trials: at first, and where trials have been in vain
FEW = 4  # steps of the first looks, when it is not known how long a step takes
FASTER = 0.9  # of the time of a step that the other way must take to be preferred


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
        self._until = self._apart = 1  # batches until the next trial, and between the last two
        self._took: list[float] = []  # seconds a step in each of them
        self._other = math.inf  # and the other way, when it was tried last
        self._tries = False

    def begin(self, wanted: int) -> int:
        """How many of the steps wanted to take before the next look at the clock, which is now."""
        if self.most == 1:
            return wanted
        set_threads(self.threads)
        self._begun = self.clock()
        if not self._took:
            return min(wanted, FEW)
        span, took = (TRIAL, max(median(self._took), self._other)) if self._tries else (BATCH, median(self._took))
        return min(wanted, max(FEW, int(span / took)))

    def end(self, steps: int) -> None:
        """So many steps have been taken."""
        if self.most > 1 and steps > 0:
            self._note(max(self.clock() - self._begun, 1e-9) / steps)

    def _note(self, took: float) -> None:
        """Keep to the way that is faster, and see whether it is time to try the other."""
        if self._tries:
            self._tries = False
            if took < FASTER * median(self._took):
                self._other, self._took, self._apart = median(self._took), [took], BATCHES
            else:
                self._turn()
                self._other = took
                self._apart = min(2 * max(self._apart, BATCHES), MOST_APART)
            self._until = self._apart
            return
        self._took = [*self._took[1 - BATCHES :], took]
        self._until -= 1
        if self._until == 0:
            self._tries = True
            self._turn()

    def _turn(self) -> None:
        """Take the next steps the other way."""
        self.threads = 1 if self.threads > 1 else self.most
