"""Memory for arrays: nobody else's, zero at first, given back, and the same numbers where there are no large pages."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dem.base import pages

SIZES = (0, 1, 7, pages.LEAST // 8 - 1, pages.LEAST // 8, 30_000, pages.TOGETHER // 32, pages.TOGETHER // 32 + 1)
SHAPES = [size for size in SIZES for _ in range(3)] + [(3, 7001), (7001, 3), (0, 4), (4, 0), (2, 5, 4001)]


def test_arrays_begin_with_lines_hold_zeros_and_are_nobody_elses():
    made = [pages.zeros(shape, dtype) for shape in SHAPES for dtype in (float, np.int32, np.int8)]
    for k, array in enumerate(made):
        assert array.ctypes.data % pages.LINE == 0 or not array.size
        assert not array.any()
        array[...] = k % 100 + 1
    assert all((array == k % 100 + 1).all() for k, array in enumerate(made))


@pytest.mark.skipif(pages.ASKED is None, reason="the system knows no large pages")
def test_many_numbers_begin_on_pages_of_their_own():
    assert pages.zeros(pages.TOGETHER).ctypes.data % pages.LARGE == 0


def test_memory_goes_when_the_last_array_does():
    own = pages.Pages(pages.LARGE) if pages.ASKED is not None else pytest.skip("the system knows no large pages")
    gone = weakref.ref(own.memory.base.obj if isinstance(own.memory.base, memoryview) else own.memory.base)
    one, other = own.take(1000).view(float), own.take(1000)
    del own, one
    gc.collect()
    assert gone() is not None
    assert not other.any()
    del other
    gc.collect()
    assert gone() is None


def test_what_is_too_large_for_what_is_left_is_refused():
    if pages.ASKED is None:
        pytest.skip("the system knows no large pages")
    own = pages.Pages(pages.LARGE)
    assert own.take(pages.LARGE + 1) is None
    assert own.take(pages.LARGE).size == pages.LARGE
    assert own.take(1) is None


def test_threads_get_different_memory():
    def own(k: int) -> np.ndarray:
        return pages.full(50_000, k, np.int64)

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(own, range(64)))
    assert all((array == k).all() for k, array in enumerate(made))


def test_where_there_are_no_large_pages_arrays_are_the_same(monkeypatch):
    values = np.arange(60_000.0).reshape(3, -1).T
    large = pages.copied(values)
    monkeypatch.setattr(pages, "ASKED", None)
    usual = pages.copied(values)
    np.testing.assert_array_equal(large, usual)
    assert usual.ctypes.data % pages.LINE == 0
    assert all(array.flags.carray for array in (large, usual))  # in one piece, aligned, writeable
