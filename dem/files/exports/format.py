"""What a format is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dem.base.progress import progress_bar
from dem.base.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dem.files.trajectory import Trajectory


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


class Frames(Sequence):
    """Numbers of frames; whoever goes through them one by one, and takes seconds for it, shows a bar by doing so."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers
        self._going: list[Iterator[int]] = []

    def __len__(self) -> int:
        """How many."""
        return len(self._numbers)

    def __getitem__(self, k: int | slice) -> int | range:
        """One of them, or some, of which nothing is shown."""
        return self._numbers[k]

    def __iter__(self) -> Iterator[int]:
        """One by one."""
        self._going.append(self._shown())
        return self._going[-1]

    def _shown(self) -> Iterator[int]:
        with progress_bar(len(self), lambda n, _: counted(n, "frame"), wanted=None) as moved:
            for number in self._numbers:
                yield number
                moved(1, 1)

    def close(self) -> None:
        """Take away bars of those who stopped half-way."""
        for each in self._going:
            each.close()


def only_balls(run: Trajectory) -> bool:
    """Whether each particle is one sphere about its centre of mass, so that orientations do not show."""
    return not any(variant.offsets.any() for variant in run.variants)
