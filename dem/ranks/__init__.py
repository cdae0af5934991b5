"""Several processes that compute one run: ranks, on one machine or on many.

- `launcher.py`: what `import dem` does under ``mpiexec``; read it first
- `job_server.py`: rank 0 sends orders, the other ranks carry them out
- `communicator.py`: the interface of all communication; `mpi.py` and `threads.py` (for tests) implement it
- `shared_memory.py`, `c_functions.py`: parts of both implementations
- `domain_decomposition.py`: which rank owns which bodies, and which are ghosts of which other rank
- `consistency_check.py`: ranks compare code and rounding before they start

Ghosts are packed for exchange, and unpacked, in `dem.kernels.soft.subdomain.halo_exchange`.
"""
