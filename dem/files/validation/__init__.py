"""Check a file before anything in it is used: it may be damaged, or come from a stranger.

- `hdf5_validation.py`: links, sizes, filters and memory that the file claims to need
- `input_validation.py`: names, types and values in a trajectory or a checkpoint
- `array_validation.py`: whether arrays of a checkpoint fit the arrays of an engine
"""
