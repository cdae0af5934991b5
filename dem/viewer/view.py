"""Write a run as one HTML file, or show it in a notebook."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.progress import through
from dem.base.replace import replace_when_done
from dem.base.text import counted
from dem.base.user_classes import hinted
from dem.files.reading.trajectory import Trajectory
from dem.viewer.page import constant_data, frame_block, frame_bytes, page, summary_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

MEGABYTES = 25.0  # default size of a page
LARGEST = 2_000_000  # largest number of spheres that browsers draw
PARTS = 20  # blocks that frames are written in


class View:
    """HTML page of a run, see `view`.

    ``html`` is its text, ``frames`` the numbers of the frames in it; a notebook shows it as it is.
    """

    def __init__(self, title: str, text: str, frames: range, of: int) -> None:
        self.title, self.html, self.frames, self.of = title, text, frames, of

    @property
    def shown(self) -> str:
        """Number of frames shown, of the frames of the run, and size of the page."""
        step = self.frames.step
        part = f", one in {step} of {self.of}" if step > 1 else ""
        return f"{counted(len(self.frames), 'frame')}{part}, {len(self.html) / 1e6:.1f} MB"

    def __repr__(self) -> str:
        """Name and size of the page."""
        return f"<View of {self.title}: {self.shown}>"

    def _repr_html_(self) -> str:
        """Inline frame with the page for notebooks, isolated from the notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
            'style="width: 100%; height: 560px; border: 1px solid #ccc"></iframe>'
        )

    def save(self, path: str | PathLike, *, overwrite: bool = False) -> Path:
        """Write the page to a file named .html; raises FileExistsError if it exists, unless `overwrite`."""
        target = checks.output(path, overwrite=overwrite)
        checks.ending(target, (".html", ".htm"), "a page is written", needed=True)
        with replace_when_done(target) as partial:
            partial.write_text(self.html, encoding="utf-8")
        return target


@hinted
def view(
    run: str | PathLike | Trajectory,
    output: str | PathLike | None = None,
    *,
    megabytes: float = MEGABYTES,
    overwrite: bool = False,
    track: Callable[[list[range]], Iterable[range]] | None = None,
) -> View:
    """Make an HTML page of a run: spheres and walls in space, with time, colours and energies.

    Parameters
    ----------
    run : path or Trajectory
        What to show; of a part of a run (``run[::10]``) that part.
    output : path, optional
        An .html file to write. It needs nothing else, no network either.
    megabytes : float
        Largest size of the page [MB]: where all frames do not fit, every second, third, ... of them is shown.
    overwrite : bool
        Replace the output if it exists.
    track : function, optional
        Wraps the parts of the work, as progress bars do. Without one a progress bar appears on a terminal after some
        seconds.

    Returns
    -------
    View
        The page; as the last line of a notebook's cell it is shown. It says which frames it has.

    Raises
    ------
    ValueError
        If there are no frames, or not even two of them fit, or more than two million spheres.
    FileExistsError, OSError
        If the output exists or cannot be written.

    Examples
    --------
    >>> import dem, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.cases()["nine-fibres"]().simulation().run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     page = dem.view(f"{folder}/run.h5", f"{folder}/run.html")
    >>> len(page.frames), "://" in page.html
    (6, False)
    """
    if not isinstance(run, Trajectory):
        with Trajectory(run) as opened:
            return view(opened, output, megabytes=megabytes, overwrite=overwrite, track=track)
    budget = checks.number("megabytes", megabytes, above=0, unit="MB")
    if output is not None:
        checks.ending(checks.output(output, overwrite=overwrite), (".html", ".htm"), "a page is written", needed=True)
    frames = _frames_that_fit(run, budget)
    blocks = [frame_block(run, part) for part in (track or _with_progress)(_blocks_of_frames(frames))]
    title = run.path.name if frames.step == 1 else f"{run.path.name}, one frame in {frames.step}"
    made = View(run.path.name, page(title, constant_data(run, summary_of(run)), blocks), frames, len(run))
    if output is not None:
        made.save(output, overwrite=overwrite)
    return made


def _with_progress(parts: list[range]) -> Iterator[range]:
    return through(parts, "part")


def _blocks_of_frames(frames: range) -> list[range]:
    """Data of the frames in blocks, so that little of a run is in memory at a time."""
    each = -(-len(frames) // PARTS)
    return [frames[k : k + each] for k in range(0, len(frames), each)]


def check_size(run: Trajectory) -> None:
    """Raise ValueError for runs that a browser cannot show."""
    spheres = int(np.array([len(each.radii) for each in run.variants])[run.variant].sum())
    if spheres > LARGEST:
        message = (
            f"{run.path} has {spheres} spheres, more than the {LARGEST} that a browser can be asked to draw: "
            "look at it in ParaView, as it is or by dem export --to spheres.vtkhdf"
        )
        raise ValueError(message)
    if not len(run):
        message = f"{run.path} has no frames: there is nothing to show"
        raise ValueError(message)


def _frames_that_fit(run: Trajectory, megabytes: float) -> range:
    """Every k-th frame, with the smallest k for which the page is not too large."""
    check_size(run)
    fixed = len(page("", constant_data(run, ""), []))
    most = int((megabytes * 1e6 - fixed) // frame_bytes(run))
    if most < min(2, len(run)):
        need = (fixed + 2 * frame_bytes(run)) / 1e6
        message = f"a page with two frames of {run.path} may take {need:.3g} MB, more than {megabytes:g}: allow as much"
        raise ValueError(message)
    return range(0, len(run), max(1, -(-len(run) // most)))
