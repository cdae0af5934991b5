"""Calibration finds hidden parameters within the stated uncertainty, and reports undetermined combinations."""

import math
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from typer.testing import CliRunner

import dem
from dem.calibration import findings
from dem.calibration.posterior import Likelihood
from dem.calibration.search import Points, scatter_correlation, search
from dem.calibration.study import Observable, Parameter, Stage, Study, read_repeats, read_study, student_factor
from dem.calibration.study import Test as VirtualTest
from dem.calibration.surrogate import Hyperparameters, Surrogate
from dem.cli.application import app
from dem.sweeps.table import SweepTable

STAGES = (Stage(40, 2, {}),)
RANGES = {"sliding": (0.1, 1.0, True), "rolling": (0.01, 0.4, True), "restitution": (0.2, 0.9, False)}
NOISE = np.array([0.4, 0.3, 0.02])  # standard deviation of a run, and of a measurement
REPEATS = 9


def formulas(point):
    """An angle by a power law, an occupancy and a rebound, such as of three tests."""
    sliding, rolling, *rest = point
    angle = 30 * sliding**0.27 * (rolling / 0.1) ** 0.06 + 5
    occupancy = 3 + 2 * math.log(rolling / 0.05) + sliding
    return np.array([angle, occupancy, rest[0] ** 2 * (1 + 0.3 * sliding) if rest else 0.0])


def study_of(names, observables, *, seed=1, stages=STAGES):
    """Parameters of these names, and observables as name: (measured, standard error) of one test."""
    ranges = (Parameter(name, *RANGES[name], "", {"t": [name]}) for name in names)
    seen = (Observable("t", name, *each) for name, each in observables.items())
    return Study(
        "s", tuple(ranges), {"t": VirtualTest("heap", {}, "seed")}, tuple(seen), stages, seed, 8, None, None, ()
    )


def computed(study, of, seed=0, noise=NOISE, bias=(0.0, 0.0)):
    """Function that gives observables of points by formulas, with the noise of each run, in place of runs."""
    made = {}

    def evaluate(stage, points):
        for k, point in enumerate(points):
            rng = np.random.default_rng([seed, stage, k])
            scatter = noise * rng.standard_normal((study.stages[stage].seeds, len(noise)))
            made.setdefault((stage, point), of(point) + bias[stage] + scatter)
        values = np.array([made[stage, point] for point in points])
        return {("t", one.name): values[:, :, int(one.name[-1])] for one in study.observables}

    return evaluate


def found(study, of, **more):
    """Fit of a search without files, and what was told."""
    lines = []
    fit, doubts = search(study, computed(study, of, **more), Points(study, None), lines.append)
    return fit, doubts, lines


def trial(number, d):
    """Whether hidden parameters of a trial are in the region that is stated to hold them in 95 % of cases."""
    rng = np.random.default_rng([7, number])
    names = list(RANGES)[:d]
    study = study_of(names, {})
    truth = [p.value(share) for p, share in zip(study.parameters, rng.uniform(0.15, 0.85, d), strict=True)]
    measured = (formulas(truth) + NOISE * rng.standard_normal((REPEATS, 3))).mean(0)[:d]
    errors = NOISE / math.sqrt(REPEATS)
    study = study_of(names, {f"o{k}": (m, errors[k]) for k, m in enumerate(measured)}, seed=number)
    fit, doubts, _ = found(study, formulas, seed=number)
    assert not doubts
    assert not findings.directions(study, fit)
    off = np.array([p.share(value) for p, value in zip(study.parameters, truth, strict=True)]) - fit.posterior.x.mean(0)
    return off @ np.linalg.solve(np.cov(fit.posterior.x.T), off) < {2: 5.99, 3: 7.81}[d]  # χ² of 95 %


@pytest.mark.long
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(("trials", "least"), [(1, 1), pytest.param(20, 18, marks=pytest.mark.slow)])
def test_hidden_parameters_are_found_within_the_stated_uncertainty(d, trials, least):
    assert sum(trial(number, d) for number in range(trials)) >= least


