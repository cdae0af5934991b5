"""Lists of selected indices and sorted lists: equal by eights and one by one, and nothing written beyond the room."""

import numpy as np
import pytest
from dem.kernels.compiler.jit import kernel
from dem.kernels.domain.periodic import NoImages
from dem.kernels.simd import compress
from dem.kernels.simd.sort import LONGEST, sort_by_counting, sort_by_insertion, sort_short
from dem.kernels.soft.contact.contact_detection import list_touching
from dem.kernels.soft.neighbours import neighbour_list
from dem.kernels.soft.neighbours.neighbour_list import search_row

SIZES = (0, 1, 7, 8, 9, 15, 16, 64, 1003)


@kernel
def listed_by(first, overlap, beyond, touching, row):
    """List them; as `dem.kernels.soft.contact.contact_detection.list_touching`."""
    return list_touching(first, overlap, beyond, touching, row)


def one_by_one(first: int, overlap: np.ndarray, beyond: float) -> tuple[np.ndarray, np.ndarray]:
    """What `list_touching` says it writes."""
    counts = overlap > -beyond
    return np.flatnonzero(counts), np.where(counts, first + np.cumsum(counts) - 1, 0)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.7, 1.0])
@pytest.mark.parametrize("beyond", [0.0, 0.25])
def test_a_list_by_eights_is_that_made_one_by_one(share, beyond):
    rng = np.random.default_rng(3)
    for size in SIZES:
        overlap = np.where(rng.random(size) < share, rng.random(size), -rng.random(size))
        overlap[rng.random(size) < 0.1] = 0.0  # just touching: no contact
        overlap[rng.random(size) < 0.1] = -beyond
        touching, row = np.full(size + 16, -7, np.int32), np.full(size + 16, -7, np.int32)
        number = listed_by(11, overlap, beyond, touching[8 : 8 + size], row[8 : 8 + size])
        numbers, rows = one_by_one(11, overlap, beyond)
        assert number == numbers.size
        np.testing.assert_array_equal(touching[8 : 8 + number], numbers)
        np.testing.assert_array_equal(row[8 : 8 + size], rows)
        for array in (touching, row):  # before and behind
            assert (array[:8] == -7).all()
            assert (array[8 + size :] == -7).all()


def test_what_is_no_number_does_not_touch():
    overlap = np.full(24, np.nan)
    touching, row = np.zeros(24, np.int32), np.full(24, -7, np.int32)
    assert listed_by(0, overlap, 0.0, touching, row) == 0
    assert not row.any()


@kernel
def near_by(begin, end, b, takes_all, centre, bounds, position, kind, k, stop, found):
    """List bodies near a centre; as `dem.kernels.soft.neighbours.neighbour_list.search_row`, without a skin."""
    return search_row(
        NoImages(), begin, end, b, takes_all, bounds.size == 1, centre, bounds[kind[b]], 0.0, position, kind, bounds,
        k, stop, found,
    )  # fmt: skip


@pytest.mark.parametrize("sizes", [1, 3])
@pytest.mark.parametrize("takes_all", [False, True])
def test_a_row_of_cells_has_the_bodies_within_reach(takes_all, sizes):
    """Also of fewer than eight bodies, at either end of memory, and where room ends: then they are counted only."""
    rng, bounds = np.random.default_rng(4), 0.4 + 0.1 * np.arange(sizes)
    for size in (1, 7, 8, 9, 30):
        position, kind = rng.uniform(-1, 1, (3, size)), rng.integers(0, sizes, size).astype(np.int32)
        own = kind[size // 3]
        near = np.linalg.norm(position, axis=0) < bounds[kind] + bounds[own]
        for begin, end in ((0, size), (0, size // 2), (size // 3, size), (size // 2, size // 2)):
            b = size // 3
            rows = np.arange(size)
            is_second = (kind < own) | ((kind == own) & (rows > b))
            expected = rows[near & (rows >= begin) & (rows < end) & (is_second | takes_all)]
            for room in (size + 8, expected.size + 3, expected.size, 1):
                found = np.full(5 + room + 8, -7, np.int32)
                k = near_by(
                    begin, end, b, takes_all, (0.0, 0.0, 0.0), bounds, position, kind, 5, 5 + room, found,
                )  # fmt: skip
                assert k == 5 + expected.size
                written = min(room, expected.size)
                np.testing.assert_array_equal(found[5 : 5 + written], expected[:written])
                assert (found[:5] == -7).all()
                assert (found[5 + room :] == -7).all()


@kernel
def sorted_from(start, count, numbers):
    """Sort so many numbers; as `dem.kernels.simd.sort.sort_short`."""
    sort_short(numbers, start, count)


def test_a_part_of_a_list_is_sorted():
    """Also a part that is longer than the scratch, and integers with all 64 bits; nothing else is moved."""
    rng = np.random.default_rng(5)
    for count in (0, 1, 2, 7, 8, 9, 16, LONGEST - 1, LONGEST, LONGEST + 1, 1000):
        numbers = rng.integers(np.iinfo(np.int64).min, np.iinfo(np.int64).max, count + 11)
        expected = np.concatenate([numbers[:5], np.sort(numbers[5 : 5 + count]), numbers[5 + count :]])
        sorted_from(5, count, numbers)
        np.testing.assert_array_equal(numbers, expected)


def test_eights_are_used_where_the_processor_can():
    assert compress.compress is (compress.compress_by_eights if compress.available else compress.compress_none)
    by_eights = neighbour_list.compare_by_eights if compress.available else neighbour_list.compare_none
    assert neighbour_list.compare_some is by_eights
    assert sort_short is (sort_by_counting if compress.available else sort_by_insertion)
