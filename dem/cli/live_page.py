"""A page beside a run: a process of its own follows the file, and the run never waits for it."""

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
    follower = subprocess.Popen(command, stdin=subprocess.PIPE)  # it ends when this pipe does, whatever becomes of us
    try:
        yield
    finally:
        follower.stdin.close()
        try:
            follower.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            follower.terminate()
