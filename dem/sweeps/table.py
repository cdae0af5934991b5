"""The table of the runs of a sweep."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dem.base.declared import Declared
from dem.base.optional import library
from dem.base.replace import replace_when_done
from dem.base.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    import pandas as pd

NAME = "sweep.csv"
OWN = ("file", "verdict", "seconds", "error")  # columns after the case and its parameters
FAILED = ("FAIL", "ERROR")


class Outcome(NamedTuple):
    """What came of a run.

    ``verdict`` is PASS, WARN or FAIL; DONE of a study, which writes a table; ERROR if it broke or was refused; STOPPED
    by a signal; nothing if it has not been run, or is being run by somebody else. ``seconds`` of computing are those
    that its file tells; ``error`` says in words why it failed, ``warnings`` what it warned of.
    """

    verdict: str = ""
    seconds: float | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()


class Row(NamedTuple):
    """A run of a sweep: its parameters as they were given, its file in the folder of the table, and what came of it."""

    parameters: dict[str, str]
    file: str
    verdict: str = ""
    seconds: float | None = None
    error: str = ""


class SweepTable(Declared):
    """The runs of a sweep, in order; ``len``, indices and loops give rows, see `dem.sweep`.

    On disk it is ``sweep.csv``, one line a run: case, parameters, file, verdict, seconds, error.

    Parameters
    ----------
    path : path
        Of the file.
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

    path: Path
    case: str
    columns: list[str]
    rows: list[Row]

    def __init__(self, path: str | PathLike, case: str, columns: list[str], rows: list[Row]) -> None:
        self.path, self.case, self.columns, self.rows = Path(path), case, list(columns), list(rows)

    def __len__(self) -> int:
        """Count the runs."""
        return len(self.rows)

    def __getitem__(self, key: int) -> Row:
        """A run."""
        return self.rows[key]

    def __iter__(self) -> Iterator[Row]:
        """Run after run."""
        return iter(self.rows)

    def __str__(self) -> str:
        """One line."""
        found = Counter(row.verdict or "not run" for row in self)
        return f"{self.path}: {counted(len(self), 'run')}: {', '.join(f'{n} {word}' for word, n in found.items())}"

    @property
    def failed(self) -> list[Row]:
        """Runs that broke, were refused, or whose verdict is FAIL."""
        return [row for row in self if row.verdict in FAILED]

    def to_pandas(self) -> pd.DataFrame:
        """The same as ``pandas.read_csv("sweep.csv")``; raises ImportError if pandas is not installed."""
        return library("pandas", extra="tables", purpose="a table").read_csv(self.path)

    def write(self) -> None:
        """Write the file, which is there as a whole at any time; raises OSError if it cannot be."""
        with replace_when_done(self.path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["case", *self.columns, *OWN])
            for row in self:
                seconds = "" if row.seconds is None else f"{row.seconds:.3f}"
                values = (row.parameters[name] for name in self.columns)
                writer.writerow([self.case, *values, row.file, row.verdict, seconds, "; ".join(row.error.splitlines())])

    @classmethod
    def read(cls, path: str | PathLike) -> SweepTable:
        """The table that a file holds; raises OSError, or ValueError if it is none."""
        path = Path(path)
        try:
            with path.open(newline="", encoding="utf-8") as file:
                header, *lines = csv.reader(file)
                columns, cases = header[1 : -len(OWN)], {line[0] for line in lines}
                if header[0] != "case" or tuple(header[-len(OWN) :]) != OWN or len(cases) > 1:
                    raise ValueError
                rows = [_row(columns, line) for line in lines]
        except (ValueError, IndexError, csv.Error):
            message = f"{path} is no table of a sweep: take another folder"
            raise ValueError(message) from None
        return cls(path, next(iter(cases), ""), columns, rows)


def _row(columns: list[str], line: list[str]) -> Row:
    file, verdict, seconds, error = line[-len(OWN) :]
    parameters = dict(zip(columns, line[1 : -len(OWN)], strict=True))
    return Row(parameters, file, verdict, float(seconds) if seconds else None, error)
