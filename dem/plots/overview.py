"""Overview: all pictures of a run on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.base.text import counted
from dem.plots.bodies import slender
from dem.plots.figure import INK, new_figure, picture
from dem.plots.paths import draw_paths, moving
from dem.plots.scene import Look, draw_scene
from dem.plots.time_series import draw_energy, draw_height, draw_orientation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory


@picture
def overview(run: Trajectory, frame: int = -1, *, colour: str = "speed", exposures: int = 1) -> Figure:
    """Draw all pictures of a run on one page.

    Parameters
    ----------
    frame : int
        See `scene`.
    colour, exposures : str, int
        See `scene`.

    Raises
    ------
    ValueError
        If there is no such frame, or nothing to colour by under that name.

    Examples
    --------
    >>> import dem, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.cases()["nine-fibres"]().simulation().run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         len(overview(run, colour="height").axes)  # with the colour bar
    8
    """
    figure = new_figure(12.0, 8.1)
    left, right = figure.subfigures(1, 2, width_ratios=(5.6, 6.4))
    grid = left.add_gridspec(2, 2, width_ratios=(40, 1), height_ratios=(1, 1))
    above, bar, below = left.add_subplot(grid[0, 0]), left.add_subplot(grid[0, 1]), left.add_subplot(grid[1, :])
    draw_scene(above, bar, run, frame, exposures, Look(colour, size=(900, 720)))
    draw_paths(below, run, moving(run)[0])
    fibres = len(slender(run)) > 0
    axes = right.subplots(5 if fibres else 3, height_ratios=(5, 1.6, 3, 3.6, 1.6) if fibres else (5, 2, 4), sharex=True)
    draw_energy(axes[:2], run)
    draw_height(axes[2], run)
    if fibres:
        draw_orientation(axes[3:], run)
    for ax in axes[:-1]:
        ax.set_xlabel("")
    right.align_ylabels()
    figure.suptitle(_title(run), x=0.01, ha="left", color=INK, weight="bold", fontsize=11)
    return figure


def _title(run: Trajectory) -> str:
    """Title with particles, scheme and time step of the run."""
    said = [f"{run.input.get('case', run.path.stem)}: {counted(len(run.kind), 'particle')}"]
    if run.input.get("integrator"):
        said.append(f"{run.input['integrator']}, dt = {run.input['time_step']:g} s")
    return ", ".join(said)
