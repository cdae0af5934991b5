"""Calibrate parameters of cases such that virtual tests give measured values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.replace import replace_when_done
from dem.base.text import counted, shown
from dem.base.user_classes import hinted, set_declared
from dem.calibration import findings
from dem.calibration.runs import Runs
from dem.calibration.search import Points, search
from dem.calibration.study import read_study
from dem.calibration.surrogate import extra_library
from dem.sweeps.sweep import check_executor, shares

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor
    from os import PathLike

    from dem.calibration.findings import Compared, FoundParameter
    from dem.calibration.search import Fit
    from dem.calibration.study import Study
    from dem.sweeps.sweep_runs import SweepRun
    from dem.sweeps.table import Outcome

REPORT = "report.html"


class Calibration:
    """Parameters that a calibration found, see `dem.calibrate`.

    Parameters
    ----------
    study : Study
    fit : Fit
        Fit of the last stage.
    warnings : list of str
        Doubts after the first points.
    runs : dict of str to path
        By test: a run of the best point that was computed.

    Attributes
    ----------
    parameters : list of FoundParameter
        ``name``, ``unit``, ``value``, ``error`` (standard deviation), ``lower`` and ``upper`` (95 % interval), and
        ``identified``: whether the tests determine it.
    correlation : (d, d) array
        Correlation of the parameters.
    observables : list of Compared
        ``label``, ``measured``, ``standard_error``, ``simulated``, ``uncertainty`` and ``noise``.
    misfit : float
        χ² of the best point that was computed, by the errors of measurement and of seeds.
    messages : list of str
        Assumptions, parameters that are not identified, and observables that would help.
    materials : str
        A table of materials for a case file (TOML).

    Examples
    --------
    >>> import dem, tempfile
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> class Bounce(dem.HardSphereCase):
    ...     name = "bounce"
    ...
    ...     def build(self):
    ...         ball = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    ...         place = [(0.5, 0.5, 0.5)]
    ...         grain = dem.Particles(dem.Sphere(diameter=0.01), ball, position=place)
    ...         return grain, dem.Box((0, 0, 0), (1, 1, 1), ball)
    ...
    ...     def observables(self, run):  # a formula, for brevity
    ...         return {"height_m": self.restitution**2}
    >>> measured = {"height_m": {"measured": 0.36, "standard_error": 0.02}}
    >>> study = {
    ...     "parameters": {"restitution": {"bounds": [0.4, 0.9]}},
    ...     "tests": {"bounce": {"case": Bounce, "observables": measured, "settings": {"duration": 1e-3, "frames": 1}}},
    ...     "budget": 6,
    ... }
    >>> with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
    ...     found = dem.calibrate(study, folder=folder, executor=pool, progress=False)
    >>> abs(found.best["restitution"] - 0.6) < 0.03, found.parameters[0].identified
    (True, True)
    """

    __setattr__ = set_declared

    study: Study
    fit: Fit
    runs: dict[str, Path]
    parameters: list[FoundParameter]
    correlation: np.ndarray
    observables: list[Compared]
    misfit: float
    messages: list[str]
    materials: str

    def __init__(self, study: Study, fit: Fit, warnings: list[str], runs: dict[str, Path]) -> None:
        self.study, self.fit, self.runs = study, fit, runs
        self.parameters = findings.parameters_found(study, fit)
        self.correlation = findings.correlation_of(fit)
        self.observables = findings.compare_observables(study, fit)
        self.misfit = findings.least_misfit(fit)
        self.messages = list(dict.fromkeys([*warnings, *findings.messages(study, fit)]))
        self.materials = findings.materials_table(study, self.parameters)

    @property
    def best(self) -> dict[str, float]:
        """Best value of each parameter [SI, or the unit of its bounds' quantity]."""
        return {p.name: p.value for p in self.parameters}

    def __str__(self) -> str:
        """The parameters, the observables and the messages, a line each."""
        lines = [f"{counted(len(self.fit.x), 'point')}, least misfit {self.misfit:.3g} of {len(self.study.fitted)}"]
        for p in self.parameters:
            doubt = "" if p.identified else ", not identified"
            interval = f"{p.value:.4g} ± {p.error:.2g} {p.unit}".rstrip()
            lines.append(f"{p.name} = {interval} (95 %: {p.lower:.4g} to {p.upper:.4g}{doubt})")
        for o in self.observables:
            measured = f"measured {o.measured:.4g} ± {o.standard_error:.2g}" if o.is_measured else "not measured"
            lines.append(f"{o.label}: {measured}, simulated {o.simulated:.4g} ± {o.uncertainty:.2g}")
        return "\n".join([*lines, *self.messages])

    def write_report(self, path: str | PathLike) -> None:
        """Write one HTML file with parameters, tests, history and unidentified parameters; needs matplotlib."""
        from dem.calibration.report import page  # noqa: PLC0415, needs matplotlib

        with replace_when_done(Path(path)) as partial:
            partial.write_text(page(self), "utf-8")


@hinted
def calibrate(
    study: str | PathLike | Mapping,
    *,
    folder: str | PathLike | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    tell: Callable[[str], None] | None = None,
) -> Calibration:
    """Find parameters of cases such that virtual tests give measured values, with their uncertainties.

    Runs are members of sweeps, see `dem.sweep`: a call that was interrupted, or killed, goes on where it was, and
    finished runs are kept. The same study chooses the same points. A Gaussian process stands for each observable.
    Points are drawn from the parameters that agree with the measurements, whose spread is the uncertainty.

    Parameters
    ----------
    study : path or mapping
        A study file (TOML), or its content, in which cases may also be classes.
    folder : path, optional
        For runs, tables and the report; default: ``STUDY-calibration``. It may hold a part of the same study.
    executor : concurrent.futures.Executor, optional
        As of `dem.sweep`.
    jobs, threads : int, optional
        Processes, and threads of each run; default: those of the study, or as of `dem.sweep`.
    progress : bool, optional
        Show a bar for each batch; default: if it takes some seconds.
    tell : function, optional
        Called with each line about progress, and about parameters without influence after the first points.

    Returns
    -------
    Calibration
        Its report is ``FOLDER/report.html``.

    Raises
    ------
    TypeError
        For an executor that takes no work, or a `tell` that is no function.
    ValueError, OSError
        With one line for each thing that is wrong with the study, or if the folder holds another one; nothing has been
        computed then. Or if too few runs give an observable.
    ImportError
        If the libraries of the extra ``calibrate`` are not installed.
    RuntimeError
        If processes cannot be started.

    Examples
    --------
    >>> import dem
    >>> dem.calibrate({"parameters": {"friction": {"bounds": [0.2, 0.8]}}, "tests": {}})
    Traceback (most recent call last):
    ValueError: tests are none, expected at least one
    """
    check_executor(executor)
    if tell is not None and not callable(tell):
        raise TypeError(f"tell is {shown(tell)}, expected a function of a line, such as print")
    checked, path, ways = prepare(study, folder, jobs, threads)
    return run_calibration(checked, path, tell=tell, executor=executor, progress=progress, **ways)


def prepare(
    study: str | PathLike | Mapping, folder: str | PathLike | None, jobs: int | None, threads: int | None
) -> tuple[Study, Path, dict[str, int | None]]:
    """A checked study, its folder, and processes and threads; raises as `calibrate`."""
    for module in ("scipy.optimize", "scipy.stats", "threadpoolctl", "matplotlib"):
        extra_library(module)
    checked = read_study(study)
    ways = {
        "jobs": checked.jobs if jobs is None else jobs,
        "threads": checked.threads if threads is None else threads,
    }
    shares(1, **ways)
    return checked, checks.folder(folder or Path(f"{checked.name}-calibration"), parents=True), ways


def run_calibration(
    study: Study, folder: Path, *, tell: Callable[[str], None] | None = None,
    report_run: Callable[[SweepRun, Outcome], None] = lambda *_: None, listed: bool = False, **ways: object,
) -> Calibration:  # fmt: skip
    """Calibrate a checked study in a folder, and write its report; `ways` are those of `Runs`."""
    say = tell or (lambda _: None)
    for note in study.notes:
        say(note)
    runs = Runs(study, folder, tell=report_run, listed=listed, **ways)
    with extra_library("threadpoolctl").threadpool_limits(
        1, "blas"
    ):  # small matrices, and the same bytes for any number of cores
        fit, warnings = search(study, runs.evaluate, Points(study, folder), say)
    best = 0 if np.isnan(fit.misfit).all() else int(np.nanargmin(fit.misfit))
    calibration = Calibration(study, fit, warnings, {test: runs.file(fit.stage, test, best) for test in study.tests})
    calibration.write_report(folder / REPORT)
    return calibration
