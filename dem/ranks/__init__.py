"""Several processes or machines, ranks, that compute one run: who they are, what they say to each other, who has what.

``communicator`` is what ranks say to each other by, ``threads`` that between threads of one process, ``mpi`` that
by MPI, ``calls`` what of it kernels do by themselves, ``launched`` how a process comes to know that it is one of
several, ``crew`` how rank 0 has all of them work, ``domains`` and ``halo`` who has which bodies, and who needs to know
of which.
"""
