"""Compare searches on synthetic calibrations by the number of runs until the misfit is at the level of noise.

``python -m benchmarks.calibration`` hides parameters in formulas of an angle, an occupancy and a rebound with noise.
It counts points until one is as good as the hidden ones, by the misfit without noise: of the search of `dem.calibrate`,
and of CMA-ES of the packages cma and optuna, which have to be installed beside.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from dem.calibration.search import Points, search
from dem.calibration.study import Observable, Parameter, Stage, Study, Test

RANGES = {"sliding": (0.1, 1.0), "rolling": (0.01, 0.4), "cohesion": (0.2, 0.9)}
NOISE = np.array([0.4, 0.3, 0.02])
SEEDS, REPEATS, MAX_RUNS, TRIALS = 2, 9, 240, 10


def formulas(point: tuple[float, ...]) -> np.ndarray:
    """Observables without noise (3,)."""
    sliding, rolling, *rest = point
    angle = 30 * sliding**0.27 * (rolling / 0.1) ** 0.06 + 5
    occupancy = 3 + 2 * math.log(rolling / 0.05) + sliding
    return np.array([angle, occupancy, rest[0] ** 2 * (1 + 0.3 * sliding) if rest else 0.0])


class Problem:
    """Hidden parameters, synthetic measurements, and the points that a search has evaluated."""

    def __init__(self, number: int, d: int) -> None:
        rng = np.random.default_rng([11, number])
        self.parameters = tuple(Parameter(name, *RANGES[name], True, "", {"t": [name]}) for name in [*RANGES][:d])
        self.rng, self.d = rng, d
        self.truth = [p.value(share) for p, share in zip(self.parameters, rng.uniform(0.15, 0.85, d), strict=True)]
        self.errors = (NOISE / math.sqrt(REPEATS))[:d]
        self.measured = formulas(self.truth)[:d] + self.errors * rng.standard_normal(d)
        self.points: list[tuple[float, ...]] = []
        self.values: list[np.ndarray] = []

    def observe(self, point: tuple[float, ...]) -> np.ndarray:
        """Observables of the runs of a point (SEEDS, d)."""
        self.points.append(point)
        self.values.append((formulas(point) + NOISE * self.rng.standard_normal((SEEDS, 3)))[:, : self.d])
        return self.values[-1]

    def loss(self, shares: np.ndarray) -> float:
        """Misfit χ² of a point in the unit cube, with noise."""
        found = self.observe(tuple(p.value(share) for p, share in zip(self.parameters, shares, strict=True))).mean(0)
        return float((((found - self.measured) ** 2) / (self.errors**2 + NOISE[: self.d] ** 2 / SEEDS)).sum())

    def needed(self) -> int:
        """Number of points until the misfit without noise is at the level of noise."""
        for k, point in enumerate(self.points, start=1):
            if (((formulas(point)[: self.d] - self.measured) / self.errors) ** 2).sum() <= self.d:
                return k
        return MAX_RUNS


def by_surrogates(problem: Problem) -> None:
    """Search as `dem.calibrate` does."""
    seen = tuple(
        Observable("t", str(k), m, e) for k, (m, e) in enumerate(zip(problem.measured, problem.errors, strict=True))
    )
    test, stage = Test("heap", {}, "seed"), Stage(MAX_RUNS, SEEDS, {})
    study = Study("s", problem.parameters, {"t": test}, seen, (stage,), 1, 8, None, None, ())

    def evaluate(_: int, points: list[tuple[float, ...]]) -> dict:
        for point in points[len(problem.points) :]:
            problem.observe(point)
        values = np.array(problem.values)
        return {("t", str(k)): values[:, :, k] for k in range(problem.d)}

    search(study, evaluate, Points(study, None), lambda _: None)


def by_cma(problem: Problem) -> None:
    """Minimise the misfit by CMA-ES of the package cma."""
    import cma  # noqa: PLC0415, only here

    options = {"bounds": [0, 1], "maxfevals": MAX_RUNS, "seed": 1, "verbose": -9, "tolfun": 0, "tolx": 1e-4}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cma.fmin2(problem.loss, problem.d * [0.5], 0.25, options)


def by_optuna(problem: Problem) -> None:
    """Minimise the misfit by CMA-ES of the package optuna."""
    import optuna  # noqa: PLC0415, only here

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.CmaEsSampler(seed=1))

    def loss(trial: optuna.Trial) -> float:
        return problem.loss(np.array([trial.suggest_float(p.name, 0.0, 1.0) for p in problem.parameters]))

    study.optimize(loss, n_trials=MAX_RUNS)


def main() -> None:
    """Print the number of points that each search needs: median and largest of the trials."""
    for d in (2, 3):
        for name, way in (("surrogates", by_surrogates), ("cma", by_cma), ("optuna", by_optuna)):
            found = []
            for number in range(TRIALS):
                problem = Problem(number, d)
                way(problem)
                found.append(problem.needed())
            print(f"{d} parameters, {name}: median {np.median(found):g}, largest {max(found)}")


if __name__ == "__main__":
    main()
