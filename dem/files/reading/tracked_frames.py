"""Loops over frames that show a progress bar when they take long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dem.base.progress import through

if TYPE_CHECKING:
    from collections.abc import Iterator


class Frames(Sequence):
    """Sequence of frame numbers; a loop over it shows a progress bar after a few seconds."""

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
        """Iterate, and show progress."""
        self._going.append(through(self._numbers, "frame"))
        return self._going[-1]

    def close(self) -> None:
        """Remove the bars of loops that were left before their end."""
        for each in self._going:
            each.close()
