"""Numba kernels: formulae and loops on plain arrays and floats; README.md of this folder says what is where."""
