"""Benchmarks: `python -m benchmarks NAME` prints one number on stdout and its description on stderr."""
