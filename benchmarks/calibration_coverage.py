"""Coverage of calibrations: how often the 95 % regions of `dem.calibrate` hold hidden parameters.

``python -m benchmarks.calibration_coverage [DESIGNS]`` replaces runs by formulas that were fitted to runs of the small
column of `tests/test_calibration_compiled.py`: the spread of a collapse of 40 grains, with a scatter between seeds that
depends on the parameters by a factor of two, and tests of one particle that have no scatter. Points are spread over
the ranges and near the hidden parameters as those of a search, with two seeds. Measurements have nine repetitions, and
are drawn many times for each set of points. With as many observables as parameters, a region holds the hidden
parameters if their χ² is below its quantile.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from threadpoolctl import threadpool_limits

from dem.calibration.search import seen
from dem.calibration.study import student_factor
from dem.calibration.surrogate import Surrogate, needed

POINTS = {2: (12, 4), 3: (18, 8)}  # by number of parameters: over the ranges, and near the hidden parameters
NEAR = 0.12  # standard deviation of the latter about them, in ranges
SEEDS, REPEATS, DRAWS, DESIGNS = 2, 9, 400, 80
ERROR = 0.02  # of tests of one particle, over the value
LEVEL = 0.95


def spread(x: np.ndarray) -> tuple[float, float]:
    """Mean and scatter of the spread of the column [mm] at a point of the unit cube (3,), by 61 points of six runs."""
    u, v, w = x - 0.5
    mean = 17.87 + 0.18 * u - 13.52 * v + 3.43 * w + 4.41 * u**2 - 9.47 * v**2 + 2.7 * w**2 - 1.04 * v * w
    mean += 12.15 * v**3 - 10.07 * u**3 - 7.13 * u * v**2 + 6.21 * u**2 * v
    return mean, math.exp(-0.24 + 0.27 * u - 0.61 * v - 0.12 * w - 0.17 * u**2 - 2.18 * v**2 + 0.4 * w**2)


def observe(x: np.ndarray, number: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Observables of runs with so many seeds; one value of those without scatter."""
    mean, scatter = spread(np.append(x, 0.5) if len(x) < 3 else x)
    found = {"spread": mean + scatter * rng.standard_normal(number), "incline": np.array([0.1 + 0.7 * x[0]])}
    return found | ({"drop": np.array([0.3 + 0.6 * x[2]])} if len(x) > 2 else {})


def measure(x: np.ndarray, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Measured values at a point, and their standard errors."""
    found = {}
    for name, values in observe(x, REPEATS, rng).items():
        if len(values) > 1:
            found[name] = values.mean(), student_factor(REPEATS) * values.std(ddof=1) / math.sqrt(REPEATS)
        else:
            error = ERROR * values[0]
            found[name] = values[0] + error * rng.standard_normal(), error
    return found


def coverage(d: int, number: int) -> tuple[float, float]:
    """Share of measurements of which the region holds the hidden parameters, and standard deviation of the spread."""
    rng = np.random.default_rng([number, d])
    truth = rng.uniform(0.15, 0.85, d)
    over, near = POINTS[d]
    spread_out = needed("scipy.stats").qmc.LatinHypercube(d, rng=rng).random(over)
    x = np.concatenate([spread_out, (truth + NEAR * rng.standard_normal((near, d))).clip(0, 1)])
    runs = [observe(point, SEEDS, rng) for point in x]
    draws = [measure(truth, rng) for _ in range(DRAWS)]
    misfit, widths = np.zeros(DRAWS), {}
    for name in runs[0]:
        found = seen(np.array([run[name] for run in runs]))
        mean, variance = Surrogate(x, found.mean, found.error**2)(truth[None])
        measured, errors = np.array([draw[name] for draw in draws]).T
        misfit += (measured - mean[0]) ** 2 / (variance[0] + errors**2)
        widths[name] = float(np.sqrt(variance[0] + errors**2).mean())
    return float((misfit < needed("scipy.stats").chi2.ppf(LEVEL, d)).mean()), widths["spread"]


def main(words: list[str]) -> None:
    """Print a line for two and for three parameters."""
    designs = int(words[0]) if words else DESIGNS
    for d in POINTS:
        with threadpool_limits(1, "blas"):
            shares, widths = np.array([coverage(d, number) for number in range(designs)]).T
        print(
            f"{d} parameters: {100 * shares.mean():.1f} ± {100 * shares.std() / math.sqrt(designs):.1f} % of the "
            f"regions hold the hidden values, with a standard deviation of the spread of {widths.mean():.3f} mm"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
