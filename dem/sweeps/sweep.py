"""Run a case with many values of its parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dem.base.notices import Notice, warn
from dem.base.progress import progress_bar
from dem.base.text import counted
from dem.base.user_classes import hinted
from dem.run.record import Interrupted
from dem.sweeps import words
from dem.sweeps.members import MANY, Member
from dem.sweeps.plan import Plan, Ways, planned, shares
from dem.sweeps.table import FAILED, Outcome, SweepTable

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from os import PathLike
    from typing import Any

    from dem.case import AnyCase
    from dem.files.reading.trajectory import Trajectory


@hinted
def sweep(
    case: str | PathLike | type[AnyCase],
    parameters: dict[str, Any],
    *,
    folder: str | PathLike | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    zipped: bool = False,
    random: int | None = None,
    seed: int = 1,
    most: int | None = MANY,
    overwrite: bool = False,
    progress: bool | None = None,
    measure: Callable[[Trajectory], object] | None = None,
    **options: object,
) -> SweepTable:
    """Run a case for every combination of parameters, each into a file of its own, with a table of them all.

    Finished runs are kept, unfinished ones are resumed, and runs that fail do not stop the others.
    A run is the same if its file says so: case and all parameters (but threads), what is written at a frame, the
    version of pcdm-dem and its kernels. The code of a case of your own, and files that a case file takes particles
    from, are not looked at. Another run under the same name is refused, or replaced if `overwrite`.

    Parameters
    ----------
    case : str, path or type
        Name of a case, path of a case file, or a class of cases, which a module must have for processes to import it.
    parameters : dict of str to list
        Values of each parameter, or key of a case file: numbers, texts such as "5 mm", tuples for vectors. What is no
        list is one value for all runs.
    folder : path, optional
        For files and table; default: ``CASE-sweep``. It may hold the same sweep with fewer or other values.
    executor : concurrent.futures.Executor, optional
        Pool of workers, which see the folder under the same path; default: processes of this machine.
    jobs, threads : int, optional
        Processes, and threads of each run; default: all cores, with one thread a run if there are as many runs, or if
        there is an executor.
    zipped : bool
        Take the first value of each parameter together, then the second, and so on.
    random, seed : int, optional
        So many of all combinations, drawn at random without repetition.
    most : int, optional
        More runs than this are refused; None: as many as are asked for.
    overwrite : bool
        Replace files of other runs.
    progress : bool, optional
        Show a bar; default: if it takes some seconds.
    measure : function of a Trajectory, optional
        Adds columns to the table when all runs are made: it returns a number, for a column of its name, or a dict of
        names to numbers. It is called in this process; see `SweepTable.measure`.
    options : optional
        fields, float32, compression, contacts, checkpoint_every, strict and force, as `Simulation.run` has them.

    Returns
    -------
    SweepTable
        A row for each run; ``pandas.read_csv("CASE-sweep/sweep.csv")`` is the same.

    Raises
    ------
    ValueError, TypeError, OSError
        With one line for each thing that is wrong with any of the runs; none has been made then.
    RuntimeError
        If processes cannot be started: a script must call this below ``if __name__ == "__main__":``.

    Examples
    --------
    >>> import dem, pathlib, tempfile
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
    ...     values = {"n": 8, "restitution": [0.5, 0.9], "duration": 1e-3, "frames": 1}
    ...     table = dem.sweep("hard-spheres", values, folder=folder, executor=pool)
    ...     for row in table:
    ...         row.parameters["restitution"], row.file, row.verdict
    ('0.5', 'hard-spheres_n=8_restitution=0.5_duration=0.001_frames=1.h5', 'PASS')
    ('0.9', 'hard-spheres_n=8_restitution=0.9_duration=0.001_frames=1.h5', 'PASS')

    With Dask, ``executor=Client().get_executor()``; with MPI, ``executor=mpi4py.futures.MPIPoolExecutor()`` in a script
    that is run by ``mpiexec -n 8 python -m mpi4py.futures script.py``.
    """
    values = words.of_values(parameters)
    if measure is not None and not callable(measure):
        message = f"measure is {measure!r}, expected a function of a dem.Trajectory"
        raise TypeError(message)
    if not (executor is None or hasattr(executor, "submit")):
        message = f"executor is {type(executor).__name__}, expected one of concurrent.futures, such as a pool"
        raise TypeError(message)
    shares(1, jobs, threads)  # their errors are reported before any file is read
    ways = Ways(zipped, random, seed, most)
    plan = planned(
        case, values, folder=folder, ways=ways, threads=threads, overwrite=overwrite,
        options={name: value for name, value in options.items() if value not in (None, False)},
    )  # fmt: skip
    table = carry_out(plan, executor=executor, jobs=jobs, threads=threads, progress=progress)
    if measure is not None:
        table.measure(measure)
    return table


def carry_out(
    plan: Plan,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    tell: Callable[[Member, Outcome], None] = lambda *_: None,
) -> SweepTable:
    """Make the runs of a plan that are left, telling of each that is done; returns the table, which is written."""
    from dem.sweeps.processes import by_executor, by_processes  # noqa: PLC0415, multiprocessing takes a moment

    left, table = plan.left, plan.table
    table.write()
    if not left:
        plan.observe()
        return table
    ended = failed = 0
    number = {member.path.name: k for k, member in enumerate(plan.members)}

    def done(member: Member, outcome: Outcome) -> None:
        nonlocal ended, failed
        ended, failed = ended + (outcome.verdict != "STOPPED"), failed + (outcome.verdict in FAILED)
        k = number[member.path.name]
        plan.put(k, outcome)
        table.rows[k] = table.rows[k]._replace(measured={})  # of another file, if of any
        before = table.path
        table.write()
        if table.path != before:
            warn(Notice("table-elsewhere", f"{before} was replaced by a file that is no table", f"see {table.path}"))
        moved(1, 1)
        tell(member, outcome)

    def pace(work: int, _: float) -> str:
        return f"{work} of {counted(len(left), 'run')}{f', {failed} failed' if failed else ''}"

    try:
        with progress_bar(len(left), pace, wanted=progress, steady=False) as moved:
            jobs, each = shares(len(left), jobs, threads)
            sent = [_anywhere(member, each if executor is None else threads or 1) for member in left]
            if executor is not None:
                by_executor(executor, sent, one_for_each_kernel(sent), done)
            else:
                by_processes(sent, one_for_each_kernel(sent) if jobs > 1 else [], jobs, done)
                _tell_removed(plan)  # only here: what another machine has written may show later
    except KeyboardInterrupt as stopped:
        message = f"interrupted: {ended} of {counted(len(left), 'run')} ended, see {table.path}; the same call resumes"
        raise Interrupted(message, getattr(stopped, "signal", 2)) from None
    plan.observe()
    return table


def _tell_removed(plan: Plan) -> None:
    """Report runs that ended without error but have no file."""
    for k, member in enumerate(plan.members):
        row = plan.rows[k]
        if row.verdict not in ("", "ERROR", "STOPPED") and not member.path.exists():
            plan.put(k, Outcome("ERROR", row.seconds, f"{row.verdict}, but its file was removed"))
            warn(Notice("file-removed", f"{member.path} was removed after its run", "the same call makes it again"))
    plan.table.write()


def _anywhere(member: Member, threads: int) -> Member:
    """A run as processes in other folders make it as well."""
    file = isinstance(member.case, str) and member.case.endswith(".toml")
    case = str(Path(member.case).resolve()) if file else member.case
    return member._replace(case=case, path=member.path.resolve(), threads=threads)


def one_for_each_kernel(members: list[Member]) -> list[Member]:
    """One run for each set of kernels: runs differ by words, and by which numbers are zero.

    Examples
    --------
    >>> frictions = [{"friction": mu, "n": n} for mu in ("0", "0.1", "0.2") for n in ("10", "20")]
    >>> [each.settings for each in one_for_each_kernel([Member("gas", settings, None, {}) for settings in frictions])]
    [{'friction': '0', 'n': '10'}, {'friction': '0.1', 'n': '10'}]
    """
    found = {}
    for member in members:
        found.setdefault(tuple(_sort_of(word) for word in member.settings.values()), member)
    return list(found.values()) if len(members) > 1 else []


def _sort_of(word: str) -> object:
    try:
        return float(word.partition(" ")[0]) == 0
    except ValueError:
        return word