def test_surrogates_of_few_points_hold_the_truth_as_often_as_they_say():
    """At least 89 of a hundred 95 % intervals, by 14 points with noise, hold the exact value in 99 % of cases."""
    inside = 0
    for number in range(100):
        rng = np.random.default_rng([23, number])
        x, at = rng.random((14, 2)), 0.1 + 0.8 * rng.random((1, 2))
        noise = rng.uniform(0.05, 0.2)
        y = _bent(x) + noise * rng.standard_normal(14)
        mean, variance = Surrogate(x, y, np.full(14, noise**2))(at)
        inside += abs(mean - _bent(at))[0] < 1.96 * math.sqrt(variance[0])
    assert inside >= 89


def _bent(x):
    """A rise that saturates, and a wave across it."""
    return np.tanh(3 * x[:, 0]) + 0.5 * np.sin(4 * x[:, 1])


def test_slopes_of_the_posterior_of_hyperparameters_are_its_differences():
    rng = np.random.default_rng(4)
    x = rng.random((12, 2))
    hyper = Hyperparameters(x, _bent(x) - _bent(x).mean(), np.full(12, 0.01))
    for logs in (np.array([0.3, -0.4, 0.2, -3.0]), np.array([2.0, 1.0, -1.0, -8.0])):
        steps = 1e-5 * np.eye(4)
        slopes = [(hyper.loss(logs + step)[0] - hyper.loss(logs - step)[0]) / 2e-5 for step in steps]
        assert hyper.loss(logs)[1] == pytest.approx(slopes, rel=1e-5, abs=1e-6)  # h² of the differences, and rounding


def test_the_gradient_and_the_mean_of_a_surrogate_are_those_of_a_plane():
    x = np.random.default_rng(5).random((9, 2))
    surrogate = Surrogate(x, 2 + x @ [3.0, -1.0], np.zeros(9))
    assert surrogate.gradient(np.array([0.4, 0.6])) == pytest.approx([3.0, -1.0], abs=1e-3)  # noise of 1e-8 is left
    assert surrogate.mean(np.array([[0.2, 0.7]])) == pytest.approx([1.9], abs=1e-3)


def noisy_lines(correlation):
    """Likelihood of two observables x + 0.1 and 2 x at six points, with noise in the runs."""
    x = np.linspace(0, 1, 6)[:, None]
    surrogates = [Surrogate(x, y, np.full(6, 0.01)) for y in (x[:, 0] + 0.1, 2 * x[:, 0])]
    return Likelihood(surrogates, [0.7, 1.0], [0.2, 0.1], correlation)


def test_the_likelihood_of_correlated_observables_is_a_normal_density_of_several_variables():
    correlation, x = np.array([[1, 0.8], [0.8, 1]]), np.array([[0.3], [0.55]])
    likelihood = noisy_lines(correlation)
    means, variances = zip(*(surrogate(x) for surrogate in likelihood.surrogates), strict=True)
    for k, log in enumerate(likelihood(x)):
        (s, t), (e, f) = np.sqrt([each[k] for each in variances]), likelihood.errors
        shared = 0.8 * (s * t + e * f)
        normal = multivariate_normal([m[k] for m in means], [[s * s + e * e, shared], [shared, t * t + f * f]])
        assert log == pytest.approx(normal.logpdf(likelihood.measured) + math.log(2 * math.pi * e * f), abs=1e-9)
    assert noisy_lines(np.eye(2))(x) == pytest.approx(noisy_lines(np.diag([1, 1 + 1e-12]))(x), abs=1e-9)


def test_an_observable_that_deviates_with_another_adds_little_information():
    """Two with equal slopes and errors have 2/(1 + ρ) times the information of one."""
    x = np.linspace(0, 1, 6)[:, None]
    same = [Surrogate(x, x[:, 0], np.zeros(6))] * 2
    one, two = (Likelihood(same[:n], n * [0.5], n * [0.1], np.full((n, n), 0.8) + 0.2 * np.eye(n)) for n in (1, 2))
    at = np.array([0.5])
    assert two.information(at)[0, 0] == pytest.approx(2 / 1.8 * one.information(at)[0, 0], rel=1e-9)
    assert one.information(at)[0, 0] == pytest.approx(1 / 0.1**2, rel=1e-3)  # slope 1; the surrogate adds some 1e-8


