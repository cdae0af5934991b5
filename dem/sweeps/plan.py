"""Plan of a sweep: its errors, or its runs, the state of each, and the table."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dem.base import checks
from dem.base.cpu_info import cores
from dem.base.text import counted, error_in_words
from dem.case import AnyCase, BaseCase, StudyCase
from dem.run import request
from dem.sweeps import members as sets
from dem.sweeps.members import MANY, Member
from dem.sweeps.stored import RunOnDisk, chosen, has_threads, look
from dem.sweeps.table import NAME, OWN, Outcome, Row, SweepTable

if TYPE_CHECKING:
    from os import PathLike

    from dem.casefile import Chosen

OPTIONS = ("fields", "float32", "compression", "contacts", "checkpoint_every", "strict", "force")
CHECKED = OPTIONS[:5]
MOST_TOLD = 20  # lines of what is wrong
SWITCHES = ("float32", "contacts", "strict", "force")


class Ways(NamedTuple):
    """How parameters are combined, see `dem.sweeps.members.combined`."""

    zipped: bool = False
    drawn: int | None = None
    seed: int = 1
    most: int | None = MANY


class Plan(NamedTuple):
    """A sweep before it is made."""

    members: list[Member]
    found: list[RunOnDisk]
    table: SweepTable  # a row for each member, and those of earlier calls

    @property
    def rows(self) -> list[Row]:
        """What came of each run."""
        return self.table.rows[: len(self.members)]

    @property
    def left(self) -> list[Member]:
        """Runs that are not finished, nor being run."""
        pairs = zip(self.members, self.found, strict=True)
        return [member for member, found in pairs if found.state not in ("finished", "running")]

    def put(self, k: int, outcome: Outcome) -> None:
        """Note what came of run k."""
        self.table.rows[k] = self.table.rows[k]._replace(**{name: getattr(outcome, name) for name in OWN[1:]})

    def observe(self) -> None:
        """Write the table with the columns that the case has by its `observables`, see `dem.case.bases.BaseCase`."""
        runs = [chosen(member).case for member in self.members]
        if getattr(type(runs[0]), "observables", BaseCase.observables) is not BaseCase.observables:
            self.table.observe(runs)

    def commands(self) -> list[str]:
        """Of what is left, a command each, that makes the same file."""
        pairs = zip(self.members, self.found, strict=True)
        return [command(m, resumed=f.state == "unfinished", begun=f.state == "begun")
                for m, f in pairs if f.state not in ("finished", "running")]  # fmt: skip


def planned(
    case: str | PathLike | type[AnyCase], parameters: dict[str, list[str]], *, folder: str | PathLike | None,
    ways: Ways, threads: int | None, overwrite: bool, options: dict[str, Any],
) -> Plan:  # fmt: skip
    """Plan a sweep; parameters are words, see `dem.sweeps.words`.

    Raises
    ------
    ValueError, TypeError, OSError
        With one line for each error of any of the runs, before a run starts.
    """
    case, name = _named(case)
    if not parameters:
        message = f"give parameters with the values that they shall have, see dem cases {name}"
        raise ValueError(message)
    clash = next((each for each in parameters if each in ("case", *OWN)), None)
    if clash:
        message = f"{clash} cannot be swept: the table has a column of that name"
        raise ValueError(message)
    for option in options:
        checks.one_of("option", option, OPTIONS)
    if threads is not None:
        checks.whole("threads", threads, least=1)
    combinations = sets.combined(parameters, **ways._asdict())
    folder = checks.folder(folder or Path(f"{name}-sweep"), parents=True)
    drafts = [Member(case, each, folder, options, threads, overwrite) for each in combinations]
    runs = _checked(drafts)
    endings = {".csv" if isinstance(run.case, StudyCase) else ".h5" for run in runs}
    files = sets.names(name, parameters, combinations, endings.pop())
    table = _table(folder / NAME, name, parameters, combinations, files)
    files = [row.file for row in table.rows[: len(files)]]
    members = [
        draft._replace(path=folder / file, threads=draft.threads if has_threads(run) else None)
        for draft, file, run in zip(drafts, files, runs, strict=True)
    ]
    return _found(members, runs, table)


def _named(case: str | PathLike | type[AnyCase]) -> tuple[str | type[AnyCase], str]:
    """The case as members have it, and what its files are called."""
    if isinstance(case, type) and issubclass(case, AnyCase):
        return case, case.name
    if not isinstance(case, (str, Path)):
        message = f"case is {case!r}, expected a name, the path of a case file, or a class such as dem.Case"
        raise TypeError(message)
    return str(case), Path(case).stem if str(case).endswith(".toml") else str(case)


def _checked(drafts: list[Member]) -> list[Chosen]:
    """The cases of all runs; raises ValueError with all that is wrong, each line once."""
    runs, wrong = [], {}
    for draft in drafts:
        try:
            run = chosen(draft)
            _check(run, draft)
            runs.append(run)
        except (ValueError, TypeError, OSError) as error:
            wrong |= dict.fromkeys(error_in_words(error).splitlines())
    if wrong:
        more = [f"and {len(wrong) - MOST_TOLD} more"] if len(wrong) > MOST_TOLD else []
        raise ValueError("\n".join([*list(wrong)[:MOST_TOLD], *more]))
    return runs


def _check(run: Chosen, draft: Member) -> None:
    """Errors of a run that can be found before its simulation is made."""
    options = run.options | draft.options
    if isinstance(run.case, StudyCase):
        if options:
            message = f"{run.name} writes a table: leave out what is about trajectories and warnings"
            raise ValueError(message)
        return
    there = {name: value for name, value in options.items() if name in CHECKED}
    request.checked(run.case.duration, frames=run.case.frames, **there)
    stepped = getattr(run.case, "table", run.case)
    if hasattr(stepped, "integrator"):
        request.check_steps(run.case.duration, stepped.time_step, stepped.integrator, stepped.threads)


def _table(
    path: Path, name: str, parameters: dict[str, list[str]], combinations: list[dict[str, str]], files: list[str]
) -> SweepTable:
    """The table with a row for each run, and those of earlier calls, whose files keep their names."""
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


def _found(members: list[Member], runs: list[Chosen], table: SweepTable) -> Plan:
    """The plan; raises ValueError if there are other runs in the files, which are not to be replaced."""
    found = [look(member, run) for member, run in zip(members, runs, strict=True)]
    other = [(m, f) for m, f in zip(members, found, strict=True) if f.state == "other" and not m.overwrite]
    if other:
        lines = [f"{m.path.name}: {f.outcome.error}" for m, f in other[:MOST_TOLD]]
        what = counted(len(other), "file of other runs", f"has {len(other)}")
        way_out = "take another folder, or --overwrite (overwrite=True) replaces them"
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


def command(member: Member, *, resumed: bool = False, begun: bool = False) -> str:
    """The command that starts a run, or resumes it.

    Examples
    --------
    >>> command(Member("many-spheres", {"n": "1000", "speed": "5 cm/s"}, Path("a/b.h5"), {"float32": True}))
    "dem run many-spheres --set n=1000 --set 'speed=5 cm/s' --float32 -o a/b.h5"
    """
    words = ["dem", "run"]
    threads = ["--threads", str(member.threads)] if member.threads else []
    switches = [f"--{name}" for name in SWITCHES if member.options.get(name)]
    values = [word for name in ("fields", "compression", "checkpoint_every") if member.options.get(name)
              for word in (f"--{name.replace('_', '-')}", _joined(member.options[name]))]  # fmt: skip
    if resumed:
        strict = ["--strict"] if member.options.get("strict") else []
        return shlex.join([*words, "--resume", str(member.path), *threads, *strict])
    case = member.case if isinstance(member.case, str) else member.case.name
    settings = [word for name, value in member.settings.items() for word in ("--set", f"{name}={value}")]
    replaced = ["--overwrite"] if member.overwrite or begun else []
    return shlex.join([*words, case, *settings, *threads, *values, *switches, *replaced, "-o", str(member.path)])


def _joined(value: object) -> str:
    return (
        value
        if isinstance(value, str)
        else ",".join(map(str, value))
        if isinstance(value, (list, tuple))
        else str(value)
    )


def shares(runs: int, jobs: int | None, threads: int | None) -> tuple[int, int]:
    """Number of processes and of threads of each, as given or by the number of cores.

    Raises
    ------
    ValueError, TypeError
        If a number is invalid, or several processes with several threads exceed the number of cores.
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
