"""A table of comma-separated values, tidy: a row for each particle in each frame.

Numbers have as many digits, up to 17, as it takes to read back the same bits.
"""

from __future__ import annotations

import csv
from itertools import repeat
from typing import TYPE_CHECKING

from dem.files.exports.format import Format
from dem.files.schema import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dem.files.trajectory import Trajectory

COLUMNS = {
    name: tuple(column if field.unit == "1" else f"{column} [{field.unit}]" for column in field.columns)
    for name, field in MEANINGS.items()
    if not field.derive
}


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    step, time, kind = run.step.tolist(), run.time.tolist(), run.species.tolist()
    with path.open("w", newline="", encoding="ascii") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["frame", "step", "time [s]", "particle", "kind"] + [c for f in fields for c in COLUMNS[f]])
        for k in frames:
            columns = [column for name in fields for column in getattr(run, name)[k].T.tolist()]
            table.writerows(zip(*map(repeat, (k, step[k], time[k])), range(len(kind)), kind, *columns, strict=False))


FORMAT = Format(".csv", lambda _: {name: (name,) for name in COLUMNS}, _write)