def test_the_correlation_of_scatter_is_that_between_seeds_alone():
    """Observables that rise together from point to point, with a scatter of another sign; nan of a failed run."""
    rng, at = np.random.default_rng(4), np.linspace(0, 9, 400)[:, None]
    first, second = rng.standard_normal((2, 400, 2))
    second = -0.6 * first + 0.8 * second
    first[3, 1] = np.nan
    found = scatter_correlation([("a", at + first), ("b", at + first), ("a", at + second), ("a", at + 0 * second)])
    assert found[0, 2] == found[2, 0] == pytest.approx(-0.6, abs=4 * 0.64 / math.sqrt(400))
    assert (found[np.ix_([1, 3], [0, 2])] == 0).all()
    assert (np.diag(found) == 1).all()


@pytest.mark.long
def test_one_angle_does_not_tell_sliding_from_rolling_friction():
    """The report names the ridge, by two ends that agree alike, and the observable that would tell them apart."""
    study = study_of(["sliding", "rolling"], {"o0": (23.0, 0.3), "o1": (math.nan, 0.2)})
    fit, _, _ = found(study, formulas)
    said = "\n".join(findings.messages(study, fit))
    assert re.search("a combination of sliding and rolling|sliding is not id|rolling is not id", said), said
    (direction,) = findings.directions(study, fit)
    ends = [formulas(tuple(end.values()))[0] for end in direction.ends]
    assert ends == pytest.approx([23.0, 23.0], abs=1.0)
    (gain,) = findings.gains(study, fit, direction)
    assert gain.label == "t: o1"
    assert gain.left < 0.3
    assert "measure t: o1 to ±0.2" in said
    alone, _, _ = found(study_of(["sliding", "rolling"], {"o0": (23.0, 0.3)}), formulas)
    assert "add a test of another kind" in "\n".join(
        findings.messages(study_of(["sliding", "rolling"], {"o0": (23.0, 0.3)}), alone)
    )


def test_standard_errors_are_not_proposed_as_measurements():
    study = study_of(
        ["sliding", "rolling"], {"o0": (23.0, 0.3), "o_error_1": (math.nan, 0.2)}, stages=(Stage(12, 2, {}),)
    )
    fit, _, _ = found(study, formulas)
    assert ("t", "o_error_1") in fit.surrogates
    assert findings.gains(study, fit, findings.directions(study, fit)[0]) == []


def test_an_observable_that_runs_lack_ends_the_search():
    """The message tells runs that failed from those that ended without the observable, and names their table."""
    study = study_of(["sliding"], {"o0": (23.0, 0.3)}, stages=(Stage(12, 2, {}),))

    def evaluate(_, points):
        return {("t", "o0"): np.full((len(points), 2), math.nan)}

    with pytest.raises(ValueError, match=r"o0 was found at 0 of 8 points only. In stage-1/t/sweep.csv .* nan in runs"):
        search(study, evaluate, Points(study, None), lambda _: None)


def test_what_has_no_influence_is_told_after_the_first_points():
    study = study_of(["sliding", "rolling"], {"o0": (20.0, 0.3), "o1": (1.0, 0.1)}, stages=(Stage(12, 2, {}),))
    _, doubts, lines = found(study, lambda point: np.array([10 * point[0], 1.0, 0.0]))
    assert [line.partition(" more than")[0] for line in doubts] == [
        "no parameter changes t: o1", "rolling changes no measured observable",
    ]  # fmt: skip
    assert lines[:2] == doubts


@pytest.mark.long
def test_a_second_stage_corrects_what_a_coarse_one_has_wrong():
    """Coarse grains are 3° and 1 mm² off everywhere; eight fine points suffice."""
    truth = (0.4, 0.08)
    stages = (Stage(32, 1, {}), Stage(8, 1, {}))
    measured = dict(zip(("o0", "o1"), zip(formulas(truth), (0.2, 0.15), strict=False), strict=False))
    study = study_of(["sliding", "rolling"], measured, stages=stages)
    coarse = study._replace(stages=stages[:1])
    bias, small = (np.array([3.0, 1.0, 0.0]), 0.0), 0.2 * NOISE
    off = [
        abs(fit.posterior.x.mean(0) - [p.share(v) for p, v in zip(study.parameters, truth, strict=True)])
        / fit.posterior.x.std(0)
        for fit, _, _ in (found(each, formulas, bias=bias, noise=small) for each in (coarse, study))
    ]
    assert max(off[0]) > 3
    assert max(off[1]) < 2.5


