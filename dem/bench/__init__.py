"""Benchmarks: workloads, timing, and the same in LAMMPS."""
