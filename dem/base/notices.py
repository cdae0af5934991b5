"""What a user should know although nothing is wrong yet: each notice has a name, a reason and a remedy."""

from __future__ import annotations

import contextlib
import inspect
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

OURS = (f"{Path(__file__).parents[1]}{os.sep}", contextlib.__file__)  # files of functions between us and our callers


class DemWarning(UserWarning):
    """A warning of the engine: ``coarse-time-step: time_step leaves 12 steps ...; lower time_step to 2e-6 s``.

    The text begins with its name, so ``warnings.filterwarnings("error", "coarse-time-step", dem.DemWarning)`` turns
    this one into an error, and ``strict=True`` all of them.

    Examples
    --------
    >>> DemWarning("left-the-box: 1 particle has left through z+; close the face if that is not meant").name
    'left-the-box'
    """

    @property
    def name(self) -> str:
        """What this kind of warning goes by."""
        return str(self).partition(":")[0]


@dataclass(frozen=True)
class Notice:
    """Something that a run should not begin, or go on, without saying."""

    name: str
    reason: str
    remedy: str
    grave: bool = False  # refused unless forced

    def __str__(self) -> str:
        """One line."""
        return f"{self.name}: {self.reason}; {self.remedy}"


def tell(notices: Iterable[Notice], *, strict: bool, force: bool) -> None:
    """Warn of each notice; raises ValueError for the first grave one unless `force`, and for any if `strict`."""
    notices = list(notices)
    for notice in notices:
        if strict or (notice.grave and not force):
            way_out = " (turned into an error by strict)" if strict else ", or pass force=True (--force)"
            message = f"{notice}{way_out}"
            raise ValueError(message)
    for notice in notices:
        warn(notice)


def warn(notice: Notice) -> None:
    """Warn at the line of the caller's own program that led here, whichever of our functions it called."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        level, frame = level + 1, frame.f_back
    warnings.warn(str(notice), DemWarning, stacklevel=level)
