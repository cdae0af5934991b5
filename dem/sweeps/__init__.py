"""Parameter sweeps: runs of a case for many values of its parameters, a file for each run, and a table of results.

`sweep.py` plans a sweep and carries it out. `parameter_words.py` reads values and ranges. `sweep_runs.py` combines them
and names the files. `execute_run.py` finds out how far a run is and carries it out, `processes.py` many runs.
`table.py` is the result, `folder_lock.py` keeps a second sweep out of the folder.

The folder is above `dem.casefile`, because it runs cases and case files. Only the file of a run decides whether it is
complete: it holds the resolved input, the version and the kernels. So `dem run` and `dem.sweep` leave the same files.
"""
