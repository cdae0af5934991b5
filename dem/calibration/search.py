"""Search: choose points, batch by batch and stage by stage, among the parameters that agree with the measurements."""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.replace import replace_when_done
from dem.base.text import counted
from dem.calibration.posterior import Likelihood, Posterior, covariances, draw, spread_out, squared_distances
from dem.calibration.study import fewest, student_factor
from dem.calibration.surrogate import Surrogate, extra_library, influence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dem.calibration.study import Observable, Study

    Values = dict[tuple[str, str], np.ndarray]  # by test and name: (points, seeds), nan of runs that failed
    Evaluate = Callable[[int, list[tuple[float, ...]]], Values]

DESIGN = 6  # points of the first design for each parameter
BATCH_POWER = 0.5  # power of the likelihood from which further points of a stage are drawn
FIRST_POWER = 0.25  # that for the first points of a stage
SETTLED_VARIANCE = 0.05  # variance of surrogates over that of measurements, below which more runs add nothing
POINTS, IDENTITY = "points.csv", "study.json"


def _text(path: Path) -> str | None:
    """Text of a file that holds JSON; None if it holds anything else."""
    try:
        text = path.read_text("utf-8")
        json.loads(text)
    except ValueError:
        return None
    return text


class Points:
    """Points of a study, stored in a file as soon as they are chosen, so that a search continues with the same ones.

    Raises ValueError or OSError if the folder has the points of another study.
    """

    def __init__(self, study: Study, folder: Path | None) -> None:
        self.study, self.folder = study, folder
        self.stages: list[list[tuple[float, ...]]] = [[] for _ in study.stages]
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        identity = json.dumps(study.identity(), indent=1)
        path = folder / IDENTITY
        if not path.exists():
            if (folder / POINTS).exists():
                raise ValueError(f"{folder} has {POINTS}, but no {IDENTITY}: take another folder (--output)")
            with replace_when_done(path) as partial:
                partial.write_text(identity, "utf-8")
        elif (before := _text(path)) is None:
            raise ValueError(f"{path} is no record of a study: take another folder (--output)")
        elif before != identity:
            raise ValueError(
                f"{folder} holds another study: parameters, bounds, cases, settings, seeds or stages differ; "
                "take another folder (--output)"
            )
        if (folder / POINTS).exists():
            self._read(folder / POINTS)

    def _read(self, path: Path) -> None:
        names = [parameter.name for parameter in self.study.parameters]
        try:
            with path.open(newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    self.stages[int(row["stage"]) - 1].append(tuple(float(row[name]) for name in names))
        except (KeyError, ValueError, IndexError, TypeError):
            raise ValueError(f"{path} is no table of points of this study: take another folder (--output)") from None

    def add(self, stage: int, shares: np.ndarray) -> None:
        """Keep points (n, d) of the unit cube as rounded values of the parameters."""
        for row in shares:
            self.stages[stage].append(tuple(p.value(x) for p, x in zip(self.study.parameters, row, strict=True)))
        if self.folder is None:
            return
        with (
            replace_when_done(self.folder / POINTS) as partial,
            partial.open("w", newline="", encoding="utf-8") as file,
        ):
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["stage", *(parameter.name for parameter in self.study.parameters)])
            for k, points in enumerate(self.stages, start=1):
                writer.writerows([k, *map(repr, point)] for point in points)

    def shares(self, stage: int) -> np.ndarray:
        """Points of a stage in the unit cube (n, d)."""
        rows = [
            [p.share(value) for p, value in zip(self.study.parameters, point, strict=True)]
            for point in self.stages[stage]
        ]
        return np.array(rows).reshape(-1, len(self.study.parameters))


class Averages(NamedTuple):
    """Mean, scatter of a single run, and standard error of an observable at each point of a stage."""

    mean: np.ndarray  # (n,) over the seeds of each point; nan of points whose runs failed
    noise: float  # standard deviation by chance, of one run; nan if there is one seed
    error: np.ndarray  # (n,) standard deviation of the means by chance; 0 if that is not known


def averages(values: np.ndarray) -> Averages:
    """Means and the pooled scatter of values (points, seeds).

    Standard errors of the means are wider by `student_factor`, as this scatter has a limited number of repetitions.

    Examples
    --------
    >>> averages(np.array([[1.0, 3.0], [5.0, np.nan], [2.0, 2.0]])).noise
    1.0
    """
    finite = np.isfinite(values)
    count = finite.sum(1)
    filled = np.where(finite, values, 0.0)
    mean = np.divide(filled.sum(1), count, out=np.full(len(values), np.nan), where=count > 0)
    freedom = int((count - 1).clip(0).sum())
    if not freedom:
        return Averages(mean, math.nan, np.zeros(len(values)))
    residual = np.where(finite, values - mean[:, None], 0.0)
    noise = math.sqrt(float((residual**2).sum()) / freedom)
    return Averages(mean, noise, student_factor(freedom + 1) * noise / np.sqrt(np.maximum(count, 1)))