def test_a_misfit_below_the_noise_and_one_that_no_point_mends_are_told():
    for measured, words in (((20.0, 20.5), "below the noise"), ((40.0, 0.0), "no point agrees with all measurements")):
        study = study_of(["sliding"], {"o0": (measured[0], 0.5), "o1": (measured[1], 0.5)}, stages=(Stage(16, 2, {}),))
        fit, _, _ = found(study, lambda point: np.array([20 * point[0] + 10, 20 * point[0] + 10.5, 0.0]))
        assert words in " ".join(findings.messages(study, fit))


def test_points_that_disagree_where_the_surrogates_agree_call_for_more_points():
    """Three points far from the solution determine straight lines exactly."""
    study = study_of(["sliding"], {"o0": (20.0, 0.05), "o1": (20.5, 0.05)}, stages=(Stage(3, 1, {}),))
    fit, _, _ = found(study, lambda point: np.array([20 * point[0] + 10, 20 * point[0] + 10.5, 0.0]), noise=0.0 * NOISE)
    assert fit.misfit.min() > 100
    assert "raise the budget" in " ".join(findings.messages(study, fit))


@pytest.mark.long
def test_a_search_that_was_interrupted_chooses_the_same_points(tmp_path):
    """Whatever was kept when it ended."""
    study = study_of(["sliding", "rolling"], {"o0": (22.0, 0.3), "o1": (3.0, 0.2)}, stages=(Stage(28, 2, {}),))
    evaluate = computed(study, formulas)
    whole = Points(study, tmp_path / "whole")
    search(study, evaluate, whole, lambda _: None)
    for end in (12, 28):

        def until(stage, points, end=end):
            if len(points) >= end:
                raise KeyboardInterrupt
            return evaluate(stage, points)

        with pytest.raises(KeyboardInterrupt):
            search(study, until, Points(study, tmp_path / "part"), lambda _: None)
    search(study, evaluate, Points(study, tmp_path / "part"), lambda _: None)
    assert (tmp_path / "part" / "points.csv").read_text() == (tmp_path / "whole" / "points.csv").read_text()
    with pytest.raises(ValueError, match="holds another study"):
        Points(study._replace(seed=2), tmp_path / "part")


INSTANT = """
import math
import numpy as np
import dem

class Instant(dem.HardSphereCase):
    '''One sphere that does nothing, with observables by formulas.'''
    name = "instant"
    sliding: float = 0.5
    rolling: float = 0.1
    seed: int = 1
    duration: float = 1e-6
    frames: int = 1

    def build(self):
        ball = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        place = [(0.5, 0.5, 0.5)]
        return dem.Particles(dem.Sphere(diameter=0.01), ball, position=place), dem.Box((0, 0, 0), (1, 1, 1), ball)

    def material(self):
        return dem.Material(young=5e7, poisson=0.35, density=1100.0, friction=self.sliding, name="ball")

    def observables(self, run):
        chance = np.random.default_rng(self.seed).standard_normal(2)
        angle = 50 + 15 * math.log10(self.sliding * self.rolling)
        return {"angle_deg": angle + 0.3 * chance[0], "area_mm2": 500 + 200 * self.rolling + 2 * chance[1]}
"""
CASE = {"parameters": {"sliding": {"bounds": [0.1, 1.0], "scale": "log"}, "rolling": {"bounds": [0.01, 0.5]}},
        "budget": 18, "seeds": 1, "batch": 6}  # fmt: skip
MEASURED = {"angle_deg": {"measured": 25.0, "standard_error": 0.3}, "area_mm2": {"measured": 520.0}}


