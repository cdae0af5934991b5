"""Words for people."""

from __future__ import annotations


def counted(count: float, thing: str, shown: str = "") -> str:
    """A number of things; `shown` is the number if it is not to be written as it is.

    Examples
    --------
    >>> counted(1, "step"), counted(12, "step"), counted(0, "pair of materials", "no")
    ('1 step', '12 steps', 'no pairs of materials')
    """
    noun, of, rest = thing.partition(" of ")
    return f"{shown or count} {noun}{'' if count == 1 else 's'}{of}{rest}"