class Fit(NamedTuple):
    """Surrogates of the observables of a stage, and the parameters that agree with the measurements."""

    stage: int
    x: np.ndarray  # points in the unit cube (n, d)
    observed: dict[tuple[str, str], Averages]  # also of observables that were not measured
    surrogates: dict[tuple[str, str], Surrogate]
    likelihood: Likelihood
    posterior: Posterior
    misfit: np.ndarray  # χ² of each point (n,); nan of points whose runs failed

    @property
    def settled(self) -> bool:
        """Whether the surrogates' errors are so small, relative to those of measurement, that more runs add little."""
        pairs = zip(self.likelihood.surrogates, self.likelihood.errors, strict=True)
        return all(surrogate(self.posterior.x)[1].mean() < SETTLED_VARIANCE * error**2 for surrogate, error in pairs)


def fit_stage(
    study: Study, stage: int, x: np.ndarray, values: Values, before: Fit | None, rng: np.random.Generator
) -> Fit:
    """Fit surrogates to the runs of a stage, and draw parameters that agree with the measurements.

    Raises ValueError if too few runs gave an observable.
    """
    observed, surrogates = {}, {}
    measured = {(observable.test, observable.name): observable for observable in study.fitted}
    for key in dict.fromkeys([*measured, *values]):
        average = averages(values.get(key, np.full((len(x), 1), np.nan)))
        finite = np.isfinite(average.mean)
        if finite.sum() < fewest(x.shape[1]):
            if key in measured:
                raise ValueError(_too_few(measured[key], stage, int(finite.sum()), len(x), values))
            continue
        base = before.surrogates[key].mean if before and key in before.surrogates else None
        surrogates[key] = Surrogate(x[finite], average.mean[finite], average.error[finite] ** 2, base)
        if math.isnan(average.noise) or average.noise == 0.0:
            error = np.full(len(x), math.sqrt(surrogates[key].noise))
            average = average._replace(error=error)
        observed[key] = average
    correlation = scatter_correlation([(test, values.get((test, name))) for test, name in measured])
    errors = [entry.error for entry in study.fitted]
    likelihood = Likelihood(
        [surrogates[key] for key in measured], [entry.measured for entry in study.fitted], errors, correlation
    )
    difference = np.array([observed[key].mean - entry.measured for key, entry in measured.items()]).T
    variances = np.array([observed[key].error ** 2 for key in measured]).T
    misfit = squared_distances(difference, covariances(correlation, errors, variances))
    return Fit(stage, x, observed, surrogates, likelihood, draw(likelihood, x.shape[1], rng), misfit)


