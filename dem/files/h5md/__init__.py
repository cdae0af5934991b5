"""Layout of a trajectory: groups and datasets of the HDF5 file of a run, after H5MD 1.1.

- `layout.py`: groups of a new file, and the datasets with one row a frame
- `schema.py`: names of groups, and the attributes (unit, description) written beside the numbers of a field
- `variable_population.py`: fields of runs in which particles are inserted and removed
- `cell.py`: vectors, strains and stresses of a cell that deforms
- `surfaces.py`: surfaces of convex shapes, once for a run
- `bonds.py`, `walls.py`: bonds and walls, once, and their state at each frame; written, and read again
- `growing_tables.py`: tables of events, such as broken bonds, and of contact forces
- `vtkhdf.py`: the group ``/VTKHDF``, by which ParaView opens the same file
"""
