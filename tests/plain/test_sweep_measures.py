"""Columns that a function adds to the table of a sweep."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dem
from dem.statistics import Spheres
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


class Fall(dem.Case):
    """A sphere falls freely, and says how far."""

    name = "fall"
    observable_names = ("height_m", "odd")
    odd: float = 0.0

    def build(self):
        """At rest at the origin."""
        nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        return dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[(0, 0, 0)]), None

    def observables(self, run):
        """Height at the end, and what is wrong if that is wanted."""
        more = {1: {"odd": 1.0}, 3: {"depth_m": 1.0}}.get(self.odd, {})
        return {"height_m": run.position[-1][0, 2], **more} if self.odd != 2 else None


FALLS = {"duration": [1e-3, 2e-3], "frames": 1, "time_step": 1e-5}


def test_observables_of_a_case_are_columns_of_its_sweeps(tmp_path: Path) -> None:
    """In the table that is returned, that is written, and that is made of finished runs, beside a function's."""
    with ThreadPoolExecutor(1) as pool:
        table = dem.sweep(Fall, FALLS, folder=tmp_path, executor=pool, measure=kinetic)
        heights = [float(row.measured["height_m"]) for row in table]
        assert heights == pytest.approx([-0.5 * 9.81 * t * t for t in FALLS["duration"]], rel=1e-9)  # but for rounding
        assert [[*row.measured] for row in SweepTable.read(table.path)] == [["height_m", "kinetic"]] * 2
        (tmp_path / "sweep.csv").unlink()  # as where runs were made by the commands of a list
        again = dem.sweep(Fall, FALLS, folder=tmp_path, executor=pool)
    assert [row.measured["height_m"] for row in again] == [row.measured["height_m"] for row in table]


@pytest.mark.parametrize(("odd", "error", "said"), [
    (1, ValueError, "another column"), (2, TypeError, "a dict"),
    (3, ValueError, "'depth_m', which observable_names of the case lack"),
])  # fmt: skip
def test_observables_that_are_none_are_refused(tmp_path: Path, odd: int, error: type, said: str) -> None:
    """The runs are there nevertheless."""
    with ThreadPoolExecutor(1) as pool, pytest.raises(error, match=f"^observables returned .*{said}"):
        dem.sweep(Fall, {**FALLS, "odd": odd}, folder=tmp_path, executor=pool)
    assert [row.verdict for row in SweepTable.read(tmp_path / "sweep.csv")] == ["PASS"] * 2


def seen(case: dem.Case, time: list, position: object) -> dict:
    """Observables of a run of a case whose grains, of 2 kg and 4 mm, were at these places (T, N, 3) at these times."""
    places = np.array(position, float)
    n = places.shape[1]
    spheres = Spheres(places[-1], np.full(n, 2e-3), np.arange(n))
    run = SimpleNamespace(time=np.array(time), position=places, mass=np.full(n, 2.0), spheres=lambda _: spheres)
    found = case.observables(run)
    assert {*found} == {*case.observable_names}
    return found


def test_a_heap_has_an_angle_of_repose_when_the_tube_is_clear_of_it() -> None:
    """Grains on a cone of 30°, by the tops of rings a diameter wide with each of their grains in the middle."""
    case = dem.cases()["heap"]()
    d = case.diameter
    about = np.arange(12) * np.pi / 6 + 0.1
    rings = [((k + 0.5) * d, (20 - k - 0.5) * d * np.tan(np.pi / 6)) for k in range(20)]
    cone = [[(r * np.cos(a), r * np.sin(a), z - 0.5 * d) for r, z in rings for a in about]]
    assert seen(case, [case.lifted], cone) == {
        "angle_of_repose_deg": pytest.approx(30, rel=1e-9), "angle_error_deg": pytest.approx(0, abs=1e-9),
        "height_m": pytest.approx(18.5 * d * np.tan(np.pi / 6) - d + d * np.tan(np.pi / 6), rel=1e-9),
        "base_m": pytest.approx(20 * d - d / np.tan(np.pi / 6), rel=1e-9),
    }  # fmt: skip
    for time, places in ((0.9 * case.lifted, cone), (case.lifted, [[(0, 0, 0.5 * d)]])):
        assert np.isnan([*seen(case, [time], places).values()]).all()


@pytest.mark.parametrize("name", ["hopper", "silo"])
def test_what_runs_out_of_a_hole_is_seen(name: str) -> None:
    """Four grains of 2 kg: two leave in the second interval, one in the fourth, and the last one stays, or leaves."""
    case = dem.cases()[name]()
    radius, hole = (case.orifice, 0.0) if name == "hopper" else case.profile()[0]
    heights = [[1, 1, 1, 1, 1], [1, 1, -1, -1, -1], [1, 1, -1, -1, -1], [1, 1, 1, 1, -1], [1, 1, 1, 1, 1]]
    places = np.zeros((5, 5, 3))
    places[:, :, 2] = hole + 0.01 * np.array(heights).T
    places[:, 4, 0] = 2 * radius
    found = seen(case, [0, 1, 2, 4, 5], places[:, :4])
    assert (found["discharged_kg"], found["discharge_rate_kg_per_s"]) == (6.0, 1.5)  # from 1 to 5 s
    assert np.isnan(found["discharge_time_s"])
    found = seen(case, [0, 1, 2, 4, 5], places[:, 1:4])
    assert found == {"discharged_kg": 6, "discharge_rate_kg_per_s": 1.5, "discharge_time_s": 5, "left_kg": 0}
    found = seen(case, [0, 1, 2, 4, 5], places[:, 4:])
    assert (found["discharged_kg"], found["left_kg"]) == (0.0, 2.0)
    assert np.isnan([found["discharge_rate_kg_per_s"], found["discharge_time_s"]]).all()
