"""Arrays that nobody can write to."""

from __future__ import annotations

import numpy as np


def frozen(array: np.ndarray) -> np.ndarray:
    """A view of an array that can be written to no more, neither can the array nor what it is a view of.

    Who owns data can lift the ban with ``setflags``; a view of an owner that is banned cannot.

    Examples
    --------
    >>> view = frozen(np.zeros(3))
    >>> view.setflags(write=True)
    Traceback (most recent call last):
        ...
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    owner.flags.writeable = False
    view = array.view()
    view.flags.writeable = False
    return view
