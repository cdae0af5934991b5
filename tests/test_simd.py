"""Intrinsics of `kernels/simd/memory.py`, `rounding.py` and `bits.py` give the bits of their twins in plain Python.

Those of `compress` and `transpose` are compared in `test_index_lists.py` and `test_transposing.py`.
"""

import numpy as np
import pytest
from dem.kernels.compiler.jit import kernel
from dem.kernels.simd import bits, memory, rounding

ODD = (0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1e308, 1 / 3)


@kernel
def add_eight(total, rows, k, at):
    """Call `memory.add_eight`."""
    memory.add_eight(total, rows, k, at)


@kernel
def negate_first_four(total):
    """Call `memory.negate_first_four`."""
    memory.negate_first_four(total)


@kernel
def swap_halves_negating(total):
    """Call `memory.swap_halves_negating`."""
    memory.swap_halves_negating(total)


@kernel
def atomic_add(array, index, value):
    """Call `memory.atomic_add`, and prefetch what is there and beyond."""
    memory.prefetch(array, index)
    memory.prefetch(array, array.size + 1000)
    memory.atomic_add(array, index, value)


@kernel
def round_all(numbers, integers):
    """Round by `rounding.nearest` and in both other ways, in loops that may become vector code, with remainders."""
    for k in range(numbers.size):
        integers[0, k] = rounding.nearest(numbers[k])
    for k in range(numbers.size):
        integers[1, k] = rounding.nearest_by_instruction(numbers[k])
    for k in range(numbers.size):
        integers[2, k] = rounding.nearest_by_sums(numbers[k])


@kernel
def measure_sets(sets, lowest, counts):
    """Call `bits.lowest_bit` and `bits.count_bits`."""
    for k in range(sets.size):
        lowest[k], counts[k] = bits.lowest_bit(sets[k]), bits.count_bits(sets[k])


def test_lowest_number_and_size_of_sets_of_bits():
    """The lowest bit is that of a power of two whatever is set above it; the empty set has 64."""
    lowest = np.append(np.repeat(np.arange(63), 4), 64)
    above = np.random.default_rng(7).integers(0, 2**62, lowest.size - 1)
    sets = np.append((1 << lowest[:-1]) | (above >> lowest[:-1] << lowest[:-1]), 0)
    counts = [bin(x).count("1") for x in sets]
    found = np.zeros((2, sets.size), np.int64)
    measure_sets(sets, *found)
    np.testing.assert_array_equal(found, [lowest, counts])
    np.testing.assert_array_equal([bits.lowest_bit_in_python(x) for x in sets], lowest)
    np.testing.assert_array_equal([bits.count_bits_in_python(x) for x in sets], counts)


def test_floats_are_rounded_to_the_nearest_integers_and_halves_to_even_ones():
    small = np.arange(-20, 21) / 4
    large = np.concatenate([s * (2.0**e + small) for e in (31, 32, 51, 52, 53, 56, 62) for s in (1, -1)])
    numbers = np.concatenate([small, large, np.random.default_rng(3).normal(scale=1e6, size=1000)])
    integers = np.zeros((3, numbers.size), np.int64)
    round_all(numbers, integers)
    expected = [rounding.nearest_in_python(x) for x in numbers]
    np.testing.assert_array_equal(expected[:5], [-5, -5, -4, -4, -4])
    for found in integers:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("at", [0, 3, 8])
@pytest.mark.parametrize("k", [np.int32(0), np.int64(4)])
def test_eight_numbers_are_added_as_one_by_one(k, at):
    rng = np.random.default_rng(5)
    total, rows = rng.normal(size=11), rng.normal(size=(5, 16))
    rows[:, 2:10] = ODD
    total[3:6] = 1e308, 0.0, -0.0
    expected = total.copy()
    memory.add_eight_in_python(expected, rows, k, at)
    add_eight(total, rows, k, at)
    assert total.tobytes() == expected.tobytes()


@pytest.mark.parametrize("numbers", [ODD, ODD[::-1], tuple(range(8))])
def test_eight_numbers_are_permuted_as_one_by_one(numbers):
    """`0 - x`, not `-x`: zero stays positive."""
    row = np.array([*numbers, 7.0])
    for permute, expected in (
        (negate_first_four, [*(0.0 - row[:4]), *row[4:]]),
        (swap_halves_negating, [*(0.0 - row[4:8]), *row[:4], 7.0]),
    ):
        permuted = row.copy()
        permute(permuted)
        assert permuted.tobytes() == np.array(expected).tobytes()


@pytest.mark.parametrize("index", [0, 7, 11])
def test_integers_are_added_to_the_element_counted_as_if_the_array_were_flat(index):
    array = np.arange(12).reshape(3, 4) + 2**62
    expected = array.copy()
    memory.atomic_add_in_python(expected, index, -(2**40))
    atomic_add(array, index, -(2**40))
    np.testing.assert_array_equal(array, expected)
