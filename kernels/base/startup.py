"""What numba need not do before its first function runs.

When numba loads its first function it asks whether there is a BLAS, by importing scipy's: a third of what a short
run takes, for linear algebra that no kernel has. Functions that have some ask again when they are compiled.
"""

from importlib.util import find_spec

from numba.np import linalg


def put_off_blas():
    """Take it for granted that scipy, where it is installed, has a BLAS."""
    if find_spec("scipy") is None or not hasattr(linalg, "ensure_blas"):
        return
    asks = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath  # noqa: PLC0415, which asks while it is imported

        arraymath.ensure_blas = asks
    finally:
        linalg.ensure_blas = asks