@pytest.fixture(scope="module")
def instant(tmp_path_factory):
    """The class, in a module of a folder that can be imported from."""
    folder = tmp_path_factory.mktemp("module")
    (folder / "instant_case.py").write_text(INSTANT)
    sys.path.insert(0, str(folder))
    yield __import__("instant_case").Instant
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def calibrated(instant, tmp_path_factory):
    """A whole calibration with files: its folder, and what it found."""
    folder = tmp_path_factory.mktemp("calibration")
    study = CASE | {"tests": {"heap": {"case": instant, "observables": MEASURED}}, "budget": 6}
    with ThreadPoolExecutor(1) as pool:
        return folder, study, dem.calibrate(study, folder=folder, executor=pool, progress=False)


def test_runs_are_members_of_a_sweep_and_are_not_made_again(calibrated, monkeypatch):
    folder, study, first = calibrated
    table = SweepTable.read(folder / "stage-1" / "heap" / "sweep.csv")
    assert len(table) == len({row.file for row in table}) == len(first.fit.x)
    assert {row.verdict for row in table} == {"PASS"}
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.h5")}
    monkeypatch.setattr(dem.Calibration, "write_report", lambda *_: None)
    with ThreadPoolExecutor(1) as pool:
        again = dem.calibrate(study, folder=folder, executor=pool, progress=False)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.h5")} == before
    assert str(again) == str(first)
    assert "area_mm2 has no standard error: 5 % of it, 26, is assumed" in str(first)


def test_a_damaged_folder_is_refused_with_the_file_and_a_remedy(calibrated, instant, tmp_path):
    folder, study, _ = calibrated
    damaged = {"study.json": r"study\.json is no record of a study", "points.csv": r"points\.csv is no table of points"}
    run = next((folder / "stage-1" / "heap").glob("*.h5")).relative_to(folder)
    damaged[str(run)] = r"has 1 file of other runs: take another folder \(--output\), or remove the files"
    for name, message in damaged.items():
        shutil.rmtree(tmp_path)
        shutil.copytree(folder, tmp_path)
        (tmp_path / name).write_bytes(b"\xff\x00 damaged")
        with ThreadPoolExecutor(1) as pool, pytest.raises(ValueError, match=message):
            dem.calibrate(study, folder=tmp_path, executor=pool, progress=False)


