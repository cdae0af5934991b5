"""Picture of the heights of particles over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.plots.bodies import all_positions, heights_above
from dem.plots.figure import band, check_particles, legend, new_figure, picture, scaled, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory


@picture
def height(run: Trajectory) -> Figure:
    """Draw the height of the particles against time: their mean, and each of a few or where most of many are.

    Parameters
    ----------
    run : Trajectory
        What was computed.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    ImportError
        If matplotlib is not there.

    Examples
    --------
    >>> import dem, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.cases()["nine-fibres"]().simulation().run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         figure = height(run)
    ...         figure.savefig(f"{folder}/height.png")
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('time [µs]', 'height [m]')
    """
    figure = new_figure(7.0, 3.4)
    draw_height(figure.subplots(), run)
    return figure


def draw_height(ax: Axes, run: Trajectory) -> None:
    """Draw heights."""
    check_particles(run)
    above, time = np.array([heights_above(run, all_positions(run, k)) for k in range(len(run))]), run.time
    per_second, second = scaled("s", time)
    per_metre, metre = scaled("m", above)
    band(ax, time / per_second, above / per_metre, "#3b6fb6", "particles")
    tidy(ax, xlabel=f"time [{second}]", ylabel=f"height [{metre}]")
    ax.margins(x=0)
    legend(ax, 2)
