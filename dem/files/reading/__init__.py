"""Read trajectories. Begin with `trajectory.py`, which has `dem.Trajectory`.

- `trajectory.py`, `frame.py`: a run, and one of its frames
- `stored_run.py`: contents of an open file, for `dem.Trajectory` and `dem.repair`
- `stored_field.py`: arrays over all frames, read from disk as far as they are sliced
- `summary.py`, `tables.py`: a run as plain data, as tables of pandas and data sets of xarray
"""
