"""Files of runs: HDF5 in the layout of H5MD, with a checkpoint from which the run continues.

- `writing/`: a frame is written to a file by `writing/trajectory_writer.py`
- `reading/`: `dem.Trajectory` and its frames
- `h5md/`: which groups and data sets a trajectory has
- `checkpoints/`: the complete state of a simulation, written and restored
- `storage/`: bytes on disk, safe against kills; repair of damaged files
- `validation/`: all that is read from a file is checked first
- `exports/`: files for other programs
"""
