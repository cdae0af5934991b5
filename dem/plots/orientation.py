"""Picture of the orientation of fibres over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.plots.bodies import directions, slender, vertical
from dem.plots.figure import INK, band, legend, mean_of_present, new_figure, picture, scaled, tidy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory

RANDOM = math.degrees(1)  # mean angle between a fixed axis and random ones: ∫ θ sin θ dθ from 0 to π/2


@picture
def orientation(run: Trajectory) -> Figure:
    """Draw the angle of fibres to the vertical and their order against time.

    The order parameter is the mean of (3 cos² θ - 1)/2: 1 if all stand, -1/2 if all lie, 0 if they point anywhere.

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
    ValueError
        If no particle has a long axis.
    ImportError
        If matplotlib is not there.

    Examples
    --------
    >>> import dem, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.cases()["nine-fibres"]().simulation().run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         [ax.get_ylabel() for ax in orientation(run).axes]
    ['angle to vertical [°]', 'order [–]']
    """
    figure = new_figure(7.0, 4.4)
    draw_orientation(figure.subplots(2, height_ratios=(2, 1), sharex=True), run)
    figure.align_ylabels()
    return figure


def draw_orientation(axes: Sequence[Axes], run: Trajectory) -> None:
    """Draw the angle to the vertical on one pair of axes, the order parameter on another."""
    fibres = slender(run)
    if not len(fibres):
        message = f"{run.path} has no particle with a long axis: the picture orientation is for fibres"
        raise ValueError(message)
    above, below = axes
    up, time = vertical(run), run.time
    cosine = np.array([np.abs(directions(run, frame, fibres) @ up) for frame in range(len(run))]).clip(0, 1)
    per_second, second = scaled("s", time)
    time = time / per_second
    band(above, time, np.degrees(np.arccos(cosine)), "#4a9b5f", "fibres")
    above.axhline(RANDOM, color=INK, lw=0.8, ls=":", label="random, mean")
    tidy(above, ylabel="angle to vertical [°]", ylim=(-2, 92), yticks=(0, 30, 60, 90))
    above.margins(x=0)
    legend(above, 3)
    below.plot(time, mean_of_present(1.5 * cosine**2 - 0.5), color=INK)
    below.axhline(0, color=INK, lw=0.8, ls=":")
    tidy(below, xlabel=f"time [{second}]", ylabel="order [–]", ylim=(-0.55, 1.05), yticks=(-0.5, 0, 0.5, 1))
    below.margins(x=0)
