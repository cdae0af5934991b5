"""Bytes on disk: a trajectory survives a kill, a full disk and a power failure.

- `journaled_file.py`: what HDF5 writes between two commits reaches the disk as a whole, or not at all
- `journal.py`: the file beside it, with pages that are about to be replaced
- `paged_file.py`: changed pages in memory over a file on disk
- `repair.py`: `dem.repair`, which saves the frames of a damaged file
"""
