"""Parameter sweeps: a case run with many values of its parameters, a file for each run, and a table of all.

`sweep.py` plans a sweep and makes it: `words.py` reads values and ranges, `members.py` combines them and names the
files, `work.py` finds out how far a run is and makes it, `processes.py` makes many; `table.py` is the result.

The folder is above `dem.casefile`, because it runs cases and case files. Only the file of a run decides whether it is
complete: it holds the resolved input, the version and the kernels. So `dem run` and `dem.sweep` leave the same files.
"""
