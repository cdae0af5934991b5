"""Settings of numba: shorter start, choice of the threading layer, waiting of threads.

When numba loads its first function, it imports scipy to test whether there is a BLAS, which takes long. No kernel
contains linear algebra, so `assume_blas` skips this test. Functions that contain linear algebra make the test when they
are compiled.
"""

import os
from contextlib import contextmanager
from importlib.util import find_spec

import numba
from numba.np import linalg

# Turns that a thread spins while it waits, before it sleeps: a tenth of a millisecond, between two loops. GNU's library
# takes 300 000, and on a machine that has other things to do the one waited for gets no core meanwhile: steps
# took twenty times as long on two threads as on one. With few turns many a loop waits for the system to wake a thread:
# 300 cost an idle machine a third of its speed with 3000 spheres, 30 000 nothing (with 30 000 spheres, a tenth), and
# beside two busy processes both are alike, twice as fast as 300 000.
SPIN_COUNT = "30000"
CHOSEN_BY_USERS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")

# Threading layers, the best first. numba would take TBB wherever that is installed, and a process that has used it some
# thousand times may never end: numba 0.68 waits for TBB's threads, and one of them for work. OpenMP is no slower.
LAYERS, LAYERS_BY_USERS = ["omp", "tbb", "workqueue"], "NUMBA_THREADING_LAYER_PRIORITY"


def prefer_openmp():
    """Let numba prefer OpenMP to TBB in this process, unless the user has set an order."""
    if LAYERS_BY_USERS not in os.environ:
        numba.config.THREADING_LAYER_PRIORITY = LAYERS


@contextmanager
def shorten_spinning():
    """Let threads of GNU OpenMP spin for SPIN_COUNT turns before they sleep, unless the user has set this."""
    if any(name in os.environ for name in CHOSEN_BY_USERS):
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = SPIN_COUNT
    try:
        yield
    finally:
        os.environ.pop("GOMP_SPINCOUNT", None)  # not for others, and not for other programs


def assume_blas():
    """Assume that an installed scipy has a BLAS, without a test."""
    if find_spec("scipy") is None or not hasattr(linalg, "ensure_blas"):
        return
    asks = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath  # noqa: PLC0415, which asks while it is imported

        arraymath.ensure_blas = asks
    finally:
        linalg.ensure_blas = asks
