"""Validate files before their contents are used: they may be damaged, or come from an unknown source.

- `hdf5_validation.py`: links, sizes, filters and memory that the file claims to need; arrays against those of an engine
- `input_validation.py`: names, types and values in a trajectory or a checkpoint
"""
