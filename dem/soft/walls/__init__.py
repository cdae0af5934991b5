"""Walls of an engine.

`engine_walls` owns their arrays, which `wall_arrays` makes for kernels. `wall_in_run`: a wall of a run, as users read
it, with its force, torque and pose. `container_check`: particles outside closed walls. `mesh_scale_check`:
meshes of doubtful size.
"""
