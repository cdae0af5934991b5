"""Page in the browser that follows a run, from a separate process: the run never waits for it."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 10.0  # s in which a page that is open gets the last frames


@contextmanager
def shown(path: Path) -> Iterator[None]:
    """Have `path` followed in the browser as soon as it is there, until the run has ended and its page knows."""
    command = [sys.executable, "-m", "dem.cli", "view", str(path), "--live", "--since", str(time.time())]
    follower = subprocess.Popen(
        command, stdin=subprocess.PIPE
    )  # the process ends when this pipe closes, however this one ends
    try:
        yield
    finally:
        follower.stdin.close()
        try:
            follower.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            follower.terminate()
