"""Room on Python's stack of frames for what recurses deeply, as compilation does.

From Python 3.11 on the stack consists of chunks of 16 KiB. Where a call crosses the end of a chunk, the next chunk is
mapped, and unmapped at the return: a loop of calls at such a depth waits for the operating system each time. A frame
that does not fit gets a chunk of its own, of a power of two bytes, and what it leaves is for the calls within.
"""

from functools import wraps

ENTRIES = 1 << 17  # that the frame asks for; with its header it gets a chunk of 2 MiB, half of which is left


def deep_stack(function):
    """Function whose calls within, some thousand frames deep, are in one chunk of Python's stack."""

    @wraps(function)
    def call(*arguments):
        return function(*arguments)

    call.__code__ = call.__code__.replace(co_stacksize=ENTRIES)
    return call
