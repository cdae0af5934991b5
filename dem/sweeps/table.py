"""Table of the runs of a sweep."""

from __future__ import annotations

import csv
import numbers
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from dem.base.imports import library
from dem.base.replace import replace_when_done
from dem.base.text import counted
from dem.base.user_classes import set_declared
from dem.files.writing.output_settings import free_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    import pandas as pd

    from dem.case import AnyCase
    from dem.files.reading.trajectory import Trajectory

NAME = "sweep.csv"
TEXT = {"newline": "", "encoding": "utf-8", "errors": "surrogateescape"}  # names of files keep their bytes
OWN = ("file", "verdict", "seconds", "error")  # columns after the case and its parameters
FAILED = ("FAIL", "ERROR")
MEASURED = ("PASS", "WARN", "FAIL")  # verdicts of completed runs with a trajectory


class Outcome(NamedTuple):
    """Result of a run.

    ``verdict`` is PASS, WARN or FAIL; DONE of a study, which writes a table; ERROR if it broke or was refused; STOPPED
    by a signal; nothing if it has not been run, or another process is running it. ``seconds`` of computing are those
    that its file tells; ``error`` says in words why it failed, ``warnings`` what it warned of.
    """

    verdict: str = ""
    seconds: float | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()


class Row(NamedTuple):
    """Row of a sweep table: parameters as given, file in the folder of the table, and outcome."""

    parameters: dict[str, str]
    file: str
    verdict: str = ""
    seconds: float | None = None
    error: str = ""
    measured: dict[str, str] = MappingProxyType({})  # columns that `SweepTable.measure` has added


