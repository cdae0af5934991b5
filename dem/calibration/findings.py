"""Results of a calibration: parameters with uncertainty, unidentified parameters, and useful measurements."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dem.base.text import counted
from dem.calibration.posterior import PRIOR_SD
from dem.calibration.surrogate import extra_library
from dem.casefile import choose_case, with_text_parameters
from dem.model.contact.law_registry import plain

if TYPE_CHECKING:
    from dem.calibration.search import Fit
    from dem.calibration.study import Study

NOT_IDENTIFIED = 0.5  # standard deviation over that of the range, above which a parameter or a direction is not known
NAMED_COMPONENT = 0.3  # size of a direction's component above which its parameter is named
AT_BOUND = 0.02  # of the range, within which a parameter counts as being at its bound
PREDICTED_ERROR = 0.05  # standard error of what was not measured, over its value, unless the study says otherwise
MAX_UNCERTAINTY_LEFT = 0.7  # share of the uncertainty that a measurement worth proposing leaves
ERROR = "_error"  # in names of observables that are standard errors of others
SMALLEST_CHANCE = 0.01  # chance of such a misfit with a right model, below which the model is questioned


class FoundParameter(NamedTuple):
    """A parameter: value of the best point, standard deviation, 95 % interval, and whether the tests determine it."""

    name: str
    unit: str
    value: float
    error: float
    lower: float
    upper: float
    identified: bool


class Compared(NamedTuple):
    """An observable, measured and simulated; `measured` is nan if it was only predicted."""

    label: str
    measured: float
    standard_error: float
    simulated: float  # by the surrogate, at the best parameters
    uncertainty: float  # standard deviation of that
    noise: float  # standard deviation of one run by chance

    @property
    def is_measured(self) -> bool:
        """Whether the observable was measured, and so fitted."""
        return math.isfinite(self.measured)


class Direction(NamedTuple):
    """A combination of parameters that the tests do not determine."""

    weights: np.ndarray  # (d,) of the parameters, in their ranges; of length 1
    share: float  # standard deviation along it over that of an even distribution
    ends: tuple[dict[str, float], dict[str, float]]  # parameters that agree alike


class Gain(NamedTuple):
    """Information that another observable would add."""

    label: str
    error: float  # standard error that it would be measured with
    left: float  # of the uncertainty along the direction


def parameters_found(study: Study, fit: Fit) -> list[FoundParameter]:
    """Values and uncertainties of the parameters."""
    x, best = fit.posterior.x, fit.posterior.best
    rows = []
    for i, parameter in enumerate(study.parameters):
        values = np.array([parameter.value(share) for share in x[:, i].clip(0, 1)])
        lower, upper = np.quantile(values, (0.025, 0.975))
        narrow = bool(x[:, i].std() < NOT_IDENTIFIED * PRIOR_SD)
        rows.append(
            FoundParameter(
                parameter.name, parameter.unit, parameter.value(best[i]), float(values.std()), float(lower),
                float(upper), narrow,
            )
        )  # fmt: skip
    return rows


def correlation_of(fit: Fit) -> np.ndarray:
    """Correlation of the parameters (d, d), on the scales of their ranges."""
    covariance = np.atleast_2d(np.cov(fit.posterior.x.T))
    sd = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return covariance / np.outer(sd, sd)


def compare_observables(study: Study, fit: Fit) -> list[Compared]:
    """Measured and simulated values of all observables of the study."""
    rows, best = [], fit.posterior.best[None]
    for observable in study.observables:
        key = observable.test, observable.name
        if key in fit.surrogates:
            mean, variance = fit.surrogates[key](best)
            average = fit.observed[key]
            noise = average.noise if math.isfinite(average.noise) else math.sqrt(fit.surrogates[key].noise)
            simulated = float(mean[0]), math.sqrt(variance[0]), noise
        else:
            simulated = math.nan, math.nan, math.nan
        rows.append(Compared(observable.label, observable.measured, observable.error, *simulated))
    return rows


def directions(study: Study, fit: Fit) -> list[Direction]:
    """Combinations of parameters that the tests do not determine.

    Eigenvectors of Fisher's information at the best point: with an eigenvalue λ the standard deviation along it is
    λ^-1/2 of the ranges, next to 12^-1/2 of an even distribution; and principal directions along which the parameters
    that agree are spread nearly as widely as their range.
    """
    values, vectors = np.linalg.eigh(fit.likelihood.information(fit.posterior.best))
    shares = [1 / math.sqrt(1 + max(value, 0.0) * PRIOR_SD**2) for value in values]
    if not any(share > NOT_IDENTIFIED for share in shares):  # a bent ridge may look narrow where it is best
        spread, vectors = np.linalg.eigh(np.atleast_2d(np.cov(fit.posterior.x.T)))
        shares = np.sqrt(np.maximum(spread, 0.0)) / PRIOR_SD
    found = []
    for share, eigenvector in zip(shares, vectors.T, strict=True):
        if share <= NOT_IDENTIFIED:
            continue
        vector = eigenvector * np.sign(eigenvector[np.abs(eigenvector).argmax()])
        along = fit.posterior.x @ vector
        ends = tuple(_likeliest_near(study, fit, along, np.quantile(along, q)) for q in (0.05, 0.95))
        found.append(Direction(vector, float(min(share, 1.0)), ends))
    return found


def _likeliest_near(study: Study, fit: Fit, along: np.ndarray, position: float) -> dict[str, float]:
    """Parameters of the likeliest of the fifty points nearest to a position along a direction."""
    nearest = np.abs(along - position).argsort()[:50]
    x = fit.posterior.x[nearest[fit.posterior.log_likelihood[nearest].argmax()]]
    return {p.name: p.value(share) for p, share in zip(study.parameters, x.clip(0, 1), strict=True)}


def gains(study: Study, fit: Fit, direction: Direction) -> list[Gain]:
    """Gain of information about a direction by each observable not yet measured, largest first.

    Standard errors, which have ``_error`` in their name, are left out because they are not measured.

    With the covariance c of the position along the direction and the observable f over the parameters that agree, and a
    standard error e, the share √(1 - c²/(s² (var f + e²))) of the standard deviation s is left.
    """
    x = fit.posterior.x
    along = x @ direction.weights
    errors = {(observable.test, observable.name): observable.error for observable in study.observables}
    fitted = {(observable.test, observable.name) for observable in study.fitted}
    found = []
    for key, surrogate in fit.surrogates.items():
        if key in fitted or ERROR in key[1]:
            continue
        values = surrogate.mean(x)
        error = errors.get(key, math.nan)
        if not error > 0:
            error = PREDICTED_ERROR * float(np.abs(values).mean())
        covariance = np.cov(along, values)
        explained = covariance[0, 1] ** 2 / max(covariance[0, 0] * (covariance[1, 1] + error**2), 1e-300)
        found.append(Gain(f"{key[0]}: {key[1]}", error, math.sqrt(max(1 - explained, 0.0))))
    return sorted(found, key=lambda gain: gain.left)


def least_misfit(fit: Fit) -> float:
    """χ² of the best point that was computed."""
    return float(np.nanmin(fit.misfit)) if np.isfinite(fit.misfit).any() else math.nan


def messages(study: Study, fit: Fit) -> list[str]:
    """Notes for the report: misfit, parameters at bounds, failed points, combinations not identified."""
    lines = list(study.notes)
    count, misfit = len(study.fitted), least_misfit(fit)
    survival, best = extra_library("scipy.stats").chi2.sf, fit.posterior.best
    chance = float(survival(misfit, count))
    if misfit <= count:
        lines.append(
            f"the least misfit, {misfit:.3g} of {counted(count, 'observable')}, is below the noise of measurements and "
            "seeds: a better point cannot be told from it"
        )
    elif chance < SMALLEST_CHANCE and survival(float(fit.likelihood.misfit(best[None])[0]), count) > SMALLEST_CHANCE:
        lines.append(
            f"no computed point agrees with all measurements: the least misfit is {misfit:.3g} of "
            f"{counted(count, 'observable')}; the surrogates do at the best values: raise the budget to compute these"
        )
    elif chance < SMALLEST_CHANCE:
        lines.append(
            f"no point agrees with all measurements: the least misfit is {misfit:.3g} of "
            f"{counted(count, 'observable')}; look at the tests one by one, widen bounds, or question the model"
        )
    lines += [
        f"the best {p.name} lies at its bound, {p.value(round(x)):g}: widen the bounds"
        for p, x in zip(study.parameters, best, strict=True)
        if min(x, 1 - x) < AT_BOUND
    ]
    failed = int((~np.isfinite(fit.misfit)).sum())
    if failed:
        lines.append(f"{failed} of {counted(len(fit.x), 'point')} lack an observable and do not count")
    for direction in directions(study, fit):
        lines += _direction_lines(study, fit, direction)
    return lines


def _direction_lines(study: Study, fit: Fit, direction: Direction) -> list[str]:
    """Lines about a combination of parameters that is not identified."""
    names = [p.name for p, w in zip(study.parameters, direction.weights, strict=True) if abs(w) > NAMED_COMPONENT]
    low_end, high_end = (", ".join(f"{name} {end[name]:.3g}" for name in names) for end in direction.ends)
    subject = f"{names[0]} is" if len(names) == 1 else f"a combination of {' and '.join(names)} is"
    lines = [
        f"{subject} not identified: {low_end} agrees with the measurements like {high_end}"
        f" ({100 * direction.share:.0f} % of the uncertainty before the tests is left)"
    ]
    useful = [gain for gain in gains(study, fit, direction) if gain.left < MAX_UNCERTAINTY_LEFT][:2]
    lines += [
        f"measure {gain.label} to ±{gain.error:.2g}: {100 * gain.left:.0f} % of that uncertainty would be left"
        for gain in useful
    ]
    if not useful:
        lines.append(
            f"add a test of another kind that depends on {' or '.join(names)}; list its observables without a measured "
            "value first, and the report says what they would add"
        )
    return lines


def materials_table(study: Study, found: list[FoundParameter]) -> str:
    """The materials of a case file with the parameters that were found, in TOML.

    Of the case of the first test that has a `material`; parameters that no material has follow as comments.
    """
    point = tuple(p.value for p in found)
    lines = []
    for name, test in study.tests.items():
        words = study.settings(study.stages[-1], name, point, study.seed)
        case = (
            choose_case(test.case, words).case if isinstance(test.case, str) else with_text_parameters(test.case, words)
        )
        if hasattr(case, "material"):
            material = plain(case.material(), packages=False)
            lines = [f"[materials.{material.pop('name', '') or 'grain'}]  # of {case.name}, test {name}"]
            lines += [f"{key} = {_toml(value)}" for key, value in material.items() if value is not None]
            break
    lines.append("# found: " + ", ".join(f"{p.name} = {p.value:g} {p.unit}".strip() for p in found))
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:  # noqa: ANN401, what a table holds
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
