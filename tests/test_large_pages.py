"""Memory for arrays: separate, zero at first, released, and with the same results without large pages."""

import gc
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dem.base import large_pages as pages

SIZES = (
    0,
    1,
    7,
    pages.MIN_BYTES // 8 - 1,
    pages.MIN_BYTES // 8,
    30_000,
    pages.TOGETHER // 32,
    pages.TOGETHER // 32 + 1,
)
has_large = pytest.mark.skipif(pages.ASKED is None, reason="the system knows no large pages")
SHAPES = [size for size in SIZES for _ in range(3)] + [(3, 7001), (7001, 3), (0, 4), (4, 0), (2, 5, 4001)]


@pytest.fixture(autouse=True)
def nothing_else_to_collect():
    """Collections look at what a test makes, not at all that was compiled before."""
    gc.freeze()


def test_arrays_begin_with_lines_hold_zeros_and_are_nobody_elses():
    made = [pages.zeros(shape, dtype) for shape in SHAPES for dtype in (float, np.int32, np.int8)]
    for k, array in enumerate(made):
        assert array.ctypes.data % pages.LINE == 0 or not array.size
        assert not array.any()
        array[...] = k % 100 + 1
    assert all((array == k % 100 + 1).all() for k, array in enumerate(made))


@has_large
def test_many_numbers_begin_on_pages_of_their_own():
    assert pages.zeros(pages.TOGETHER).ctypes.data % pages.LARGE == 0


@has_large
def test_memory_that_nobody_uses_is_used_again_and_cleared_where_zeros_are_asked_for():
    size = pages.TOGETHER // 8  # numbers; of a length of its own, so that nobody else takes it
    one = pages.full(size, 7.0, float)
    place = one.ctypes.data
    other = pages.zeros(size)  # while the first is there
    assert other.ctypes.data != place
    del one
    gc.collect()
    again = pages.zeros(size)
    assert again.ctypes.data == place
    assert not again.any()


@has_large
def test_memory_that_was_used_last_is_used_again_first(monkeypatch):
    """It is the memory that the caches know, and which the system has found already."""
    monkeypatch.setattr(pages, "_spare", deque())
    size = 3 * pages.LARGE
    several = [pages.LargePages(size) for _ in range(3)]
    places = [one.memory.ctypes.data for one in several]
    for k in (1, 2, 0):
        several[k] = None
        gc.collect()
    again = [pages.LargePages(size) for _ in range(3)]
    assert [one.memory.ctypes.data for one in again] == [places[0], places[2], places[1]]


@has_large
def test_part_of_an_array_keeps_its_memory():
    size = pages.TOGETHER // 8
    one = pages.full(size, 7.0, float)
    part = one[5:9]
    del one
    gc.collect()
    pages.zeros(size)
    assert (part == 7.0).all()


@has_large
@pytest.mark.parametrize("used", [0, 4])
def test_no_more_is_kept_than_is_said_or_is_in_use(used, monkeypatch):
    size = 3 * pages.LARGE
    each = size + pages.LARGE
    monkeypatch.setattr(pages, "SPARE", 2 * each)
    monkeypatch.setattr(pages, "_spare", deque())
    monkeypatch.setattr(pages, "_in_use", {})
    kept = [pages.LargePages(size) for _ in range(used)]
    gone = [pages.LargePages(size) for _ in range(7)]
    del gone
    gc.collect()
    assert len(kept) == used
    assert sum(map(len, pages._spare)) == max(2, used) * each


@has_large
def test_arrays_made_apart_share_pages_with_no_others():
    """So these are free when they are gone, whatever else was made before and since."""
    size = pages.MIN_BYTES // 8
    before = pages.empty(size)
    with pages.own_pages():
        inside = [pages.empty(size) for _ in range(2)]
    after = pages.empty(size)
    assert inside[1].ctypes.data - inside[0].ctypes.data == size * 8
    assert inside[0].base is inside[1].base  # the memory of their pages
    assert inside[0].base is not before.base
    assert inside[0].base is not after.base


@has_large
def test_what_is_too_large_for_what_is_left_is_refused():
    own = pages.LargePages(pages.LARGE)
    assert own.take(pages.LARGE + 1, clear=True) is None
    assert own.take(pages.LARGE, clear=True).size == pages.LARGE
    assert own.take(1, clear=True) is None


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


@has_large
def test_a_system_that_has_no_large_pages_after_all_gives_usual_ones(monkeypatch):
    monkeypatch.setattr(pages, "ASKED", -1)  # no advice that any system knows
    assert not pages.LargePages(pages.LARGE).take(pages.LARGE, clear=True).any()


@has_large
def test_more_than_there_is_is_a_lack_of_memory():
    with pytest.raises(MemoryError, match="no memory for"):
        pages.LargePages(1 << 62)
