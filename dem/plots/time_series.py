"""Pictures against time: energies, heights of particles, orientations of fibres."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.plots.bodies import directions, heights_above, slender, tracks, vertical
from dem.plots.figure import (
    INK,
    band,
    check_particles,
    legend,
    mean_of_present,
    new_figure,
    picture,
    scaled,
    tidy,
    whole_decades,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory

COLOURS = {
    "gravitational": "#4c5b8f", "translational": "#3f9c9a", "rotational": "#8cc665", "elastic": "#f2c14e",
    "dissipated": "#b9bec6", "work": "#c0504d", "fluid": "#5b8db8",
    "inserted": "#8064a2",
}  # fmt: skip
OUTSIDE = {  # what comes from outside
    "work": "work of walls", "fluid": "work of the fluid", "inserted": "inserted less removed"
}  # fmt: skip
ROUNDING = 1e-16  # of the reference: what rounding leaves
RANDOM = math.degrees(1)  # mean angle between a fixed axis and random ones: ∫ θ sin θ dθ from 0 to π/2


@picture
def energy(run: Trajectory) -> Figure:
    """Draw the energy ledger of a run, and its error.

    The areas add up to the total and the dashed lines: the work of walls and of a fluid, and the energy of particles
    that were inserted less that of those removed. If an energy is negative, lines are drawn instead of areas. The error
    is the change of the total energy since the first frame, over the larger one of the total at the start and the
    largest kinetic energy. Files of hard spheres of version 0.2 do not have the energy dissipated in impacts: in these
    the total falls by it.

    Examples
    --------
    >>> import dem, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.cases()["nine-fibres"]().simulation().run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         [ax.get_ylabel() for ax in energy(run).axes]
    ['energy [mJ]', 'error [–]']
    """
    figure = new_figure(7.0, 4.8)
    draw_energy(figure.subplots(2, height_ratios=(3, 1), sharex=True), run)
    figure.align_ylabels()
    return figure


def draw_energy(axes: Sequence[Axes], run: Trajectory) -> None:
    """Draw the energy ledger and its error on two pairs of axes."""
    above, below = axes
    energies, time = run.energy, run.time
    per_second, second = scaled("s", time)
    time = time / per_second
    _ledger(above, time, energies)
    kinetic = energies["translational"] + energies["rotational"]
    reference = max(abs(energies["total"][0]), kinetic.max()) or 1.0
    error = np.abs(energies["total"] - energies["total"][0]) / reference
    below.plot(time[1:], np.maximum(error[1:], ROUNDING), color=INK, lw=1)
    tidy(below, xlabel=f"time [{second}]", ylabel="error [–]")
    whole_decades(below, error[1:].clip(ROUNDING))


def _ledger(ax: Axes, time: np.ndarray, energies: dict[str, np.ndarray]) -> None:
    if "inserted" in energies:
        energies = energies | {"inserted": energies["inserted"] - energies["removed"]}
        del energies["removed"]
    parts = {name: energies[name] for name in COLOURS if name not in OUTSIDE and energies[name].any()}
    divisor, unit = scaled("J", *energies.values())
    if parts and all((part >= 0).all() for part in parts.values()):
        shades = [COLOURS[name] for name in parts]
        ax.stackplot(time, *(part / divisor for part in parts.values()), colors=shades, labels=list(parts), lw=0)
    else:
        for name, part in parts.items():
            ax.plot(time, part / divisor, color=COLOURS[name], label=name)
    ax.plot(time, energies["total"] / divisor, color=INK, lw=1.5, label="total")
    for name, label in OUTSIDE.items():
        if name in energies and energies[name].any():
            ax.plot(time, energies[name] / divisor, color=COLOURS[name], ls="--", label=label)
    tidy(ax, ylabel=f"energy [{unit}]", xlim=(time[0], time[-1]) if len(time) > 1 else None)
    ax.margins(y=0.02)
    legend(ax, 4)


@picture
def height(run: Trajectory) -> Figure:
    """Draw heights of particles against time: the mean, and each particle if they are few, else the range of most.

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
    """Draw heights of particles against time on some axes."""
    check_particles(run)
    above, time = np.array([heights_above(run, x) for x in tracks(run, range(len(run)))]), run.time
    per_second, second = scaled("s", time)
    per_metre, metre = scaled("m", above)
    band(ax, time / per_second, above / per_metre, "#3b6fb6", "particles")
    tidy(ax, xlabel=f"time [{second}]", ylabel=f"height [{metre}]")
    ax.margins(x=0)
    legend(ax, 2)


@picture
def orientation(run: Trajectory) -> Figure:
    """Draw the angle of fibres to the vertical, and their order parameter, against time.

    The order parameter is the mean of (3 cos² θ - 1)/2: 1 if all fibres are vertical, -1/2 if all are horizontal, and 0
    for random directions.

    Raises
    ------
    ValueError
        If no particle has a long axis.

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
    """Draw the angle to the vertical and the order parameter on two pairs of axes."""
    fibres = slender(run)
    if not len(fibres):
        message = f"{run.path} has no particle with a long axis: the picture orientation is for fibres"
        raise ValueError(message)
    above, below = axes
    up, time = vertical(run), run.time
    cosine = np.array([np.abs(along @ up) for along in directions(run, fibres)]).clip(0, 1)
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
