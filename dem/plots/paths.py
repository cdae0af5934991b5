"""Picture of the paths of particles, as in Zhao & van Wachem, Acta Mech. 224 (2013) 3091, Fig. 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.text import counted
from dem.model.domain.box import AXES
from dem.plots.bodies import corners, numbers_up_to, spheres, tracks, vertical
from dem.plots.figure import INK, check_particles, new_figure, picture, scaled, shades, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory

MAX_PATHS = 30  # particles whose paths can be distinguished
INSTANTS, BODIES = 12, 120  # at most
FLAT = 3.0  # largest radii: what stays within is seen from one side only


@picture
def paths(run: Trajectory) -> Figure:
    """Draw the paths of the particles from two sides, and the particles at some instants.

    There is a view for each horizontal axis along which particles move. Later instants are darker. Of many particles
    some are drawn, evenly spread by number; in periodic directions paths end at one face and go on at the other.

    Examples
    --------
    >>> import dem, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.cases()["nine-fibres"]().simulation().run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         [(ax.get_xlabel(), ax.get_ylabel()) for ax in paths(run).axes]  # they move along x
    [('x [m]', 'y [m]')]
    """
    views = moving(run)
    figure = new_figure(0.8 + 4.2 * len(views), 4.6)
    for ax, axis in zip(np.ravel(figure.subplots(1, len(views))), views, strict=True):
        draw_paths(ax, run, axis)
    return figure


def moving(run: Trajectory) -> list[int]:
    """Horizontal axes along which particles move or are spread."""
    check_particles(run)
    seen = np.array(list(tracks(run, numbers_up_to(len(run), MAX_PATHS))))
    up = int(np.abs(vertical(run)).argmax())
    sides = [axis for axis in range(3) if axis != up]
    radius = max(float(variant.radii.max()) for variant in run.variants)
    return [axis for axis in sides if _spread(seen[..., axis]) > FLAT * radius] or sides[:1]


def _spread(x: np.ndarray) -> float:
    """Largest minus smallest value, without NaN; 0 if there is none."""
    return float(np.nanmax(x) - np.nanmin(x)) if np.isfinite(x).any() else 0.0


def draw_paths(ax: Axes, run: Trajectory, axis: int) -> None:
    """Draw paths and particles, with a horizontal axis to the right."""
    plane = [axis, int(np.abs(vertical(run)).argmax())]
    shown = numbers_up_to(len(run.kind), MAX_PATHS)
    drawn = np.array([x[shown][:, plane] for x in tracks(run, range(len(run)))])
    radius = max(float(variant.radii.max()) for variant in run.variants)
    box = corners(run, 0)
    seen = np.nanmin(drawn, axis=(0, 1)) - radius, np.nanmax(drawn, axis=(0, 1)) + radius
    ends = np.array(box)[:, plane] if box else seen
    divisor, unit = scaled("m", *ends)
    low, high = np.array(ends) / divisor
    _lines(ax, run, drawn / divisor, plane, high - low)
    _bodies(ax, run, shown, plane, divisor)
    ax.add_patch(_rectangle(low, high))
    margin = 0.01 * (high - low).max()
    tidy(ax, xlabel=f"{AXES[axis]} [{unit}]", ylabel=f"{AXES[plane[1]]} [{unit}]", aspect="equal")
    ax.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin))
    if len(shown) < len(run.kind):
        ax.set_title(f"{len(shown)} of {counted(len(run.kind), 'particle')}", fontsize=9, loc="left")


def _lines(ax: Axes, run: Trajectory, drawn: np.ndarray, plane: list[int], size: np.ndarray) -> None:
    """Draw paths (T, n, 2), interrupted where they cross a periodic boundary."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415, an extra

    box = run.input["box"]
    wrapped = [bool(box) and AXES[axis] in box["periodic"] for axis in plane]
    lines = list(drawn.transpose(1, 0, 2))
    for k, line in enumerate(lines):
        jumps = np.flatnonzero(((np.abs(np.diff(line, axis=0)) > size / 2) & wrapped).any(axis=1)) + 1
        lines[k] = np.insert(line, jumps, np.nan, axis=0)
    ax.add_collection(LineCollection(lines, colors=shades(len(lines)), lw=0.6, alpha=0.7, zorder=2))


def _bodies(ax: Axes, run: Trajectory, shown: np.ndarray, plane: list[int], divisor: float) -> None:
    """Draw the spheres of particles at some instants."""
    from matplotlib.collections import EllipseCollection  # noqa: PLC0415, an extra

    colours = shades(len(shown))
    instants = numbers_up_to(len(run), min(INSTANTS, max(3, BODIES // len(shown))))
    for k, frame in enumerate(instants):
        body = spheres(run, frame)
        owner = np.arange(len(run.kind))[run[frame].columns][body.owner]
        chosen = np.isin(owner, shown)
        strength = 0.35 + 0.65 * (k + 1) / len(instants)
        inked = 1 - strength * (1 - colours[np.searchsorted(shown, owner[chosen])])
        width = 2 * body.radii[chosen] / divisor
        ax.add_collection(
            EllipseCollection(
                width, width, np.zeros(len(width)), units="xy", offsets=body.centres[chosen][:, plane] / divisor,
                offset_transform=ax.transData, facecolors=inked, lw=0, zorder=3 + k / len(instants),
            )
        )  # fmt: skip


def _rectangle(low: np.ndarray, high: np.ndarray) -> object:
    from matplotlib.patches import Rectangle  # noqa: PLC0415, an extra

    return Rectangle(low, *(high - low), fill=False, ec=INK, lw=1.2, zorder=5)
