"""Walls of an engine.

`wall_arrays` makes the arrays of the kernels. `wall_in_run`: a wall of a run, with its force, torque and pose, as users
read it. `moving_walls`: walls that move. `astray`: particles outside closed walls. `mesh_scale_check`: meshes of
doubtful size.
"""
