"""Check a file before anything in it is used: it may be damaged, or come from a stranger.

- `hdf5_validation.py`: links, sizes, filters and memory that the file claims to need; arrays against those of an engine
- `input_validation.py`: names, types and values in a trajectory or a checkpoint
"""
