"""Grids of independent runs: every combination of parameters, with one process per core."""

from __future__ import annotations

import itertools
import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dem.validation.report import Report

Grid = dict[str, tuple]  # values of each parameter


class GridStudy(NamedTuple):
    """A study of independent runs."""

    name: str
    grid: Grid
    quick: Grid  # values in place of those of `grid`
    measure: Callable[..., dict]  # one run, from its parameters to its row
    cost: Callable[[dict], float]  # by which the longest runs begin first
    report: Callable[[Sequence[dict]], Report]  # of all rows

    def __call__(self, *, quick: bool) -> Report:
        """Compute all runs, with one process if they are quick ones, and report them."""
        points = self.points(self.quick if quick else {})
        return self.report(list(self.rows(points, 1 if quick else multiprocessing.cpu_count())))

    def points(self, changes: Mapping[str, tuple]) -> list[dict]:
        """Parameters of each run, the longest first; raises ValueError for unknown names in the changes."""
        for name in changes:
            if name not in self.grid:
                raise ValueError(f"{self.name} has no parameter {name}: expected one of {', '.join(self.grid)}")
        values = self.grid | dict(changes)
        points = [dict(zip(values, each, strict=True)) for each in itertools.product(*values.values())]
        return sorted(points, key=self.cost, reverse=True)

    def rows(self, points: Sequence[dict], processes: int) -> Iterator[dict]:
        """Parameters and results of each run, as the runs end."""
        if processes == 1:
            yield from (point | self.measure(**point) for point in points)
            return
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
            running = {pool.submit(self.measure, **point): point for point in points}
            for done in as_completed(running):
                yield running[done] | done.result()


def means(rows: Sequence[dict], key: str, **parameters: float) -> tuple[list, list]:
    """Ascending values of one parameter, and mean results of the rows for each value at given other parameters.

    Examples
    --------
    >>> rows = [{"seed": k, "friction": f, "ratio": f + k} for k in (1, 2) for f in (0.5, 0.1)]
    >>> values, found = means(rows, "friction")
    >>> values, [each["ratio"] for each in found]
    ([0.1, 0.5], [1.6, 2.0])
    """
    chosen = [row for row in rows if all(row[name] == value for name, value in parameters.items())]
    values = sorted({row[key] for row in chosen})
    found = []
    for value in values:
        some = [row for row in chosen if row[key] == value]
        numbers = [name for name, number in some[0].items() if isinstance(number, (int, float))]
        found.append({name: sum(row[name] for row in some) / len(some) for name in numbers})
    return values, found


def values_of(text: str) -> tuple:
    """Values of a parameter, separated by commas: numbers, true, false, or words.

    Examples
    --------
    >>> values_of("0.35,true,cylinder")
    (0.35, True, 'cylinder')
    """
    found = []
    for word in text.split(","):
        try:
            found.append(json.loads(word))
        except json.JSONDecodeError:
            found.append(word)
    return tuple(found)


def save(path: Path, study: str, rows: Sequence[dict]) -> None:
    """Write rows to a JSON file."""
    path.write_text(json.dumps({"study": study, "rows": list(rows)}, indent=1) + "\n")


def load(path: Path, study: str) -> list[dict]:
    """Rows of a JSON file; raises ValueError if they are those of another study."""
    found = json.loads(path.read_text())
    if found.get("study") != study:
        raise ValueError(f"{path} has rows of {found.get('study')}, expected {study}")
    return found["rows"]