def test_arguments_of_other_types_are_named_before_anything_is_computed(instant, tmp_path):
    study = CASE | {"tests": {"heap": {"case": instant, "observables": MEASURED}}}
    for given, options, message in (
        ([study], {}, "expected the path of a study file, or its content"),
        (study, {"executor": 3}, "executor is int, expected one of concurrent.futures"),
        (study, {"tell": 3}, "tell is 3, expected a function of a line"),
    ):
        with pytest.raises(TypeError, match=message):
            dem.calibrate(given, folder=tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_observables_that_are_no_table_are_named_with_their_run(instant, tmp_path):
    odd = type("Odd", (instant,), {"observables": lambda *_: None, "name": "odd", "__module__": __name__})
    study = CASE | {"tests": {"heap": {"case": odd, "observables": MEASURED}}, "budget": 4}
    with ThreadPoolExecutor(1) as pool, pytest.raises(TypeError, match="observables returned None for odd_"):
        dem.calibrate(study, folder=tmp_path, executor=pool, progress=False)


def test_the_report_is_one_file_with_everything_in_it(calibrated):
    folder, _, result = calibrated
    text = (folder / "report.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    for heading in ("Parameters", "Correlation", "Measured and simulated", "History", "Materials"):
        assert f">{heading}</h" in text
    assert text.count("<img ") == 4
    friction = result.best["sliding"]
    assert f"friction = {friction!r}" in result.materials
    assert result.materials.startswith("[materials.ball]")
    assert result.materials.splitlines()[-1].startswith("# found: sliding = ")


GOOD = {
    "parameters": {"friction": {"bounds": [0.1, 0.8]}, "young": {"bounds": ["1 MPa", "5 MPa"], "scale": "log"}},
    "tests": {"heap": {"case": "heap", "observables": {"angle_of_repose_deg": {"measured": 25.0}}}},
}


def changed(path, value):
    """The good study with a value at a dotted path; None takes it away."""
    content = {
        key: {name: dict(table) for name, table in tables.items()} for key, tables in GOOD.items()
    }  # two levels are enough
    node = content
    *where, last = path.split(".")
    for key in where:
        node = node.setdefault(key, {})
    if value is None:
        del node[last]
    else:
        node[last] = value
    return content


@pytest.mark.parametrize(("path", "value", "message"), [
    ("parameters.young.bounds", [1e6, 5e6], "young: the bound 1e+06 has no unit: expected a modulus, such as '50 MPa'"),
    ("parameters.gravity", {"bounds": [5, 10]}, "the bound 5 has no unit: expected an acceleration, such as"),
    ("parameters.friction.bounds", ["0.1 Pa", 0.5], "friction: the bound '0.1 Pa' has a unit or is no number"),
    ("parameters.friction.bounds", [0.8], "friction.bounds: expected the smallest and the largest value"),
    ("parameters.friction", 0.5, "friction is 0.5: input should be a table, with keys of bounds, scale, set"),
    ("parameters.slip", {"bounds": [0.1, 0.5], "set": "friction"}, "parameters.friction of heap set friction too"),
    ("tests.heap.settings", {"friction": 0.3}, "parameters.friction: the settings of heap set friction too"),
    ("tests.heap.observables", {"angle": 25.0}, "a table, with keys of measured, standard_error, file"),
    ("parameters.friction.bounds", [0.8, 0.1], "friction: bounds are 0.8 and 0.1, expected the smaller one first"),
    ("parameters.friction", {"bounds": [0.0, 1.0], "scale": "log"}, "expected one above 0 on a log scale"),
    ("parameters.fricton", {"bounds": [0.1, 1.0]}, "unknown parameter of heap 'fricton': did you mean friction?"),
    ("parameters.friction.bounds", [-0.5, 0.5], "friction is .*greater than or equal to 0"),
    ("parameters.friction.scal", "log", "parameters.friction.scal: unknown key"),
    ("tests.heap.case", "hepa", "unknown case 'hepa': did you mean heap?"),
    ("tests.heap.settings", {"n": -3}, "tests.heap: n is .*greater than 0"),
    ("tests.heap.observables", {"angle": {}}, "no observable has a measured value"),
    ("tests.heap.observables", {"angle": {"measured": 1.0, "standard_error": 0.0}}, "standard_error is 0.0"),
    ("tests.heap.observables", {"angle": {"measured": 0.0}}, "standard_error is missing, and 5 % of a measured 0"),
    ("tests.heap.observables", {"angle": {"measured": 1.0, "standard_error": 1e-300}}, "has a square beyond the range"),
    ("tests.heap.observables", {"angle": {"measured": 1e300}}, "has a square beyond the range of numbers"),
    ("tests.heap.observables", {"friction": {"measured": 1.0}}, "a parameter of the case has this name"),
    ("tests.heap.observables", {"angle": {"file": "none.csv"}}, "no file none.csv"),
    ("stages", [{"budget": 5, "settings": {"hep": {"n": 3}}}], "stages.0.settings.hep: unknown test 'hep'"),
    ("stages", [{"budget": 5, "settings": {"heap": {"n": "x"}}}], "stages.0.settings.heap: n is 'x'"),
    ("tests.heap.picture", "none.png", "picture none.png is no file"),
    ("budget", 0, "budget is 0"),
    ("budget", 3, "budget is 3, expected at least 4 points for 2 parameters"),
    ("stages", [{"budget": 5}, {"budget": 2}], "stages.1.budget is 2, expected at least 4 points"),
    ("tests.heap.observables", {"angle_of_repose": {"measured": 25.0}},
     "tests.heap.observables: unknown observable of heap 'angle_of_repose': did you mean angle_of_repose_deg?"),
    ("tests.heap.observables", {"height_m": {"measured": 0.02}, "left_kg": {}}, "known are angle_of_repose_deg,"),
    ("parameters.friction.bounds", [0.1, math.inf], "friction.bounds: expected finite numbers, not inf"),
    ("parameters.friction.bounds", [0.1, 0.10000000001], "one value in 6 digits"),
    ("parameters.friction", {"bounds": [0.1, 0.8], "set": {}}, "friction: it sets nothing in any test"),
    ("parameters.stage", {"bounds": [0.1, 0.8], "set": "friction"}, "stage: the table of points has a column"),
    ("parameters.n", {"bounds": [100, 300]}, "tests.heap: n is '174.2': input should be a valid integer"),
    ("parameters.integrator", {"bounds": [1, 2]}, "integrator takes a text, which has no bounds"),
])  # fmt: skip
def test_bad_studies_are_refused_before_anything_is_computed(path, value, message):
    with pytest.raises((ValueError, OSError), match=message if "*" in message else re.escape(message)):
        read_study(changed(path, value))


@pytest.mark.parametrize("name", ["jobs", "threads"])
def test_no_process_and_no_thread_is_not_the_default(tmp_path, name):
    with pytest.raises(ValueError, match=f"{name} is 0, expected at least 1"):
        dem.calibrate(GOOD, folder=tmp_path, **{name: 0})


@pytest.mark.parametrize(("text", "message"), [
    ("height\n1\n2\n", "has no column angle"),
    ("angle;mass\n1,5;2\n", "other separators: export it with commas"),
    ("angle\n1\nx\n", "line 3: 'x' is no number of angle"),
    ("angle\n2\n2\n", "2 values of angle are all the same"),
    ("", "has no column angle"),
    ("angle,angle\n1,2\n3,4\n", "has 2 columns angle, expected one"),
    ("mass,angle\n1\n", "line 2: '' is no number of angle"),
])  # fmt: skip
def test_measured_files_in_a_wrong_form_are_refused(tmp_path, text, message):
    (tmp_path / "angles.csv").write_text(text)
    observables = {"angle": {"file": str(tmp_path / "angles.csv")}}
    with pytest.raises(ValueError, match=message):
        read_study(changed("tests.heap.observables", observables))


def test_equal_measurements_take_a_standard_error_that_is_given(tmp_path):
    (tmp_path / "angles.csv").write_text("angle_of_repose_deg\n24\n24\n")
    table = {"file": str(tmp_path / "angles.csv"), "standard_error": 0.5}
    (found,) = read_study(changed("tests.heap.observables", {"angle_of_repose_deg": table})).observables
    assert (found.measured, found.error) == (24.0, 0.5)


@pytest.mark.parametrize("text", ["\ufeffangle\n24\n26\n", "mass, angle \n1, 24\n1, 26\n"])
def test_measured_files_as_spreadsheets_write_them_are_read(tmp_path, text):
    (tmp_path / "angles.csv").write_text(text, "utf-8")
    assert read_repeats(tmp_path / "angles.csv", "angle") == (25.0, pytest.approx(6.48, abs=0.01), 2)


@pytest.mark.parametrize("n", [2, 3, 9])
def test_errors_of_few_repeats_give_intervals_that_hold_the_mean_in_95_percent_of_draws(n):
    """Of normal values, within 4 binomial deviations, 0.6 %; s/√n alone gives 70, 81 and 91 %."""
    draws = np.random.default_rng(n).normal(25.0, 2.0, (20000, n))
    errors = student_factor(n) * draws.std(1, ddof=1) / math.sqrt(n)
    inside = np.mean(abs(draws.mean(1) - 25.0) < 1.96 * errors)
    assert inside == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / len(draws)))


