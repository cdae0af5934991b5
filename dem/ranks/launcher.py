"""`import dem` in a process that ``mpiexec`` or ``srun`` has started as one of several.

Launchers describe their processes by environment variables. A process without these variables imports nothing here.
With them, rank 0 runs the program, and `import dem` does not return on the other ranks: they serve rank 0, which has
them compute their parts of its simulations, and end with it. A program therefore needs no code for ranks, and files
are written and lines are printed once. Rank 0 says so in a line on stderr. An explicit call in the program would be
plainer, but a program that forgets it would be run by every rank, and all would write the same files.

A process is left alone if ``mpi4py.MPI`` was imported before `dem`, or if the environment variable ``PCDM_DEM_MPI`` is
``off``.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType
    from typing import NoReturn

SWITCH = "PCDM_DEM_MPI"  # "off": each process runs the program by itself, whatever has started it
SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE")
RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK")
STEPS = ("SLURM_STEP_NUM_TASKS",)  # number of processes, where PMIX_RANK is the only other variable
LAST = 1.0  # [s] the other ranks end so much later than rank 0: Hydra (MPICH 5.0.2) keeps its exit status more often
GRACE = 120  # [s] that a rank which got a signal to stop waits for rank 0 to end the run


def size(environment: dict[str, str] | os._Environ) -> int:
    """Number of processes started by an MPI launcher, if known; 1 without a launcher.

    Examples
    --------
    >>> size({}), size({"PMI_SIZE": "4", "PMI_RANK": "2"}), size({"PMIX_RANK": "3"})
    (1, 4, 4)
    """
    values = [environment[name] for name in SIZES if name in environment]
    if not values and "PMIX_RANK" in environment:
        values = [environment[name] for name in STEPS if name in environment] or [str(rank(environment) + 1)]
    return max([int(each) for each in values if each.isdigit()], default=1)


def rank(environment: dict[str, str] | os._Environ) -> int:
    """Rank of this process; 0 where there is no launcher."""
    values = [environment[name] for name in RANKS if name in environment]
    return max([int(each) for each in values if each.isdigit()], default=0)


def join() -> None:
    """Join the ranks that a launcher has started, if there are several; returns on rank 0 only."""
    number = size(os.environ)
    if number < 2 or os.environ.get(SWITCH, "").lower() == "off" or "mpi4py.MPI" in sys.modules:
        return
    os.environ[SWITCH] = "off"  # for processes that this one starts
    from importlib.util import find_spec  # noqa: PLC0415, one process need not wait for it

    if find_spec("mpi4py") is None:
        _refuse(number, "mpi4py is not installed")
    try:
        from dem.ranks import mpi  # noqa: PLC0415, with mpi4py and numpy, which one process does without
    except (ImportError, RuntimeError) as error:  # what mpi4py raises where there is no MPI library
        _refuse(number, f"mpi4py does not work: {str(error).splitlines()[0]}")
    _join(mpi)


def _refuse(number: int, why: str) -> NoReturn:
    """Exit: several independent runs would write the same files."""
    if rank(os.environ) == 0:
        sys.stderr.write(
            f"a launcher has started {number} of this process, but {why}, so that each would be a run of its own, and "
            f"all write the same files: pip install 'pcdm-dem[mpi]' and an MPI library (pip install mpich, or the "
            f"cluster's), or start it without mpiexec; {SWITCH}=off if they are to be runs of their own\n"
        )
    sys.exit(2)


def _join(mpi: ModuleType) -> None:
    import atexit  # noqa: PLC0415
    import time  # noqa: PLC0415

    from dem.ranks import job_server  # noqa: PLC0415

    world = mpi.World()
    if world.ranks == 1:
        return
    if "NUMBA_NUM_THREADS" not in os.environ and "numba" not in sys.modules:
        os.environ["NUMBA_NUM_THREADS"] = str(world.threads_each())
    if world.rank == 0:
        sys.stderr.write(
            f"dem: rank 0 of {world.ranks} runs this program; on the other ranks import dem does not return, they "
            f"compute for rank 0 (see dem guide clusters; {SWITCH}=off: each rank runs the program by itself)\n"
        )
        job_server.JobServer.current = job_server.JobServer(world)
        atexit.register(job_server.JobServer.current.end)
        _note_errors()
        return
    _leave_signals_to_rank_0()
    status = job_server.serve(world)
    mpi.end()
    sys.stdout.flush()
    sys.stderr.flush()
    time.sleep(LAST)
    os._exit(status)  # the program runs on rank 0 only, and Hydra may lose its status if others end with 0


def _note_errors() -> None:
    """Let all ranks end with exit status 1 after an exception that the program does not handle."""
    from dem.ranks.job_server import set_exit_status  # noqa: PLC0415

    show = sys.excepthook

    def note(*error: object) -> None:
        set_exit_status(1)
        show(*error)

    sys.excepthook = note


def _leave_signals_to_rank_0() -> None:
    """Leave signals to stop, which all ranks receive, to rank 0, which ends the run; exit later if it does not."""
    import signal  # noqa: PLC0415

    def wait(number: int, frame: object) -> None:
        del number, frame
        if hasattr(signal, "alarm"):
            signal.alarm(GRACE)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), wait)
