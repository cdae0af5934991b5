"""Checkpoints: the complete state of a simulation, from which it continues to the same bytes.

- `checkpoint.py`: write a simulation to a group of a file, and make it again
- `serialization.py`: shapes, materials, walls and fluids as plain values, and back
"""