def scatter_correlation(columns: Sequence[tuple[str, np.ndarray | None]]) -> np.ndarray:
    """Correlation of the scatter between seeds of observables (k, k), each with its test and values (points, seeds).

    Observables of different tests, and those without scatter, are uncorrelated. The correlation is pooled over all
    points. With k observables of a test and f degrees of freedom it is multiplied by f/(f + k), as that of few runs may
    be near 1 by chance.

    Examples
    --------
    >>> angle = np.array([[1.0, 3.0], [5.0, 4.0], [2.0, 4.0]])
    >>> scatter_correlation([("heap", angle), ("heap", 2 * angle), ("drop", angle)]).round(2).tolist()
    [[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    correlation = np.eye(len(columns))
    for test in dict.fromkeys(name for name, _ in columns):
        rows = [k for k, (name, values) in enumerate(columns) if name == test and values is not None]
        if len(rows) < 2:
            continue
        values = np.array([columns[k][1] for k in rows])  # (k, points, seeds)
        values = values[:, np.isfinite(values).all((0, 2))]
        residual = (values - values.mean(2, keepdims=True)).reshape(len(rows), -1)
        freedom = values.shape[1] * (values.shape[2] - 1)
        scatter = np.sqrt((residual**2).sum(1))
        is_scattered = scatter > 0
        if not freedom or is_scattered.sum() < 2:
            continue
        unit = residual[is_scattered] / scatter[is_scattered, None]
        scattered = np.array(rows)[is_scattered]
        correlation[np.ix_(scattered, scattered)] = unit @ unit.T * freedom / (freedom + len(scattered))
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _too_few(observable: Observable, stage: int, found: int, points: int, values: Values) -> str:
    names = sorted(name for test, name in values if test == observable.test)
    hint = "" if observable.name in names else f"; the case gives {', '.join(names) or 'none'}"
    return (
        f"{observable.label} was found at {found} of {counted(points, 'point')} only{hint}. In "
        f"stage-{stage + 1}/{observable.test}/sweep.csv the column error says why runs failed. If it is nan in runs "
        "without an error, change the settings of the test, such as more grains or a longer duration"
    )


def search(study: Study, evaluate: Evaluate, points: Points, tell: Callable[[str], None]) -> tuple[Fit, list[str]]:
    """Choose and evaluate points until the budget of each stage is spent, or more runs would add little information.

    Parameters
    ----------
    study : Study
    evaluate : function
        Values of the observables of all points of a stage, given its number and the points.
    points : Points
        Those chosen before, which are not chosen again.
    tell : function
        Called with lines of progress.

    Returns
    -------
    Fit
        Of the last stage.
    list of str
        Tests and parameters without influence, told after the first points.
    """
    fit, warnings, checked = None, [], False
    for k, stage in enumerate(study.stages):
        before, fit = fit, None
        while True:
            x = points.shares(k)
            if len(x):
                rng = np.random.default_rng([study.seed, k, len(x)])
                values = evaluate(k, points.stages[k])
                fit = fit_stage(study, k, x, values, before, rng)
                if k == 0 and len(fit.x) >= _first_design_size(study) and not checked:
                    checked, warnings = True, without_influence(study, fit, _first_design_size(study))
                    for line in warnings:
                        tell(line)
                tell(_progress(study, fit))
                if len(x) >= stage.budget or (len(x) >= _first_design_size(study) + study.batch and fit.settled):
                    break
            rng = np.random.default_rng([study.seed, k, len(x), 1])
            points.add(k, _next_points(study, stage.budget - len(x), x, fit, before, rng))
    return fit, warnings


def _first_design_size(study: Study) -> int:
    """Points of the first design."""
    return min(study.stages[0].budget, max(study.batch, DESIGN * len(study.parameters)))


def _next_points(
    study: Study, max_count: int, x: np.ndarray, fit: Fit | None, before: Fit | None, rng: np.random.Generator
) -> np.ndarray:
    """The next points (n, d) of a stage in the unit cube."""
    d = len(study.parameters)
    if fit is None and before is None:
        design = extra_library("scipy.stats").qmc.LatinHypercube(d, optimization="random-cd", rng=rng)
        return design.random(_first_design_size(study))
    source, power = (fit, BATCH_POWER) if fit else (before, FIRST_POWER)
    candidates = draw(source.likelihood, d, rng, count=256, final_power=power).x
    best = source.posterior.best[None]
    number = min(study.batch if fit else max(study.batch, fewest(d)), max_count)
    return np.concatenate([best, spread_out(candidates, np.concatenate([x, best]), number - 1)]) if number > 1 else best


def without_influence(study: Study, fit: Fit, first: int) -> list[str]:
    """Warnings about tests that no parameter changes, and parameters that change no test, by the `first` points."""
    influences, lines = {}, []
    for observable in study.fitted:
        mean = fit.observed[observable.test, observable.name].mean[:first]
        finite = np.isfinite(mean)
        influences[observable.label] = influence(fit.x[:first][finite], mean[finite])
    if any(effect is None for effect in influences.values()):
        return ["too few points to say which parameters have an influence: raise the budget"]
    lines += [
        f"no parameter changes {label} more than chance: within the bounds it tells nothing"
        for label, effect in influences.items()
        if not effect.any
    ]
    for i, parameter in enumerate(study.parameters):
        if not any(effect.by_parameter[i] for effect in influences.values()):
            lines.append(
                f"{parameter.name} changes no measured observable more than chance: leave it out, or add a test that "
                "depends on it"
            )
    return lines


def _progress(study: Study, fit: Fit) -> str:
    """A line about the best point so far."""
    n, stage = len(fit.x), study.stages[fit.stage]
    heading = f"stage {fit.stage + 1}, " if len(study.stages) > 1 else ""
    best = fit.posterior.best
    values = (f"{p.name} {p.value(x):.3g}" for p, x in zip(study.parameters, best, strict=True))
    misfit = f"{np.nanmin(fit.misfit):.3g}" if np.isfinite(fit.misfit).any() else "none"
    return f"{heading}{n} of {counted(stage.budget, 'point')}, least misfit {misfit}; best {', '.join(values)}"