def test_the_number_of_repeats_is_told_unless_the_study_states_the_error(tmp_path):
    (tmp_path / "angles.csv").write_text("angle_of_repose_deg\n24\n26\n25\n")
    table = {"file": str(tmp_path / "angles.csv")}
    told = [
        read_study(changed("tests.heap.observables", {"angle_of_repose_deg": each})).notes
        for each in (table, table | {"standard_error": 0.5})
    ]
    assert told == [("heap: angle_of_repose_deg has 3 repetitions: its standard error is 1.27, 2.2 s/√3",), ()]


def test_an_error_of_a_study_names_the_page_that_helps(tmp_path):
    (tmp_path / "study.toml").write_text("[parameters]\nfriction = {bounds = [0.1, 0.8]}\n")
    done = CliRunner().invoke(app, ["calibrate", str(tmp_path / "study.toml")])
    *_, said, more = done.stderr.splitlines()
    assert said.endswith("tests is missing: a table for each, such as [tests.heap], with case and observables")
    assert more == "dem: more: dem guide calibration"


def test_an_observable_that_a_case_does_not_give_is_told_with_those_that_it_gives(instant, tmp_path):
    """By the first run of a class that does not list them, and without one if it does."""
    observables = {"angle": {"measured": 25.0}}
    lists = type("Lists", (instant,), {"observable_names": ("angle_deg", "area_mm2")})
    for kind, runs in ((instant, 1), (lists, 0)):
        folder = tmp_path / kind.__name__
        study = CASE | {"tests": {"heap": {"case": kind, "observables": observables}}}
        with (
            ThreadPoolExecutor(1) as pool,
            pytest.raises(ValueError, match=r"unknown observable of instant 'angle': did you mean angle_deg.*area_mm2"),
        ):
            dem.calibrate(study, folder=folder, executor=pool, progress=False)
        tables = [SweepTable.read(path) for path in folder.rglob("sweep.csv")]
        assert sum(row.verdict == "PASS" for table in tables for row in table) == runs


