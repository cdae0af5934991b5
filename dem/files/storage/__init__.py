"""Crash-safe storage: a trajectory survives a kill, a full disk and a power failure.

- `journaled_file.py`: a file whose commits are atomic: all changes since the last commit reach the disk, or none
- `journal.py`: changed pages in memory, and the journal on disk with the pages to be replaced
- `output_file.py`: a file that is written in one go, such as an export
- `repair.py`: `dem.repair`, which recovers the frames of a damaged file
"""
