"""Files of runs: HDF5 in the layout of H5MD, with a checkpoint from which the run continues.

- `writing/`: a frame is written to a file by `writing/trajectory_writer.py`
- `reading/`: `dem.Trajectory` and its frames
- `h5md/`: which groups and data sets a trajectory has
- `checkpoints/`: the complete state of a simulation, written and restored
- `storage/`: bytes on disk, safe against kills; repair of damaged files
- `validation/`: checks of a file before its contents are used
- `exports/`: files for other programs
"""
