"""Checkpoints: the complete state of a simulation, from which it continues to the same bytes.

- `checkpoint.py`: write a simulation to a group of a file, and read it again (restart)
- `serialization.py`: shapes, materials, walls and fluids as plain values, and back
"""
