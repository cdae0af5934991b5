"""Columns that a function adds to the table of a sweep."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import dem
from dem.sweeps.table import SweepTable

VALUES = {"n": 8, "restitution": [0.5, 0.9], "duration": 1e-3, "frames": 1}


def kinetic(run: dem.Trajectory) -> float:
    """Energy at the end [J]."""
    return run.energy["total"][-1]


def test_a_function_adds_columns_to_the_table(tmp_path: Path) -> None:
    """What it returns of each file is in the rows and in the file, which is read again to the same rows."""
    with ThreadPoolExecutor(1) as pool:
        table = dem.sweep("hard-spheres", VALUES, folder=tmp_path, executor=pool, measure=kinetic)
        for row in table:
            with dem.Trajectory(tmp_path / row.file) as run:
                assert float(row.measured["kinetic"]) == run.energy["total"][-1]
        again = dem.sweep("hard-spheres", VALUES, folder=tmp_path, executor=pool)  # all are finished
    again.measure(lambda run: {"bodies": run.position.shape[1], "last": run.time[-1]})
    assert [{**row.measured, "kinetic": ""} for row in again] == [{"kinetic": "", "bodies": "8", "last": "0.001"}] * 2
    assert [row.measured["kinetic"] for row in again] == [row.measured["kinetic"] for row in table]
    assert [row.measured for row in SweepTable.read(again.path)] == [row.measured for row in again]
    assert again.path.read_text().splitlines()[0].endswith("file,verdict,seconds,error,kinetic,bodies,last")


def test_what_is_no_number_or_another_column_is_refused(tmp_path: Path) -> None:
    """Texts, and names of parameters."""
    with ThreadPoolExecutor(1) as pool:
        table = dem.sweep("hard-spheres", VALUES, folder=tmp_path, executor=pool)
    with pytest.raises(TypeError, match="expected a number"):
        table.measure(lambda _: "many")
    with pytest.raises(ValueError, match="another column"):
        table.measure(lambda _: {"n": 1})
    with pytest.raises(TypeError, match="expected a function"):
        dem.sweep("hard-spheres", VALUES, folder=tmp_path, measure="kinetic")
