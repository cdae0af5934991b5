"""The time step and the loop over steps.

Read `time_loop` first: the loop that Python calls. `passes` goes over all chunks of bodies, with one thread or several;
`chunk_step` is the work on a chunk in a step; `particle_update` moves bodies by leap-frog and the chosen rotational
scheme, and converts between its states and those at whole steps. `compiled_stages`: the parts of a step that are
compiled by themselves. `cell_stress`: the stress in a deforming cell. `stage_benchmark`: parts of a step, for timing.
"""
