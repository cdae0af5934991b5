"""Schema of case files: a pydantic model for each table, with its keys.

- `case_tables.py`: the whole file, of each method, with the tables that have no module of their own
- `key_types.py`: the base class of all tables, types of keys with units and limits, and these in words
- `shapes.py`, `sizes.py`: shapes of particles, and their sizes
- `law_components.py`: contact laws
- `walls.py`, `insertion.py`: walls beside the box, inserters and outlets
- `fluid.py`: drag, flows and two-way coupling
- `packages.py`: objects of classes that installed packages declare
"""
