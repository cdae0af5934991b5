"""Parameter sweeps: a case run with many values of its parameters, a file each, and a table of them all.

`words.py` reads values and ranges, `members.py` combines them and names the files, `stored.py` tells what of it is done
already, `work.py` runs one, `processes.py` many; `table.py` is what comes out.

A room of its own, above `dem.casefile`: it runs cases and case files, and only the command line is above it. What
decides whether a run is done is its file alone, which holds the resolved input, the version and the kernels: so runs
that a scheduler started one by one, `dem run` alone and `dem.sweep` are told apart by nothing.
"""
