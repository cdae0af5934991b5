"""Write trajectories while a simulation runs.

- `trajectory_writer.py`: write a frame, commit frames to disk, go on with an existing file
- `frame_schedule.py`: at which steps frames are due
- `output_settings.py`: what a user chooses: fields, compression, endings of names, checkpoint interval
"""
