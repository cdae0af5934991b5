"""What a run tells to those who listen: who writes it, who compares it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    import numpy as np

    from dem.system.verdict import Judgement


class Change(NamedTuple):
    """What somebody from outside changed in a run."""

    time: float  # [s]
    step: int  # 0 where there are none
    work: float  # that it did [J]
    gravity: tuple[float, float, float]  # from then on [m/s²]


class Observer:
    """What a run tells about itself; this one does not listen."""

    frames = 0
    path: Path | None = None

    def __enter__(self) -> Observer:
        """Return itself."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """The run has ended, maybe badly."""

    def frame(self, k: int) -> None:
        """The run has come to where frame k is due; 0 is the start."""

    def changed(self, change: Change) -> None:
        """Somebody from outside has changed something."""

    def row(self, values: tuple, kind: np.dtype, units: dict[str, str]) -> None:
        """The run has come to where a row of its running table is due: its values, their types by name, their units."""

    def idle(self) -> None:
        """The run goes on: called some ten times a second."""

    def finish(self, verdict: Judgement, *, interrupted: bool) -> None:
        """The run has come to its end, or was stopped by hand."""
