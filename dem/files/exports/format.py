"""What a format is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dem.files.reading.tracked_frames import Frames
    from dem.files.reading.trajectory import Trajectory


class Format(NamedTuple):
    """A format that trajectories can be written in.

    Names of files end in one of ``endings``, by default the first. ``fields(run)`` says what can be asked for, and
    which fields of the run each is made from; those of ``always`` are written unasked. ``write(run, path, frames,
    fields)`` writes frames of these numbers to a new file.
    """

    endings: tuple[str, ...]
    fields: Callable[[Trajectory], dict[str, tuple[str, ...]]]
    write: Callable[[Trajectory, Path, Frames, Sequence[str]], None]
    always: tuple[str, ...] = ()


def only_balls(run: Trajectory) -> bool:
    """Whether each particle is one sphere about its centre of mass, so that orientations do not show."""
    return not any(variant.offsets.any() for variant in run.variants)
