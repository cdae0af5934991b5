"""How long things took here the last time, by which people who wait are told how long they will take.

Kept in the user's cache (``XDG_CACHE_HOME`` or ~/.cache, there pcdm-dem/durations.json). Whoever cannot write there is
told less.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from dem.base.replace import unused_name
from dem.kernels.compiler.own_folder import user_cache

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOST = 1000  # things that are remembered


def place() -> Path:
    """The file; raises OSError if the user has no cache folder."""
    return user_cache() / "durations.json"


def before(what: str) -> float | None:
    """Seconds that it took the last time; None if that is not known."""
    seconds = _known().get(what)
    return float(seconds) if isinstance(seconds, int | float) and seconds >= 0 else None


def note(what: str, seconds: float) -> None:
    """Remember how long it took."""
    known = _known()
    known.pop(what, None)  # what is remembered last is forgotten last
    known[what] = round(seconds, 2)
    with suppress(OSError):
        path = place()
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = unused_name(path, ".partial")
        unfinished.write_text(json.dumps(dict(list(known.items())[-MOST:])))
        unfinished.replace(path)


def _known() -> dict:
    """All of them; none if the file is not there, or broken."""
    with suppress(OSError, ValueError):
        found = json.loads(place().read_text())
        return found if isinstance(found, dict) else {}
    return {}


class Took:
    """How long each of some things took the last time, and so how much time is left for all of them.

    Parameters
    ----------
    things : mapping
        Of each its name, and what it is remembered as.
    side_by_side : int
        How many go on at a time.
    """

    def __init__(self, things: Mapping[str, str], side_by_side: int = 1) -> None:
        self._things, self._side_by_side = things, side_by_side
        self._expected = {name: before(what) for name, what in things.items()}
        self._done: list[float] = []
        self._since = time.perf_counter()

    def end(self, name: str, seconds: float | None = None) -> None:
        """One is done, in so many seconds, if not in those since another was; which is remembered."""
        now = time.perf_counter()
        if self._expected.pop(name, "none") != "none":
            self._done.append(now - self._since if seconds is None else seconds)
            note(self._things[name], self._done[-1])
        self._since = now

    def left(self) -> float | None:
        """Seconds; those never done before count as the mean of what is done. None while nothing is known of one."""
        mean = sum(self._done) / len(self._done) if self._done else None
        wanted = [mean if seconds is None else seconds for seconds in self._expected.values()]
        if not wanted or None in wanted:
            return None
        return max(0.0, max(*wanted, sum(wanted) / self._side_by_side) - (time.perf_counter() - self._since))