class SweepTable:
    """Table of the runs of a sweep; ``len``, indices and loops give rows, see `dem.sweep`.

    On disk it is ``sweep.csv``, one line a run: case, parameters, file, verdict, seconds, error, what was measured.

    Parameters
    ----------
    path : path
        Path of the file.
    case : str
        Name of the case.
    columns : list of str
        Names of the parameters.
    rows : list of Row

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = SweepTable(Path(folder) / "sweep.csv", "gas", ["n"], [Row({"n": "10"}, "gas_n=10.h5", "PASS", 1.5)])
    ...     table.write()
    ...     read = SweepTable.read(table.path)
    ...     print(table.path.read_text(), end="")
    case,n,file,verdict,seconds,error
    gas,10,gas_n=10.h5,PASS,1.500,
    >>> read[0] == table[0], str(read).partition(": ")[2]
    (True, '1 run: 1 PASS')
    """

    __setattr__ = set_declared

    path: Path
    case: str
    columns: list[str]
    rows: list[Row]

    def __init__(self, path: str | PathLike, case: str, columns: list[str], rows: list[Row]) -> None:
        self.path, self.case, self.columns, self.rows = Path(path), case, list(columns), list(rows)

    def __len__(self) -> int:
        """Number of runs."""
        return len(self.rows)

    def __getitem__(self, key: int) -> Row:
        """Row of a run."""
        return self.rows[key]

    def __iter__(self) -> Iterator[Row]:
        """Iterate over the rows."""
        return iter(self.rows)

    def __str__(self) -> str:
        """The table in one line."""
        found = Counter(row.verdict or "not run" for row in self)
        return f"{self.path}: {counted(len(self), 'run')}: {', '.join(f'{n} {word}' for word, n in found.items())}"

    @property
    def failed(self) -> list[Row]:
        """Runs that ended with an error, were refused, or have the verdict FAIL."""
        return [row for row in self if row.verdict in FAILED]

    def measure(self, function: Callable[[Trajectory], object]) -> None:
        """Add columns computed by a function of each run, and write the file; see `dem.sweep`.

        The function gets the trajectory (`dem.Trajectory`, open) of each completed run, and returns a
        number, for a column of the function's name, or a dict of names to numbers. Other rows are empty there.

        Raises
        ------
        TypeError, ValueError
            If it returns something else, or a name that another column has.
        """

        def columns(run: Trajectory) -> Mapping:
            given = function(run)
            return given if isinstance(given, Mapping) else {getattr(function, "__name__", "measured"): given}

        self.rows = [self._measured(row, columns, "measure") for row in self]
        self.write()

    def observe(self, cases: list[AnyCase], *, missing: bool = False) -> None:
        """Add the columns of the case's `observables` (that of the first rows), and write the file.

        If only those that are `missing` are wanted, rows that have any keep them.

        Raises
        ------
        TypeError, ValueError
            As of `measure`.
        """
        for k, case in enumerate(cases):
            if not (missing and self.rows[k].measured):
                self.rows[k] = self._measured(self.rows[k], case.observables, "observables", case.observable_names)
        self.write()

    def _measured(
        self, row: Row, columns: Callable[[Trajectory], Mapping], whose: str, names: tuple[str, ...] = ()
    ) -> Row:
        """Row with the columns that a function computes from its run, if the run is complete.

        They are among these names, if there are any.
        """
        from dem.files.reading.trajectory import Trajectory  # noqa: PLC0415 (tables are read without h5py)

        if row.verdict not in MEASURED:
            return row
        with Trajectory(self.path.parent / row.file) as run:
            given = columns(run)
        found = {}
        if not isinstance(given, Mapping):
            message = f"{whose} returned {given!r} for {row.file}, expected a dict of names to numbers"
            raise TypeError(message)
        for name, value in given.items():
            if not isinstance(value, numbers.Real) or not isinstance(name, str):
                message = f"{whose} returned {value!r} for {row.file}, expected a number, or a dict of them"
                raise TypeError(message)
            if name in ("case", *self.columns, *OWN):
                message = f"{whose} returned {name!r}, which is another column of the table: call it otherwise"
                raise ValueError(message)
            if names and name not in names:
                message = f"{whose} returned {name!r}, which observable_names of the case lack: add it"
                raise ValueError(message)
            found[name] = repr(float(value)) if not isinstance(value, numbers.Integral) else str(int(value))
        return row._replace(measured={**row.measured, **found})

    def to_pandas(self) -> pd.DataFrame:
        """Table as by ``pandas.read_csv("sweep.csv")``; raises ImportError if pandas is not installed."""
        return library("pandas", extra="tables", purpose="a table").read_csv(
            self.path, encoding_errors="surrogateescape"
        )

    def write(self) -> None:
        """Write the file, atomically; raises OSError if this fails.

        A folder that was removed is made again. Another file than a table is left as it is: the table then has a new
        `path`, such as ``sweep.kept.csv``.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            try:
                SweepTable.read(self.path)
            except ValueError:
                self.path = free_path(self.path, "kept")
        with (
            replace_when_done(self.path) as partial,
            partial.open("w", **TEXT) as file,
        ):
            writer = csv.writer(file, lineterminator="\n")
            more = list(dict.fromkeys(name for row in self for name in row.measured))
            writer.writerow(["case", *self.columns, *OWN, *more])
            for row in self:
                seconds = "" if row.seconds is None else f"{row.seconds:.3f}"
                values = (row.parameters[name] for name in self.columns)
                own = row.file, row.verdict, seconds, "; ".join(row.error.splitlines())
                writer.writerow([self.case, *values, *own, *(row.measured.get(name, "") for name in more)])

    @classmethod
    def read(cls, path: str | PathLike) -> SweepTable:
        """Read a table from a file; raises OSError, or ValueError if the file is not one."""
        path = Path(path)
        try:
            with path.open(**TEXT) as file:
                header, *lines = csv.reader(file)
                first = len(header) - 1 - header[::-1].index(OWN[-1]) - len(OWN) + 1  # of the columns of all tables
                last, cases = first + len(OWN), {line[0] for line in lines}
                if header[0] != "case" or tuple(header[first:last]) != OWN or len(cases) > 1:
                    raise ValueError
                columns, more = header[1:first], header[last:]
                rows = [_row(columns, more, line) for line in lines]
        except (ValueError, IndexError, csv.Error):
            message = f"{path} is no table of a sweep: take another folder"
            raise ValueError(message) from None
        return cls(path, next(iter(cases), ""), columns, rows)


def _row(columns: list[str], more: list[str], line: list[str]) -> Row:
    end = len(line) - len(more)
    file, verdict, seconds, error = line[end - len(OWN) : end]
    parameters = dict(zip(columns, line[1 : end - len(OWN)], strict=True))
    measured = {name: value for name, value in zip(more, line[end:], strict=True) if value}
    return Row(parameters, file, verdict, float(seconds) if seconds else None, error, measured)
