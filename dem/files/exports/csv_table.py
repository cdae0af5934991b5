"""Export a table of comma-separated values in tidy form: one row for each particle in each frame.

Numbers have as many digits, up to 17, as reading back the same bits needs.
"""

from __future__ import annotations

import csv
from itertools import repeat
from typing import TYPE_CHECKING

from dem.base.checks import TABLES
from dem.files.exports.format import Format
from dem.files.reading.stored_field import read_in_blocks
from dem.model.particles.fields import ROWS, STATE, heading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dem.files.reading.trajectory import Trajectory


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    step, time, kind = run.step.tolist(), run.time.tolist(), run.kind.tolist()
    with path.open("w", newline="", encoding="ascii") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([heading(*row) for row in ROWS.items()] + [c for name in fields for c in STATE[name].headings])
        if run.varies:
            for k in frames:  # only particles that are present
                frame = run[k]
                columns = [column for name in fields for column in frame.field(name).T.tolist()]
                who = frame.identity.tolist(), frame.kind.tolist()
                table.writerows(zip(*map(repeat, (k, step[k], time[k])), *who, *columns, strict=False))
            return
        for k, values in read_in_blocks([run.field(name) for name in fields], frames):
            columns = [column for each in values for column in each.T.tolist()]
            table.writerows(zip(*map(repeat, (k, step[k], time[k])), range(len(kind)), kind, *columns, strict=False))


FORMAT = Format(TABLES, lambda _: {name: (name,) for name in STATE}, _write)
