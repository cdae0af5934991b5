"""Coverage of calibrations: how often 95 % regions and intervals of `dem.calibrate` contain the hidden parameters.

``python -m benchmarks.calibration_coverage [TRIALS]`` makes whole calibrations, in which formulas replace runs. They
were fitted to runs of the small column of `tests/test_calibration_compiled.py`: the spread of a collapse of 40 grains,
with a scatter between seeds that depends on the parameters by a factor of two, and tests of one particle that have no
scatter. Each trial hides other parameters and draws other measurements, with nine repetitions. The region of a trial is
the ellipsoid of mean and covariance of the parameters that agree.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dem.calibration.findings import parameters_found
from dem.calibration.search import Points, search
from dem.calibration.study import Observable, Parameter, Stage, Study, Test, student_factor
from dem.calibration.surrogate import extra_library

BUDGETS = {2: 16, 3: 26}  # points, by number of parameters
SEEDS, REPEATS, TRIALS, BATCH = 2, 9, 400, 4
ERROR = 0.02  # of tests of one particle, over the value
LEVEL = 0.95
PARAMETERS = (
    Parameter("friction", 0.1, 0.8, False, "", {"spread": ["friction"], "incline": ["friction"]}),
    Parameter("rolling_friction", 0.01, 0.3, True, "", {"spread": ["rolling_friction"]}),
    Parameter("restitution", 0.3, 0.9, False, "", {"spread": ["restitution"], "drop": ["restitution"]}),
)


def spread(x: np.ndarray) -> tuple[float, float]:
    """Mean and scatter of the column's spread [mm] at a point of the unit cube (3,), a fit to 61 points of six runs."""
    u, v, w = x - 0.5
    mean = 17.87 + 0.18 * u - 13.52 * v + 3.43 * w + 4.41 * u**2 - 9.47 * v**2 + 2.7 * w**2 - 1.04 * v * w
    mean += 12.15 * v**3 - 10.07 * u**3 - 7.13 * u * v**2 + 6.21 * u**2 * v
    return mean, math.exp(-0.24 + 0.27 * u - 0.61 * v - 0.12 * w - 0.17 * u**2 - 2.18 * v**2 + 0.4 * w**2)


def observe(x: np.ndarray, number: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Observables of runs with a number of seeds; a single value without scatter."""
    mean, scatter = spread(np.append(x, 0.5) if len(x) < 3 else x)
    found = {"spread": mean + scatter * rng.standard_normal(number), "incline": np.array([0.1 + 0.7 * x[0]])}
    return found | ({"drop": np.array([0.3 + 0.6 * x[2]])} if len(x) > 2 else {})


def measure(x: np.ndarray, rng: np.random.Generator) -> list[Observable]:
    """Measured values at a point, and their standard errors."""
    found = []
    for name, values in observe(x, REPEATS, rng).items():
        if len(values) > 1:
            error = student_factor(REPEATS) * values.std(ddof=1) / math.sqrt(REPEATS)
            found.append(Observable(name, name, float(values.mean()), float(error)))
        else:
            error = ERROR * values[0]
            found.append(Observable(name, name, float(values[0] + error * rng.standard_normal()), float(error)))
    return found


class Trial(NamedTuple):
    """Results of a calibration, compared with the hidden parameters."""

    in_region: bool
    in_intervals: float  # share of the parameters whose 95 % intervals hold them
    misfit: float  # χ² of the surrogates at the hidden parameters, by errors of measurement and surrogates


def trial(d: int, number: int) -> Trial:
    """Calibrate d hidden parameters, and compare."""
    rng = np.random.default_rng([number, d])
    truth = rng.uniform(0.15, 0.85, d)
    seen = tuple(measure(truth, rng))
    tests = {one.test: Test("", {}, "seed" if one.test == "spread" else None) for one in seen}
    study = Study("s", PARAMETERS[:d], tests, seen, (Stage(BUDGETS[d], SEEDS, {}),), number, BATCH, None, None, ())
    runs: list[dict[str, np.ndarray]] = []

    def evaluate(_: int, points: list[tuple[float, ...]]) -> dict:
        for point in points[len(runs) :]:
            x = np.array([p.share(value) for p, value in zip(study.parameters, point, strict=True)])
            runs.append(observe(x, SEEDS, rng))
        return {(name, name): np.array([run[name] for run in runs]) for name in tests}

    fit, _ = search(study, evaluate, Points(study, None), lambda _: None)
    x = fit.posterior.x
    off = truth - x.mean(0)
    inside = off @ np.linalg.solve(np.cov(x.T), off) < extra_library("scipy.stats").chi2.ppf(LEVEL, d)
    hidden = [p.value(share) for p, share in zip(study.parameters, truth, strict=True)]
    found = parameters_found(study, fit)
    intervals = np.mean([each.lower <= value <= each.upper for each, value in zip(found, hidden, strict=True)])
    misfit = 0.0
    for one in seen:
        mean, variance = fit.surrogates[one.test, one.name](truth[None])
        misfit += float((mean[0] - one.measured) ** 2 / (variance[0] + one.error**2))
    return Trial(bool(inside), float(intervals), misfit)


def main(words: list[str]) -> None:
    """Print the coverage for two and for three parameters."""
    trials = int(words[0]) if words else TRIALS
    for d in BUDGETS:
        with threadpool_limits(1, "blas"):
            regions, intervals, misfits = np.array([trial(d, number) for number in range(trials)], float).T
        share = [
            f"{100 * each.mean():.1f} ± {100 * each.std() / math.sqrt(trials):.1f} %" for each in (regions, intervals)
        ]
        print(
            f"{d} parameters: {share[0]} of the regions and {share[1]} of the intervals hold the hidden values; "
            f"mean χ² at these {misfits.mean():.2f} of {d} observables"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
