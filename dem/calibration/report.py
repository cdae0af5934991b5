"""Report of a calibration: one HTML file that includes its pictures."""

from __future__ import annotations

import base64
import html
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base.text import counted
from dem.files.reading.trajectory import Trajectory
from dem.plots import scene
from dem.plots.figure import CATEGORIES, PALE, new_figure, tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dem.calibration.calibrate import Calibration
    from dem.calibration.study import Parameter

DPI = 110
SHOWN = 400  # of the points that agree, in pictures
KINDS = {"jpg": "jpeg", "svg": "svg+xml"}  # of pictures, where they are not called like their files
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #33383f; }
table { border-collapse: collapse; margin: 1em 0; } td, th { padding: 0.3em 0.9em; border-bottom: 1px solid #c9ced6; }
th { text-align: left; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f3f4f6; padding: 1em; overflow-x: auto; } img { max-width: 100%; } li { margin: 0.3em 0; }
.open { color: #b03a2e; } figure { display: inline-block; margin: 0.5em 1em 0.5em 0; max-width: 47%; }
"""


def page(calibration: Calibration) -> str:
    """The report as HTML."""
    title = f"Calibration {calibration.study.name}"
    parts = [
        f"<h1>{html.escape(title)}</h1>", f"<p>{html.escape(_summary(calibration))}</p>",
        _messages(calibration.messages), "<h2>Parameters</h2>", _parameters(calibration),
        _picture(agreeing(calibration), "parameters that agree"),
        _correlation(calibration), "<h2>Measured and simulated</h2>", _observables(calibration),
        _picture(against_parameters(calibration), "observables against parameters"), *_views(calibration),
        "<h2>History</h2>", _picture(history(calibration), "misfit of each point"), "<h2>Materials</h2>",
        f"<pre>{html.escape(calibration.materials)}</pre>",
    ]  # fmt: skip
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _summary(calibration: Calibration) -> str:
    stages = len(calibration.study.stages)
    of = f" of stage {stages}, the last one" if stages > 1 else ""
    return (
        f"{counted(len(calibration.fit.x), 'point')}{of}; least misfit χ² = {calibration.misfit:.3g} of "
        f"{counted(len(calibration.study.fitted), 'measured observable')}, by the errors of measurements and of seeds."
    )


def _messages(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>" if lines else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with text in the first column and numbers in the others."""
    lines = ["<tr>" + "".join(f"<th>{html.escape(word)}</th>" for word in head) + "</tr>"]
    for first, *others in rows:
        cells = "".join(f'<td class="n">{html.escape(cell)}</td>' for cell in others)
        lines.append(f"<tr><td>{html.escape(first)}</td>{cells}</tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "–"


def _parameters(calibration: Calibration) -> str:
    head = ["parameter", "unit", "best", "standard deviation", "95 % interval", "identified"]
    rows = [
        [p.name, p.unit or "1", _number(p.value), f"{p.error:.2g}",
         f"{_number(p.lower)} to {_number(p.upper)}", "yes" if p.identified else "no"]
        for p in calibration.parameters
    ]  # fmt: skip
    return _table(head, rows)


def _correlation(calibration: Calibration) -> str:
    names = [p.name for p in calibration.parameters]
    if len(names) < 2:
        return ""
    rows = [[name, *(f"{r:.2f}" for r in row)] for name, row in zip(names, calibration.correlation, strict=True)]
    return "<h3>Correlation</h3>" + _table(["", *names], rows)


def _observables(calibration: Calibration) -> str:
    head = ["observable", "measured", "standard error", "simulated", "standard deviation", "by chance, one run"]
    rows = [
        [o.label, _number(o.measured), _number(o.standard_error), _number(o.simulated),
         _number(o.uncertainty), _number(o.noise)]
        for o in calibration.observables
    ]  # fmt: skip
    return _table(head, rows)


def _picture(figure: Figure, alt: str) -> str:
    with io.BytesIO() as file:
        figure.savefig(file, format="png", dpi=DPI)
        return _embedded(file.getvalue(), "png", alt)


def _embedded(data: bytes, kind: str, alt: str) -> str:
    return f'<img alt="{html.escape(alt)}" src="data:image/{kind};base64,{base64.b64encode(data).decode()}">'


def agreeing(calibration: Calibration) -> Figure:
    """Draw the parameters that agree with the measurements: a histogram of each, and of each pair the points."""
    parameters, x = calibration.study.parameters, calibration.fit.posterior.x
    d = len(parameters)
    values = np.array([[p.value(share) for p, share in zip(parameters, row, strict=True)] for row in x.clip(0, 1)])
    best = [parameter.value for parameter in calibration.parameters]
    figure = new_figure(2.6 * d + 0.6, 2.3 * d + 0.6)
    axes = figure.subplots(d, d, squeeze=False)
    for i, j in np.ndindex(d, d):
        ax, across = axes[i, j], parameters[j]
        if i < j:
            ax.axis("off")
            continue
        edges = [across.value(share) for share in np.linspace(0, 1, 41)]
        if i == j:
            ax.hist(values[:, j], bins=edges, color=CATEGORIES[0], alpha=0.7)
            ax.set_yticks([])
        else:
            ax.plot(values[:SHOWN, j], values[:SHOWN, i], ".", ms=3, color=CATEGORIES[0], alpha=0.4)
            ax.plot(best[j], best[i], "+", ms=12, mew=2, color=CATEGORIES[3])
            _scale(ax, "y", parameters[i])
        ax.axvline(best[j], color=CATEGORIES[3], lw=1)
        _scale(ax, "x", across)
        tidy(ax, xlabel=_named(across) if i == d - 1 else "", ylabel=_named(parameters[i]) if j == 0 and i else "")
    return figure


def _scale(ax: Axes, axis: str, parameter: Parameter) -> None:
    """Give an axis the range of a parameter; one that is logarithmic has labels at its ends and between them."""
    ax.set(**{f"{axis}scale": "log" if parameter.log else "linear", f"{axis}lim": (parameter.lower, parameter.upper)})
    if parameter.log:
        ticks = [parameter.value(share) for share in (0.0, 0.5, 1.0)]
        getattr(ax, f"set_{axis}ticks")([], minor=True)
        getattr(ax, f"set_{axis}ticks")(ticks, [f"{tick:.2g}" for tick in ticks])


def _named(parameter: Parameter) -> str:
    return f"{parameter.name} [{parameter.unit}]" if parameter.unit else parameter.name


def against_parameters(calibration: Calibration) -> Figure:
    """Draw each measured observable against each parameter: computed points, surrogate and measured value."""
    fit, study = calibration.fit, calibration.study
    rows, d = study.fitted, len(study.parameters)
    figure = new_figure(2.8 * d + 0.6, 2.2 * len(rows) + 0.4)
    axes = figure.subplots(len(rows), d, squeeze=False, sharey="row")
    for o, line in zip(rows, axes, strict=True):
        key = o.test, o.name
        for i, (parameter, ax) in enumerate(zip(study.parameters, line, strict=True)):
            values = [parameter.value(share) for share in fit.x[:, i]]
            ax.axhspan(o.measured - 2 * o.error, o.measured + 2 * o.error, color=CATEGORIES[2], alpha=0.3, lw=0)
            ax.errorbar(values, fit.observed[key].mean, fit.observed[key].error, fmt=".", color=PALE, ecolor=PALE, ms=5)
            section = np.tile(fit.posterior.best, (60, 1))
            section[:, i] = np.linspace(0, 1, 60)
            mean, variance = fit.surrogates[key](section)
            along = [parameter.value(share) for share in section[:, i]]
            ax.plot(along, mean, color=CATEGORIES[0])
            spread = 2 * np.sqrt(variance)
            ax.fill_between(along, mean - spread, mean + spread, color=CATEGORIES[0], alpha=0.2, lw=0)
            ax.axvline(parameter.value(fit.posterior.best[i]), color=CATEGORIES[3], lw=1)
            _scale(ax, "x", parameter)
            tidy(ax, xlabel=_named(parameter) if o is rows[-1] else "", ylabel=o.label if i == 0 else "")
    return figure


def history(calibration: Calibration) -> Figure:
    """Draw the misfit of the points of the last stage in the order of computing, and the least one so far."""
    misfit = calibration.fit.misfit
    figure = new_figure(7.0, 2.8)
    ax = figure.subplots()
    point = np.arange(1, len(misfit) + 1)
    ax.plot(point, misfit, ".", color=CATEGORIES[0], label="point")
    ax.plot(point, np.fmin.accumulate(misfit), color=CATEGORIES[1], label="least so far")
    ax.axhline(len(calibration.study.fitted), color=CATEGORIES[2], lw=1, label="noise")
    if (misfit[np.isfinite(misfit)] > 0).any():
        ax.set_yscale("log")
    tidy(ax, xlabel="point", ylabel="misfit χ²")
    ax.legend(frameon=False)
    return figure


def _views(calibration: Calibration) -> Iterator[str]:
    """Pictures of the best point's runs, each beside that of the measurement if the study has one."""
    for test, path in calibration.runs.items():
        shown = []
        if photograph := calibration.study.tests[test].picture:
            ending = Path(photograph).suffix.lower()[1:]
            kind = KINDS.get(ending, ending)
            shown.append((_embedded(Path(photograph).read_bytes(), kind, f"{test}, measured"), f"{test}, measured"))
        if path.exists():
            with Trajectory(path) as run:
                shown.append((_picture(scene(run), f"{test}, simulated"), f"{test}, simulated: {path.name}"))
        for picture, caption in shown:
            yield f"<figure>{picture}<figcaption>{html.escape(caption)}</figcaption></figure>"
