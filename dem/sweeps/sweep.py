"""Plan a sweep: check all runs, find finished ones, keep the table; and execute its runs."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dem.base import checks
from dem.base.cpu_info import cores
from dem.base.notices import Notice, warn
from dem.base.progress import progress_bar
from dem.base.text import counted, error_in_words
from dem.base.user_classes import hinted
from dem.case import AnyCase, BaseCase, StudyCase
from dem.run import run_loop
from dem.run.run_loop import Interrupted
from dem.sweeps import parameter_words, sweep_runs
from dem.sweeps.execute_run import RunOnDisk, case_of, has_threads, inspect_run
from dem.sweeps.folder_lock import locked_folder
from dem.sweeps.sweep_runs import MANY, SweepRun
from dem.sweeps.table import FAILED, NAME, OWN, Outcome, Row, SweepTable

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from os import PathLike

    from dem.casefile import ChosenCase
    from dem.files.reading.trajectory import Trajectory

OPTIONS = ("fields", "float32", "compression", "contacts", "checkpoint_every", "strict", "force")
CHECKED = OPTIONS[:5]
MAX_ERROR_LINES = 20  # lines of what is wrong
OVERWRITE = "take another folder, or --overwrite (overwrite=True) replaces them"
SWITCHES = ("float32", "contacts", "strict", "force")


class Ways(NamedTuple):
    """Rules by which parameters are combined, see `dem.sweeps.sweep_runs.combined`."""

    zipped: bool = False
    drawn: int | None = None
    seed: int = 1
    most: int | None = MANY


class Plan(NamedTuple):
    """A sweep before its execution: its runs and the table."""

    members: list[SweepRun]
    found: list[RunOnDisk]
    table: SweepTable  # a row for each member, and those of earlier calls

    @property
    def rows(self) -> list[Row]:
        """Row of the table for each run."""
        return self.table.rows[: len(self.members)]

    @property
    def left(self) -> list[SweepRun]:
        """Runs that are neither finished nor being executed."""
        pairs = zip(self.members, self.found, strict=True)
        return [member for member, found in pairs if found.state not in ("finished", "running")]

    def put(self, k: int, outcome: Outcome) -> None:
        """Store the outcome of run k."""
        self.table.rows[k] = self.table.rows[k]._replace(**{name: getattr(outcome, name) for name in OWN[1:]})

    def observe(self, *, missing: bool = False) -> None:
        """Write the table with the columns of the case's `observables`, see `dem.case.bases.BaseCase`.

        If only those that are `missing` are wanted, rows that have any keep them.
        """
        runs = [case_of(member).case for member in self.members]
        if getattr(type(runs[0]), "observables", BaseCase.observables) is not BaseCase.observables:
            self.table.observe(runs, missing=missing)

    def commands(self) -> list[str]:
        """Shell commands of the runs that are left, one each."""
        pairs = zip(self.members, self.found, strict=True)
        return [command(m, resumed=f.state == "unfinished", begun=f.state == "begun")
                for m, f in pairs if f.state not in ("finished", "running")]  # fmt: skip


def planned(
    case: str | PathLike | type[AnyCase], parameters: dict[str, list[str]], *, folder: str | PathLike | None,
    ways: Ways, threads: int | None, overwrite: bool, options: dict[str, Any], way_out: str = OVERWRITE,
) -> Plan:  # fmt: skip
    """Plan a sweep from parameters as text, see `dem.sweeps.parameter_words`.

    `way_out` is the remedy that the message on files of other runs names.

    Raises ValueError, TypeError or OSError with one line for each error of any of the runs, before a run starts.
    """
    case, name = _named(case)
    if not parameters:
        message = f"give parameters and their values, such as --set seed=1,2; dem cases {name} lists the parameters"
        raise ValueError(message)
    clash = next((each for each in parameters if each in ("case", *OWN)), None)
    if clash:
        message = f"{clash} cannot be swept: the table has a column of that name"
        raise ValueError(message)
    for option in options:
        checks.one_of("option", option, OPTIONS)
    checks.flag("overwrite", overwrite)
    if threads is not None:
        checks.whole("threads", threads, least=1)
    combinations = sweep_runs.combined(parameters, **ways._asdict())
    folder = checks.folder(folder or Path(f"{name}-sweep"), parents=True)
    drafts = [SweepRun(case, each, folder, options, threads, overwrite) for each in combinations]
    runs = _checked(drafts)
    endings = {".csv" if isinstance(run.case, StudyCase) else ".h5" for run in runs}
    files = sweep_runs.names(name, parameters, combinations, endings.pop())
    table = _table(folder / NAME, name, parameters, combinations, files)
    files = [row.file for row in table.rows[: len(files)]]
    members = [
        draft._replace(path=folder / file, threads=draft.threads if has_threads(run) else None)
        for draft, file, run in zip(drafts, files, runs, strict=True)
    ]
    return _plan_with_outcomes(members, runs, table, way_out)


def _named(case: str | PathLike | type[AnyCase]) -> tuple[str | type[AnyCase], str]:
    """The case as stored in runs, and its name for files."""
    if isinstance(case, type) and issubclass(case, AnyCase):
        return case, case.name
    if not isinstance(case, (str, Path)):
        message = f"case is {case!r}, expected a name, the path of a case file, or a class such as dem.Case"
        raise TypeError(message)
    return str(case), Path(case).stem if str(case).endswith(".toml") else str(case)


def _checked(drafts: list[SweepRun]) -> list[ChosenCase]:
    """Cases of all runs; raises ValueError with all errors, each line once."""
    runs, wrong = [], {}
    for draft in drafts:
        try:
            run = case_of(draft)
            _check(run, draft)
            runs.append(run)
        except (ValueError, TypeError, OSError) as error:
            wrong |= dict.fromkeys(error_in_words(error).splitlines())
    if wrong:
        more = [f"and {len(wrong) - MAX_ERROR_LINES} more"] if len(wrong) > MAX_ERROR_LINES else []
        raise ValueError("\n".join([*list(wrong)[:MAX_ERROR_LINES], *more]))
    return runs


def _check(run: ChosenCase, draft: SweepRun) -> None:
    """Check a run for errors that can be found before its simulation is made."""
    options = run.options | draft.options
    if isinstance(run.case, StudyCase):
        if options:
            message = f"{run.name} writes a table: leave out what is about trajectories and warnings"
            raise ValueError(message)
        return
    there = {name: value for name, value in options.items() if name in CHECKED}
    run_loop.checked(run.case.duration, frames=run.case.frames, **there)
    stepped = getattr(run.case, "table", run.case)
    if hasattr(stepped, "integrator"):
        run_loop.check_steps(run.case.duration, stepped.time_step, stepped.integrator, stepped.threads)


def _table(
    path: Path, name: str, parameters: dict[str, list[str]], combinations: list[dict[str, str]], files: list[str]
) -> SweepTable:
    """Table with a row for each run, and the rows of earlier sweeps in the same folder."""
    older = SweepTable.read(path) if path.exists() else SweepTable(path, name, list(parameters), [])
    if (older.case or name, set(older.columns)) != (name, set(parameters)):
        message = (
            f"{path.parent} holds another sweep, of {older.case} by {', '.join(older.columns)}: take another folder"
        )
        raise ValueError(message)
    known = {tuple(sorted(row.parameters.items())): row for row in older}
    rows = []
    for each, file in zip(combinations, files, strict=True):
        row = known.pop(tuple(sorted(each.items())), None)
        rows.append(row._replace(parameters=each) if row else Row(each, file))
    made = {row.file for row in rows}
    return SweepTable(path, name, list(parameters), [*rows, *(row for row in known.values() if row.file not in made)])


def _plan_with_outcomes(members: list[SweepRun], runs: list[ChosenCase], table: SweepTable, way_out: str) -> Plan:
    """Make the plan; raises ValueError if files contain other runs, which must not be replaced."""
    found = [inspect_run(member, run) for member, run in zip(members, runs, strict=True)]
    other = [(m, f) for m, f in zip(members, found, strict=True) if f.state == "other" and not m.overwrite]
    if other:
        lines = [f"{m.path.name}: {f.outcome.error}" for m, f in other[:MAX_ERROR_LINES]]
        what = counted(len(other), "file of other runs", f"has {len(other)}")
        raise ValueError("\n".join([*lines, f"{table.path.parent} {what}: {way_out}"]))
    plan = Plan(members, found, table)
    for k, each in enumerate(found):
        older, outcome = table.rows[k], each.outcome
        if each.state in ("nothing", "other", "begun"):  # what was refused has left no file
            outcome = Outcome("ERROR", older.seconds, older.error) if older.verdict == "ERROR" else Outcome()
        elif outcome.seconds is None and outcome.verdict == older.verdict:
            outcome = outcome._replace(seconds=older.seconds)
        plan.put(k, outcome)
    return plan


def command(member: SweepRun, *, resumed: bool = False, begun: bool = False) -> str:
    """Shell command that starts or resumes a run.

    Examples
    --------
    >>> command(SweepRun("many-spheres", {"n": "1000", "speed": "5 cm/s"}, Path("a/b.h5"), {"float32": True}))
    "dem run many-spheres --set n=1000 --set 'speed=5 cm/s' --float32 -o a/b.h5"
    """
    words = ["dem", "run"]
    threads = ["--threads", str(member.threads)] if member.threads else []
    switches = [f"--{name}" for name in SWITCHES if member.options.get(name)]
    values = []
    for name in ("fields", "compression", "checkpoint_every"):
        if value := member.options.get(name):
            several = isinstance(value, (list, tuple))
            values += [f"--{name.replace('_', '-')}", ",".join(map(str, value)) if several else str(value)]
    if resumed:
        strict = ["--strict"] if member.options.get("strict") else []
        return shlex.join([*words, "--resume", str(member.path), *threads, *strict])
    case = member.case if isinstance(member.case, str) else member.case.name
    settings = [word for name, value in member.settings.items() for word in ("--set", f"{name}={value}")]
    replaced = ["--overwrite"] if member.overwrite or begun else []
    return shlex.join([*words, case, *settings, *threads, *values, *switches, *replaced, "-o", str(member.path)])


def shares(runs: int, jobs: int | None, threads: int | None) -> tuple[int, int]:
    """Number of processes and threads of each, as given or by the number of cores.

    Raises ValueError or TypeError if a number is invalid, or several processes with several threads exceed the number
    of cores.
    """
    there = cores()
    if jobs is not None:
        checks.whole("jobs", jobs, least=1)
    if threads is not None:
        checks.whole("threads", threads, least=1)
    if (jobs or 1) > 1 and (threads or 1) > 1 and jobs * threads > there:
        message = (
            f"{jobs} jobs of {threads} threads want {jobs * threads} cores, there are {there}: give one of the two"
        )
        raise ValueError(message)
    jobs = max(1, min(runs, jobs or there // (threads or 1)))
    return jobs, threads or max(1, there // jobs)


@hinted
def check_executor(executor: object) -> None:
    """Raise TypeError for what cannot run anything."""
    if not (executor is None or hasattr(executor, "submit")):
        message = f"executor is {type(executor).__name__}, expected one of concurrent.futures, such as a pool"
        raise TypeError(message)


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
    values = parameter_words.of_values(parameters)
    if measure is not None and not callable(measure):
        message = f"measure is {measure!r}, expected a function of a dem.Trajectory"
        raise TypeError(message)
    check_executor(executor)
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
    tell: Callable[[SweepRun, Outcome], None] = lambda *_: None,
) -> SweepTable:
    """Execute the runs of a plan that are left, report each finished one, and write the table; returns the table."""
    carry_out_together([plan], plan.left, executor=executor, jobs=jobs, threads=threads, progress=progress, tell=tell)
    plan.observe()
    return plan.table


def carry_out_together(
    plans: list[Plan],
    left: list[SweepRun],
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    tell: Callable[[SweepRun, Outcome], None] = lambda *_: None,
) -> None:
    """Execute runs of several plans with the same processes; writes their tables, without observables.

    Raises OSError if another sweep is being executed in one of the folders.
    """
    with ExitStack() as locks:
        for folder in dict.fromkeys(plan.table.path.parent.resolve() for plan in plans):
            locks.enter_context(locked_folder(folder))
        for plan in plans:
            plan.table.write()
        if left:
            _execute(plans, left, executor, jobs, threads, progress, tell)


def _execute(
    plans: list[Plan],
    left: list[SweepRun],
    executor: Executor | None,
    jobs: int | None,
    threads: int | None,
    progress: bool | None,
    tell: Callable[[SweepRun, Outcome], None],
) -> None:
    """Execute runs of several plans, and write their tables after each."""
    from dem.sweeps.processes import by_executor, by_processes  # noqa: PLC0415, multiprocessing takes a moment

    ended = failed = 0
    place = {member.path.resolve(): (plan, k) for plan in plans for k, member in enumerate(plan.members)}

    def done(member: SweepRun, outcome: Outcome) -> None:
        nonlocal ended, failed
        ended, failed = ended + (outcome.verdict != "STOPPED"), failed + (outcome.verdict in FAILED)
        plan, k = place[member.path]
        table = plan.table
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
                for plan in plans:
                    _tell_removed(plan)  # only here: what another machine has written may show later
    except KeyboardInterrupt as stopped:
        where = ", ".join(str(plan.table.path) for plan in plans)
        message = f"interrupted: {ended} of {counted(len(left), 'run')} ended, see {where}; the same call resumes"
        raise Interrupted(message, getattr(stopped, "signal", 2)) from None


def _tell_removed(plan: Plan) -> None:
    """Report runs that ended without error but have no file."""
    for k, member in enumerate(plan.members):
        row = plan.rows[k]
        if row.verdict not in ("", "ERROR", "STOPPED") and not member.path.exists():
            plan.put(k, Outcome("ERROR", row.seconds, f"{row.verdict}, but its file was removed"))
            warn(Notice("file-removed", f"{member.path} was removed after its run", "the same call makes it again"))
    plan.table.write()


def _anywhere(member: SweepRun, threads: int) -> SweepRun:
    """The run with absolute paths and a number of threads, for processes in other folders."""
    file = isinstance(member.case, str) and member.case.endswith(".toml")
    case = str(Path(member.case).resolve()) if file else member.case
    return member._replace(case=case, path=member.path.resolve(), threads=threads)


def one_for_each_kernel(members: list[SweepRun]) -> list[SweepRun]:
    """One run for each set of kernels: text parameters differ, or other numbers are zero.

    Examples
    --------
    >>> frictions = [{"friction": mu, "n": n} for mu in ("0", "0.1", "0.2") for n in ("10", "20")]
    >>> [each.settings for each in one_for_each_kernel([SweepRun("gas", settings, None, {}) for settings in frictions])]
    [{'friction': '0', 'n': '10'}, {'friction': '0.1', 'n': '10'}]
    """
    found = {}
    for member in members:
        kind = tuple(_sort_of(word) for word in member.settings.values())
        found.setdefault((member.case, kind), member)
    return list(found.values()) if len(members) > 1 else []


def _sort_of(word: str) -> object:
    try:
        return float(word.partition(" ")[0]) == 0
    except ValueError:
        return word
