"""Benchmarks: `python -m benchmarks NAME` prints one number, what it is about goes to stderr."""
