"""How kernels are compiled: decorators, and what is done beside numba to compile faster. Read `jit` first."""