def test_a_test_is_called_as_a_folder_may_be():
    for name in ("", "..", "a/b", "/tmp"):
        with pytest.raises(ValueError, match="a folder has this name"):
            read_study(GOOD | {"tests": {name: GOOD["tests"]["heap"]}})


@pytest.mark.long
def test_a_later_stage_begins_with_enough_points_for_any_batch():
    study = study_of(["sliding", "rolling"], {"o0": (23.0, 0.3), "o1": (3.0, 0.2)}, stages=(Stage(12, 1, {}),) * 2)
    fit, *_ = found(study._replace(batch=1), formulas)
    assert fit.stage == 1


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=r"calibration needs scipy.*pip install 'pcdm-dem\[calibrate\]'"):
        dem.calibrate(GOOD)


KILLED = """
import os, pathlib, random, signal, sys, time
from concurrent.futures import ThreadPoolExecutor
import dem
import instant_case, scipy.optimize, scipy.stats
dem.Calibration.write_report = lambda *_: None  # which takes longer than all the rest
study = {study}
study["tests"] = {{"heap": {{"case": instant_case.Instant, "observables": {measured}}}}}
folder = pathlib.Path(sys.argv[1])

def calibrate(name):
    with ThreadPoolExecutor(1) as pool:
        return dem.calibrate(study, folder=folder / name, executor=pool, progress=False)

def finished():
    found = {{}}
    for path in (folder / "part").rglob("*.h5"):
        try:
            with dem.Trajectory(path) as run:
                if (run.verdict or "").startswith("PASS"):
                    found[path] = path.stat().st_mtime_ns
        except (ValueError, OSError):
            pass
    return found

whole, dice, done, moments = str(calibrate("whole")), random.Random(5), {{}}, 0
there = lambda: len([*(folder / "part").rglob("*.h5")])
for k in range({kills}):
    child = os.fork()
    if not child:
        calibrate("part")
        os._exit(0)
    files = there() + dice.randint(0, 1)  # of which the last one may be half written
    ended = 0
    while there() < files and not ended:
        ended, _ = os.waitpid(child, os.WNOHANG)
        time.sleep(0.001)
    time.sleep(dice.uniform(0, 0.05))
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    now = finished()
    assert done.items() <= now.items(), "a finished run was made again"
    moments += len(done) < len(now)
    done = now
assert str(calibrate("part")) == whole
assert done.items() <= finished().items()
points = [(folder / name / "points.csv").read_text() for name in ("whole", "part")]
assert points[0] == points[1]
assert moments, "all kills were before anything was done"
"""


@pytest.mark.long
@pytest.mark.parametrize(("kills", "budget"), [(8, 12), pytest.param(20, 24, marks=pytest.mark.slow)])
def test_killed_many_times_a_calibration_goes_on_and_computes_nothing_twice(instant, tmp_path, kills, budget):
    """And finds what one that was left alone finds."""
    script = KILLED.format(study=CASE | {"budget": budget}, measured=MEASURED, kills=kills)
    environment = {"PYTHONPATH": str(Path(sys.modules["instant_case"].__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, tmp_path], capture_output=True, text=True,
        check=False, timeout=600, env=os.environ | environment | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
