"""Write trajectories while a simulation runs.

- `trajectory_writer.py`: write a frame, commit frames to disk, go on with an existing file
- `frame_schedule.py`: at which steps frames are due
- `pending_frames.py`: rows that are collected in memory before they are appended to data sets
- `output_settings.py`: what a user chooses: fields, compression, endings of names, checkpoint interval
"""
