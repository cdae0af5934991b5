"""What verdicts of all kinds of runs have in common."""

from __future__ import annotations

from typing import Protocol


class Judgement(Protocol):
    """What tells whether a run can be trusted; as text, one line."""

    @property
    def count(self) -> int:
        """Work done, in units of the system."""

    @property
    def status(self) -> str:
        """PASS, WARN or FAIL."""

    @property
    def passed(self) -> bool:
        """Whether it can."""
