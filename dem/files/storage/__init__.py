"""Crash-safe storage: a trajectory survives a kill, a full disk and a power failure.

- `journaled_file.py`: what HDF5 writes between two commits reaches the disk as a whole, or not at all
- `journal.py`: changed pages in memory, and the file beside it with those that are about to be replaced
- `repair.py`: `dem.repair`, which saves the frames of a damaged file
"""
