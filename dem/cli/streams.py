"""Standard output and error that work where the shell has closed them or cannot encode a character."""

from __future__ import annotations

import codecs
import io
import os
import sys

ERRORS = "pcdm-dem"  # name of what becomes of characters that the encoding lacks


def prepare() -> None:
    """Replace closed standard streams by the null device, and let streams print names that are not UTF-8.

    A closed stream has no descriptor, and the next file that is opened would take its number: HDF5 or a library that
    prints would then write into a trajectory.
    """
    codecs.register_error(ERRORS, _in_bytes)
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the lowest free number, this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=ERRORS)


def _in_bytes(error: UnicodeError) -> tuple[bytes, int]:
    """Encode a character that a stream refuses: bytes of a file name as ``ls`` prints them, others as escapes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    written = b"".join(
        bytes([ord(c) - 0xDC00]) if 0xDC80 <= ord(c) <= 0xDCFF else c.encode("ascii", "backslashreplace") for c in part
    )
    return written, error.end
