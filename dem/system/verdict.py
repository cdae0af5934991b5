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


class Judged:
    """A verdict that says what fails and what is doubtful."""

    @property
    def failures(self) -> list[str]:
        """Why the run is not to be trusted, each with a remedy."""
        raise NotImplementedError

    @property
    def doubts(self) -> list[str]:
        """What makes it less accurate than it looks, each with a remedy."""
        return []

    @property
    def status(self) -> str:
        """PASS, WARN or FAIL."""
        return "FAIL" if self.failures else "WARN" if self.doubts else "PASS"

    @property
    def passed(self) -> bool:
        """Whether nothing fails."""
        return not self.failures
