"""Notices: things a user should know although nothing is wrong yet, each with a name, a reason and a remedy."""

from __future__ import annotations

import contextlib
import inspect
import os
import warnings
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

OURS = (f"{Path(__file__).parents[1]}{os.sep}", contextlib.__file__)  # files of functions between us and our callers
_FOR_A_RUN: ContextVar[dict[str, bool] | None] = ContextVar("for a run", default=None)


class DemWarning(UserWarning):
    """A warning of the engine: ``coarse-time-step: time_step leaves 12 steps ...; lower time_step to 2e-6 s``.

    The text begins with its name, so ``warnings.filterwarnings("error", "coarse-time-step", dem.DemWarning)`` turns
    this one into an error; ``strict=True`` does that to all warnings of doubtful input.

    Examples
    --------
    >>> DemWarning("left-the-box: 1 particle has left through z+; close the face if that is not meant").name
    'left-the-box'
    """

    @property
    def name(self) -> str:
        """Name of this kind of warning."""
        return str(self).partition(":")[0]


class DemDeprecationWarning(DemWarning, DeprecationWarning):
    """A name of an earlier version that the next one will no longer know."""


@dataclass(frozen=True)
class Notice:
    """A warning that a run should give before it begins or continues."""

    name: str
    reason: str
    remedy: str
    grave: bool = False  # refused unless forced

    def __str__(self) -> str:
        """The notice in one line."""
        return f"{self.name}: {self.reason}; {self.remedy}"


def issue(notices: Iterable[Notice], *, strict: bool, force: bool) -> None:
    """Warn of each notice; raises ValueError for the first grave one unless `force`, and for any if `strict`."""
    notices = list(notices)
    _refuse(notices, strict=strict, force=force)
    for notice in notices:
        warn(notice)


def _refuse(notices: Iterable[Notice], *, strict: bool, force: bool) -> None:
    for notice in notices:
        if strict or (notice.grave and not force):
            way_out = " (turned into an error by strict)" if strict else ", or pass force=True (--force)"
            raise ValueError(f"{notice}{way_out}")


@contextlib.contextmanager
def refused_before_building(*, strict: bool, force: bool) -> Iterator[None]:
    """Refuse a simulation before it is built if its run would be refused for some notices."""
    token = _FOR_A_RUN.set({"strict": strict, "force": force})
    try:
        yield
    finally:
        _FOR_A_RUN.reset(token)


def before_building(notices: Callable[[], Iterable[Notice]]) -> None:
    """Raise ValueError for input that the run would refuse, if the object is built for a run; then check notices."""
    for_a_run = _FOR_A_RUN.get()
    if for_a_run is not None:
        _refuse(notices(), **for_a_run)


def deprecated(old: str, new: str) -> None:
    """Warn that a name or value of an earlier version is still taken, and name the present one."""
    warn(Notice("deprecated", f"{old} is {new} now", "the next version takes the new one only"), DemDeprecationWarning)


def warn(notice: Notice, kind: type[DemWarning] = DemWarning) -> None:
    """Warn at the line of the caller's own program that led here, whichever of our functions it called."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        level, frame = level + 1, frame.f_back
    warnings.warn(str(notice), kind, stacklevel=level)
