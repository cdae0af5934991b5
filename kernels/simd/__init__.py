"""Vector and memory instructions that numba does not offer, each with an equivalent in plain code of the same bits.

`memory` prefetches, adds atomically, adds or rearranges eight numbers, and has arrays on the stack; `compress` lists
the indices of those values that exceed a limit, and of those points that are near a centre; `sort` sorts short lists;
`transpose` turns columns into lines of memory and back; `rounding` finds nearest integers, and `bits` the lowest bit of
sets. The plain code is used without a compiler; that of `compress`, `sort` and `transpose` also without AVX2. Tests
compare both: `test_simd.py`, `test_index_lists.py`, `test_transposing.py`, and `test_processors_compiled.py` for whole
runs.
"""
