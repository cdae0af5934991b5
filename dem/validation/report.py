"""Report of a study: a page with numbers, tables and pictures."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

COLOURS = 10


class Check(NamedTuple):
    """A computed value, compared with a published or an exact one."""

    quantity: str
    published: str
    exact: str
    ours: str
    tolerance: str
    passed: bool


@dataclass
class Report:
    """Results of one study."""

    name: str
    title: str
    checks: list[Check] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    tables: dict[str, tuple[list[str], list[Iterable]]] = field(default_factory=dict)
    figures: dict[str, Callable[[Axes], None]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether all checks passed."""
        return all(check.passed for check in self.checks)

    def near(
        self, quantity: str, ours: float, target: float, *, published: str = "", exact: str = "", within: float,
        digits: int = 4, relative: bool = True,
    ) -> None:  # fmt: skip
        """Check that a value lies within a tolerance of its target."""
        off = abs(ours - target)
        passed = bool(off <= within * abs(target)) if relative else bool(off <= within)
        tolerance = f"{within:.2g}" + (" relative" if relative else "")
        self.checks.append(Check(quantity, published, exact, f"{ours:.{digits}g}", tolerance, passed))

    def below(self, quantity: str, ours: float, most: float, *, published: str = "", exact: str = "") -> None:
        """Check that an error is small enough."""
        self.checks.append(Check(quantity, published, exact, f"{ours:.3g}", f"at most {most:.3g}", bool(ours <= most)))

    def factor(self, quantity: str, ours: float, target: float, *, published: str = "", most: float = 3.0) -> None:
        """Check that a value of a chaotic run agrees with its target within a factor."""
        passed = bool(target / most <= ours <= target * most)
        self.checks.append(Check(quantity, published, f"{target:.2g}", f"{ours:.3g}", f"factor {most:g}", passed))

    def write(self, folder: Path) -> Path:
        """Write page, CSV files, JSON and pictures into a folder; returns the page."""
        for name, (header, rows) in self.tables.items():
            with (folder / f"{self.name}-{name}.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(header)
                writer.writerows(rows)
        checks = [check._asdict() for check in self.checks]
        (folder / f"{self.name}.json").write_text(
            json.dumps({"name": self.name, "title": self.title, "passed": self.passed, "checks": checks}, indent=1)
            + "\n"
        )
        for name, draw in self.figures.items():
            _draw(folder / f"{self.name}-{name}.png", draw)
        page = folder / f"{self.name}.md"
        page.write_text(self.page())
        return page

    def page(self) -> str:
        """The page in Markdown."""
        lines = [f"# {self.title}", "", f"**{'PASS' if self.passed else 'FAIL'}**", ""]
        if self.checks:
            lines += [
                "| quantity | published | exact or independent | ours | tolerance | |",
                "|---|---|---|---|---|---|",
            ]
            lines += [f"| {' | '.join(c[:-1])} | {'PASS' if c.passed else 'FAIL'} |" for c in self.checks]
            lines.append("")
        lines += [f"- {statement}" for statement in self.statements]
        lines += ["", *(f"![{name}]({self.name}-{name}.png)" for name in self.figures), ""]
        lines += [f"Numbers: [{self.name}-{name}.csv]({self.name}-{name}.csv)" for name in self.tables]
        return "\n".join(lines) + "\n"


def _draw(path: Path, draw: Callable[[Axes], None]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415, an extra
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure.subplots())
    figure.savefig(path, dpi=120)


def order_of(steps: Sequence[float], errors: Sequence[float]) -> float:
    """Order of convergence: slope of log error over log time step, given numbers of steps in one time span."""
    return float(-np.polyfit(np.log(steps), np.log(errors), 1)[0])


def curves(
    title: str, xlabel: str, ylabel: str, lines: dict[str, tuple[Sequence, Sequence]], *, xscale: str = "linear",
    yscale: str = "linear", marker: str = "",
) -> Callable[[Axes], None]:  # fmt: skip
    """Figure of lines, given by label as (x, y)."""

    def draw(ax: Axes) -> None:
        for k, (label, (x, y)) in enumerate(lines.items()):
            ax.plot(x, y, marker=marker, ms=3, color=f"C{k % 10}", ls="-" if k < COLOURS else "--", label=label)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title, xscale=xscale, yscale=yscale)
        ax.legend(fontsize=8 if len(lines) < COLOURS else 5, ncols=1 if len(lines) < COLOURS else 2)

    return draw
