"""What a misspelt keyword may mean, as Python says by itself from 3.13 on."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, TypeVar

from dem.base.checks import nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    Known = TypeVar("Known", bound=Callable)


def hinted(known: Known) -> Known:
    """The same function, or class with its constructor, whose complaint about an unknown keyword names the nearest one.

    Examples
    --------
    >>> @hinted
    ... def ask(name, *, speed=0.0):
    ...     return name
    >>> ask("me", sped=1.0)
    Traceback (most recent call last):
    TypeError: ask() got an unexpected keyword argument 'sped'. Did you mean 'speed'?
    """
    if sys.version_info >= (3, 13):
        return known
    if isinstance(known, type):
        known.__init__ = hinted(known.__init__)
        return known
    names = inspect.signature(known).parameters

    @functools.wraps(known)
    def called(*arguments: object, **keywords: object) -> object:
        try:
            return known(*arguments, **keywords)
        except TypeError as error:
            near = next(filter(None, (nearest(name, names) for name in keywords if name not in names)), "")
            if not near:
                raise
            message = f"{error}. Did you mean {near!r}?"
            raise TypeError(message) from None

    return called
