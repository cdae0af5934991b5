"""Files of runs: HDF5 in the layout of H5MD.

Layout: `layout.py`, with the names of `schema.py`. Writing: `writer.py` (frames), `checkpoint.py` (states from which
runs continue), `serialization.py` (shapes, materials and walls as plain values). Reading: `trajectory.py`, `frame.py`,
`tables.py` for pandas and xarray; `input_validation.py` and `hdf5_validation.py` check all that is read. Bytes on disk:
`journaled_file.py`, on `paged_file.py` and `journal.py`; `repair.py` mends broken files. `vtkhdf.py` shows frames to
ParaView, and `exports/` writes other formats.
"""
