"""Frames one by one, for work on them that may take long: how far it has come is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dem.base.progress import through

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        self._going.append(through(self._numbers, "frame"))
        return self._going[-1]

    def close(self) -> None:
        """Take away bars of those who stopped half-way."""
        for each in self._going:
            each.close()
