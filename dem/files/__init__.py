"""Files of runs: HDF5 in the layout of H5MD.

`schema.py` names the fields, `layout.py` says what is where, `writer.py` writes frames and `checkpoint.py` what a run
goes on from; `trajectory.py` reads them. `store.py` brings bytes to the disk so that they survive, `repair.py` mends,
`vtkhdf.py` shows frames to ParaView, `exports/` has other formats.
"""
