"""Export formats as records of functions, and loops over frames with a progress bar."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dem.base.progress import through
from dem.model.particles.fields import MOTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dem.files.reading.trajectory import Trajectory


class Format(NamedTuple):
    """Format of exported files: endings of names, fields, and the function that writes a file.

    Names of files end in one of ``endings``, by default the first. ``fields(run)`` says what can be asked for, and
    which fields of the run each is made from; those of ``always`` are written unasked. ``write(run, path, frames,
    fields)`` writes frames of these numbers to a new file.
    """

    endings: tuple[str, ...]
    fields: Callable[[Trajectory], dict[str, tuple[str, ...]]]
    write: Callable[[Trajectory, Path, Frames, Sequence[str]], None]
    always: tuple[str, ...] = ()


def has_only_spheres(run: Trajectory) -> bool:
    """Whether each particle is one sphere about its centre of mass, so that orientations are not visible."""
    return not any(variant.offsets.any() for variant in run.variants)


def scalar_fields(run: Trajectory) -> tuple[str, ...]:
    """Scalar fields of the particles in a run, such as temperatures."""
    return tuple(name for name in run.fields if name not in MOTION)


def check_room(path: Path, needed: int, what: str, instead: str) -> None:
    """Raise ValueError if the disk has no space for a file, before it is filled; `instead` says what takes less."""
    free = shutil.disk_usage(path.absolute().parent).free
    if needed > free:
        raise ValueError(f"{what}, and {free:.3g} bytes are free: take fewer frames {instead}")


class Frames(Sequence):
    """Sequence of frame numbers; a loop over it shows a progress bar after a few seconds."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers
        self._going: list[Iterator[int]] = []

    def __len__(self) -> int:
        """Number of frames."""
        return len(self._numbers)

    def __getitem__(self, k: int | slice) -> int | range:
        """A frame by its number, or several by a slice without a progress bar."""
        return self._numbers[k]

    def __iter__(self) -> Iterator[int]:
        """Iterate, and show progress."""
        self._going.append(through(self._numbers, "frame"))
        return self._going[-1]

    def close(self) -> None:
        """Remove the progress bars of loops that were left early."""
        for each in self._going:
            each.close()
