"""Runs of the points of a study, as members of sweeps: a folder and a table for each stage and test."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.calibration.study import check_observables
from dem.files.reading.trajectory import Trajectory
from dem.sweeps.execute_run import case_of
from dem.sweeps.sweep import Plan, Ways, carry_out_together, planned

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from pathlib import Path

    from dem.calibration.study import Study
    from dem.sweeps.sweep_runs import SweepRun
    from dem.sweeps.table import Outcome

TRUSTED = ("PASS", "WARN")  # verdicts of runs whose observables count
PATIENCE = 0.5  # [s] between looks at runs that other processes are writing


class RunsLeftError(Exception):
    """Raised if runs must be started elsewhere, as in a job array; `commands` lists them."""

    def __init__(self, commands: list[str]) -> None:
        super().__init__(f"runs left to start elsewhere: {len(commands)}")
        self.commands = commands


class Batch(NamedTuple):
    """Points whose runs are finished, with their observables."""

    points: list[tuple[float, ...]]
    values: dict[tuple[str, str], np.ndarray]  # by test and name: (points, seeds)
    files: dict[str, list[Path]]  # by test: the first run of each point


class Runs:
    """Runs of a study in a folder.

    Parameters
    ----------
    study : Study
    folder : path
        Of the study.
    executor, jobs, threads, progress
        As of `dem.sweep`.
    tell : function
        Called with each run and its outcome.
    listed : bool
        Raise `RunsLeftError` with the commands of runs in place of making them.
    """

    def __init__(
        self, study: Study, folder: Path, *, executor: Executor | None = None, jobs: int | None = None,
        threads: int | None = None, progress: bool | None = None,
        tell: Callable[[SweepRun, Outcome], None] = lambda *_: None, listed: bool = False,
    ) -> None:  # fmt: skip
        self.study, self.folder, self.listed = study, folder, listed
        self.threads = threads
        self.batches: dict[int, list[Batch]] = {}  # by stage
        self.checked: set[str] = set()  # tests of which a run has shown the names of its observables
        self.ways = {"executor": executor, "jobs": jobs, "threads": threads, "progress": progress, "tell": tell}

    def evaluate(self, stage: int, points: list[tuple[float, ...]]) -> dict[tuple[str, str], np.ndarray]:
        """Values of all observables of the points of a stage, by test and name: (points, seeds).

        Points that were asked for before are not looked at again.
        """
        batches = self.batches.setdefault(stage, [])
        first = sum(len(batch.points) for batch in batches)
        if first < len(points):
            batches.append(self._batch(stage, points[first:], first))
        names = dict.fromkeys(name for batch in batches for name in batch.values)
        found = {}
        for name in names:
            parts = [(batch.values.get(name), len(batch.points)) for batch in batches]
            seeds = next(values.shape[1] for values, _ in parts if values is not None)
            parts = [np.full((count, seeds), math.nan) if each is None else each for each, count in parts]
            found[name] = np.concatenate(parts)
        return found

    def file(self, stage: int, test: str, point: int) -> Path:
        """File of the first run of a test at a point."""
        files = [path for batch in self.batches[stage] for path in batch.files[test]]
        return files[point]

    def _batch(self, stage: int, points: list[tuple[float, ...]], first: int) -> Batch:
        """Make the runs of points that follow the `first` ones."""
        members = {test: self._settings(stage, test, points, first) for test in self.study.tests}
        while True:
            plans = {test: self._plan(stage, test, rows) for test, (rows, _) in members.items()}
            if not any(found.state == "running" for plan in plans.values() for found in plan.found):
                break
            time.sleep(PATIENCE)
        left = [
            member
            for plan in plans.values()
            for member, row, found in zip(plan.members, plan.rows, plan.found, strict=True)
            if found.state != "finished" and row.verdict != "ERROR"  # which would break again
        ]
        if left and self.listed:
            wanted = {member.path for member in left}
            raise RunsLeftError([
                line for plan in plans.values()
                for member, line in zip(plan.left, plan.commands(), strict=True) if member.path in wanted
            ])  # fmt: skip
        tests = {member.path.resolve(): test for test, plan in plans.items() for member in plan.members}

        def done(member: SweepRun, outcome: Outcome) -> None:
            self.ways["tell"](member, outcome)
            if outcome.verdict in TRUSTED:
                self._check_observables(tests[member.path], member)

        carry_out_together([*plans.values()], left, **self.ways | {"tell": done})
        values, files = {}, {}
        for test, plan in plans.items():
            plan.observe(missing=True)
            rows_of = members[test][1]
            values |= _values(test, plan, rows_of)
            files[test] = [plan.members[k].path for k in rows_of[:, 0]]
        return Batch(points, values, files)

    def _check_observables(self, test: str, member: SweepRun) -> None:
        """Check the names of observables by the first run of a case that does not list them.

        Raises ValueError if it lacks one, before other runs are made in vain.
        """
        if test in self.checked:
            return
        self.checked.add(test)
        case = case_of(member).case
        if not case.observable_names:
            with Trajectory(member.path) as run:
                found = case.observables(run)
            if isinstance(found, Mapping):  # anything else is refused with its file when it becomes columns
                check_observables(self.study, test, case.name, {*found})

    def _settings(
        self, stage: int, test: str, points: list[tuple[float, ...]], first: int
    ) -> tuple[list[dict[str, str]], np.ndarray]:
        """Settings of all different runs of a test, and the index of the run of each point and seed (points, seeds)."""
        table = self.study.stages[stage]
        seeds = table.seeds if self.study.tests[test].seed else 1
        row_of: dict[tuple, int] = {}
        rows = np.empty((len(points), seeds), np.int64)
        for i, point in enumerate(points):
            for j in range(seeds):
                words = self.study.settings(table, test, point, self.study.seed + (first + i) * seeds + j)
                rows[i, j] = row_of.setdefault(tuple(words.items()), len(row_of))
        return [dict(words) for words in row_of], rows

    def _plan(self, stage: int, test: str, rows: list[dict[str, str]]) -> Plan:
        columns = {key: [row[key] for row in rows] for key in rows[0]}
        columns = {key: words if len({*words}) > 1 else words[:1] for key, words in columns.items()}
        return planned(
            self.study.tests[test].case, columns, folder=self.folder / f"stage-{stage + 1}" / test,
            ways=Ways(zipped=True, most=None), threads=self.threads, overwrite=False, options={},
            way_out="take another folder (--output), or remove the files",
        )  # fmt: skip


def _values(test: str, plan: Plan, rows_of: np.ndarray) -> dict[tuple[str, str], np.ndarray]:
    """Observables of a test (points, seeds); nan of runs that failed."""
    rows = [row.measured if row.verdict in TRUSTED else {} for row in plan.rows]
    names = dict.fromkeys(name for row in rows for name in row)
    found = {name: np.array([float(row.get(name, math.nan)) for row in rows]) for name in names}
    return {(test, name): column[rows_of] for name, column in found.items()}
