"""Tell the user why the very first run takes a few seconds."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kernels.base.jit import is_compiled, mark_compiled

if TYPE_CHECKING:
    from collections.abc import Iterator


SILENT = False  # set by --quiet


@contextmanager
def announced(tag: str) -> Iterator[None]:
    """Say on stderr that kernels are being compiled, if those that go by this tag are not in the cache yet."""
    if is_compiled(tag):
        yield
        return
    start = time.perf_counter()
    _say("compiling kernels, first run only ...")
    try:
        yield
    finally:
        _say(f" {time.perf_counter() - start:.1f} s\n")
    mark_compiled(tag)


def _say(text: str) -> None:
    if not SILENT:
        sys.stderr.write(text)
        sys.stderr.flush()
