"""Several processes that compute one run: ranks, on one machine or on many.

Read `launcher` first: what `import dem` does under ``mpiexec``. `job_server`: rank 0 has the other ranks compute.
`communicator`: the interface by which ranks exchange data, with the implementations `mpi` and `threads` (for tests);
`shared_memory`, `buffer_layout` and `c_functions` are parts of it. `load_balancing` and `halo`: which rank owns which
bodies, and which bodies others need as ghosts. `consistency_check`: ranks compare versions and rounding.
"""
