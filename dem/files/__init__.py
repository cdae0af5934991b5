"""Files of runs: HDF5 in the layout of H5MD.

`layout.py` says what is where, in the words of `schema.py`, `writer.py` writes frames and `checkpoint.py` what a run
goes on from; `trajectory.py` reads them, `tables.py` for pandas and xarray. `store.py` brings bytes to the disk so that
they survive, `repair.py` mends, `vtkhdf.py` shows frames to ParaView, `exports/` has other formats.
"""
