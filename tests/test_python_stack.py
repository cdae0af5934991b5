"""Python's stack of frames where kernels are compiled."""

import sys

import pytest
from dem.kernels.compiler.python_stack import deep_stack

resource = pytest.importorskip("resource")
CALLS = 500


def page_faults(depth):
    """Pages of memory that calls from this depth of the stack map, beside some for what is new."""

    def call(levels):
        if levels:
            return call(levels - 1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(CALLS):
            nothing()
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    return call(depth)


def nothing():
    """Do nothing, in a frame."""


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="of this interpreter's stack")
def test_calls_within_map_no_memory_at_any_depth():
    """Without it some depths map a chunk of the stack at each call (CPython 3.11 to 3.13)."""
    depths = range(min(400, sys.getrecursionlimit() // 2))
    assert deep_stack(lambda: max(map(page_faults, depths)))() < CALLS / 2
