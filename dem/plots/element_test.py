"""Picture of an element test: stress, volume change and stress path against strain, and Mohr circles."""

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

VOLUMETRIC = "volumetric strain"
BORNE = 0.05  # share of the largest pressure below which a loose assembly has stresses by chance
FINEST = 1.0  # range of the volumetric strain that is drawn at least [%]
SHEARED = 0.7  # deviatoric strain, over the largest volumetric one, from which a test is one of shear; oedometer: 2/3
REVERSED = -0.1  # strain over the largest one, against its direction, from which a test goes to and fro


@picture
def element_test(run: Trajectory) -> Figure:
    """Draw stress and volumetric strain against strain, the stress path, and Mohr circles at the peak and at the end.

    The strain is the deviatoric one, √(2/3 e:e) of the strain's deviator e, or in a compression without much shear the
    volumetric strain, positive in compression; this is then drawn against the pressure. A second axis has the void
    ratio. In tests that go to and fro, strain and deviatoric stress have the sign that they have along the largest
    strain. Mohr circles are those of the three principal stresses.

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
    volumetric = -np.trace(cell.strain, axis1=1, axis2=2)
    strain, label = _strain(cell, volumetric)
    pressure, q = np.asarray(cell.stress.pressure), np.asarray(cell.deviatoric_stress)
    reverses = strain.min(initial=0.0) < 0
    if reverses:
        q = q * np.sign(-_along(cell.stress.total, _farthest(cell)))
    per, unit = scaled("Pa", pressure, q)
    for values, name, colour in ((pressure, "pressure p", CATEGORIES[0]), (q, "deviatoric stress q", CATEGORIES[1])):
        stress.plot(strain, values / per, color=colour, label=name)
    tidy(stress, xlabel=label, ylabel=f"stress [{unit}]")
    legend(stress, 2)
    if label == VOLUMETRIC:
        borne = pressure > BORNE * pressure.max(initial=0.0)
        volume.semilogx(pressure[borne] / per, 100 * volumetric[borne], color=CATEGORIES[2])
        label = f"pressure p [{unit}]"
    else:
        volume.plot(strain, 100 * volumetric, color=CATEGORIES[2])
    tidy(volume, xlabel=label, ylabel=f"{VOLUMETRIC} [%]")
    draw_void_ratio(volume, cell)
    path.plot(pressure / per, q / per, color=CATEGORIES[3])
    tidy(path, xlabel=f"pressure p [{unit}]", ylabel=f"deviatoric stress q [{unit}]")
    path.set(xlim=(0, None), ylim=(None if reverses else 0, None))
    draw_mohr_circles(circles, cell, per, unit)
    return figure


def draw_void_ratio(ax: Axes, cell: CellState) -> None:
    """Add a second scale to an axis of the volumetric strain ε_v [%]: the void ratio (1 + e_0) exp(-ε_v) - 1."""
    low, high = ax.get_ylim()
    if high - low < FINEST:  # a constant volume, whose strain is rounding
        ax.set_ylim(0.5 * (low + high - FINEST), 0.5 * (low + high + FINEST))
    voids = 1 + float(cell.void_ratio[0])

    def void_ratio(percent: np.ndarray) -> np.ndarray:
        return voids * np.exp(-np.asarray(percent) / 100) - 1

    def percent(ratio: np.ndarray) -> np.ndarray:
        return -100 * np.log(np.maximum(1 + np.asarray(ratio), 1e-9) / voids)

    scale = ax.secondary_yaxis("right", functions=(void_ratio, percent))
    scale.set_ylabel("void ratio")


def _strain(cell: CellState, volumetric: np.ndarray) -> tuple[np.ndarray, str]:
    """Strain for the horizontal axis (T,), and its name; `volumetric` is the volumetric strain (T,)."""
    deviatoric = np.sqrt(2 / 3 * (_deviator(cell.strain) ** 2).sum(axis=(1, 2)))
    if deviatoric.max(initial=0.0) > SHEARED * np.abs(volumetric).max(initial=0.0):
        along = _along(cell.strain, _farthest(cell))
        reverses = along.min(initial=0.0) < REVERSED * along.max(initial=0.0)
        return deviatoric * np.sign(along) if reverses else deviatoric, "deviatoric strain"
    return volumetric, VOLUMETRIC


def _deviator(tensors: np.ndarray) -> np.ndarray:
    """Deviators (T, 3, 3) of the symmetric parts of tensors."""
    symmetric = 0.5 * (tensors + np.swapaxes(tensors, -1, -2))
    return symmetric - np.trace(symmetric, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)


def _farthest(cell: CellState) -> np.ndarray:
    """Deviator (3, 3) of the strain of largest size."""
    deviators = _deviator(cell.strain)
    return deviators[int((deviators**2).sum(axis=(1, 2)).argmax())]


def _along(tensors: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Products d:e (T,) of the deviators d of tensors with a direction e (3, 3)."""
    return (_deviator(tensors) * direction).sum(axis=(1, 2))


def draw_mohr_circles(ax: Axes, cell: CellState, per: float, unit: str) -> None:
    """Draw the upper halves of the circles between principal stresses, at the largest q/p and in the last frame."""
    pressure, q = np.asarray(cell.stress.pressure), np.asarray(cell.deviatoric_stress)
    borne = pressure > BORNE * pressure.max(initial=0.0)
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
