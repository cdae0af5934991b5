"""Picture of an element test: stress, volume and stress path against strain, and Mohr circles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.plots.figure import CATEGORIES, legend, new_figure, picture, scaled, tidy
from dem.statistics.cell_state import principal_stresses

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory
    from dem.statistics.cell_state import CellState

SHEARED = 0.5  # deviatoric strain, over the largest volumetric one, from which a test counts as one of shear


@picture
def element_test(run: Trajectory) -> Figure:
    """Draw pressure and deviatoric stress, void ratio, the stress path, and Mohr circles at the peak and at the end.

    The strain is the deviatoric one, √(2/3 e:e) of the strain's deviator e, or in a compression without much shear the
    volumetric strain, positive in compression. Mohr circles are those of the three principal stresses.

    Raises
    ------
    ValueError
        If the run has no `dem.Cell`.

    Examples
    --------
    >>> import dem, tempfile
    >>> sand = dem.Material(young=5e7, poisson=0.3, density=2500.0)
    >>> balls = dem.Particles(dem.Sphere(diameter=0.01), sand, position=[[0.01, 0.01, 0.01], [0.0198, 0.01, 0.01]])
    >>> cell = dem.Cell((0.04, 0.04, 0.04), rate=(-1.0, 0, 0))
    >>> sim = dem.Simulation(balls, cell, gravity=(0, 0, 0), time_step=1e-5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = sim.run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         len(element_test(run).axes)
    4
    """
    cell = run.cell
    if cell is None:
        message = f"{run.path} has no dem.Cell: this picture is of element tests"
        raise ValueError(message)
    figure = new_figure(8.4, 6.4)
    (stress, path), (volume, circles) = figure.subplots(2, 2)
    strain, label = _strain(cell)
    pressure, q = np.asarray(cell.stress.pressure), np.asarray(cell.deviatoric_stress)
    per, unit = scaled("Pa", pressure, q)
    for values, name, colour in ((pressure, "pressure p", CATEGORIES[0]), (q, "deviatoric stress q", CATEGORIES[1])):
        stress.plot(strain, values / per, color=colour, label=name)
    tidy(stress, xlabel=label, ylabel=f"stress [{unit}]")
    legend(stress, 2)
    volume.plot(strain, cell.void_ratio, color=CATEGORIES[2])
    tidy(volume, xlabel=label, ylabel="void ratio")
    path.plot(pressure / per, q / per, color=CATEGORIES[3])
    tidy(path, xlabel=f"pressure p [{unit}]", ylabel=f"deviatoric stress q [{unit}]")
    path.set(xlim=(0, None), ylim=(0, None))
    draw_mohr_circles(circles, cell, per, unit)
    return figure


def _strain(cell: CellState) -> tuple[np.ndarray, str]:
    """The strain that a test is drawn against (T,), and its name."""
    volumetric = -np.trace(cell.strain, axis1=1, axis2=2)
    deviator = cell.strain + volumetric[:, None, None] / 3 * np.eye(3)
    deviatoric = np.sqrt(2 / 3 * (deviator**2).sum(axis=(1, 2)))
    if deviatoric.max(initial=0.0) > SHEARED * np.abs(volumetric).max(initial=0.0):
        return deviatoric, "deviatoric strain"
    return volumetric, "volumetric strain"


def draw_mohr_circles(ax: Axes, cell: CellState, per: float, unit: str) -> None:
    """Draw the upper halves of the circles between principal stresses, at the largest q/p and in the last frame."""
    pressure, q = np.asarray(cell.stress.pressure), np.asarray(cell.deviatoric_stress)
    borne = pressure > 0.05 * pressure.max(initial=0.0)  # a loose assembly has chance ratios of stresses next to none
    peak = int(np.where(borne, q / np.where(borne, pressure, 1.0), -1.0).argmax())
    angle = np.linspace(0, np.pi, 181)
    for frame, name, colour in ((peak, "largest q/p", CATEGORIES[1]), (len(q) - 1, "end", CATEGORIES[0])):
        first, second, third = principal_stresses(cell.stress.total[frame]) / per
        for high, low in ((first, third), (first, second), (second, third)):
            middle, radius = 0.5 * (high + low), 0.5 * (high - low)
            whole = (high, low) == (first, third)
            ax.plot(
                middle + radius * np.cos(angle), radius * np.sin(angle), color=colour, lw=1.4 if whole else 0.7,
                label=name if whole else None,
            )  # fmt: skip
    tidy(ax, xlabel=f"normal stress [{unit}]", ylabel=f"shear stress [{unit}]", aspect="equal")
    ax.set(xlim=(min(0.0, ax.get_xlim()[0]), None), ylim=(0, None))
    legend(ax, 2)
