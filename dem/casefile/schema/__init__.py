"""Which tables and keys a case file may have: a pydantic model for each table.

- `case_tables.py`: the whole file, with the tables that have no module of their own
- `table_base.py`, `key_types.py`: the base class of all tables, and types of keys with units and limits
- `allowed_values.py`: the values that a key may have, in words, for messages and comments
- `shapes.py`, `sizes.py`: shapes of particles, and their sizes
- `law_components.py`, `impacts.py`: contact laws, and the collisions of event-driven runs
- `walls.py`, `insertion.py`: walls beside the box, inserters and outlets
- `fluid.py`, `fluid_cells.py`: drag, flows and two-way coupling
- `stochastic.py`: case files with `method = "stochastic"`
"""
