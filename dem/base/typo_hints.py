"""What a misspelt keyword may mean, also where Python says it by itself from 3.13 on, and what other words mean."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, TypeVar

from dem.base.checks import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Known = TypeVar("Known", bound=Callable)

# What other programs and books call a keyword, by one that the function takes which tells where that is meant.
MEANT = {
    "radius": {"diameter": "Did you mean 'diameter', which is twice the radius?"},
    "diameter": {"radius": "Did you mean 'radius', which is half the diameter?"},
    "length": {"aspect_ratio": "Did you mean 'aspect_ratio', which is length over diameter?"},
    "scale": {"sizes": "Did you mean 'sizes'?"},
    "n": {"number": "Did you mean 'number'?"},
    "count": {"number": "Did you mean 'number'?"},
    "nu": {"poisson": "Did you mean 'poisson'?"},
    "youngs_modulus": {"young": "Did you mean 'young'?"},
    "E": {"young": "Did you mean 'young'?"},
    "rho": {"density": "Did you mean 'density'?"},
    "mu": {"friction": "Did you mean 'friction'?"},
    "dt": {"time_step": "Did you mean 'time_step'?"},
    "every": {"implicit": "A coupling is called as often as cells are counted: give dem.Cells(..., every=10)"},
}


def hinted(known: Known) -> Known:
    """Decorate a function or class so that its error for an unknown keyword names the nearest one.

    Examples
    --------
    >>> @hinted
    ... def ask(name, *, speed=0.0):
    ...     return name
    >>> ask("me", sped=1.0)
    Traceback (most recent call last):
    TypeError: ask() got an unexpected keyword argument 'sped'. Did you mean 'speed'?
    """
    if isinstance(known, type):
        known.__init__ = hinted(known.__init__)
        return known
    parameters = inspect.signature(known).parameters
    placed = [name for name, one in parameters.items() if one.kind is not one.KEYWORD_ONLY]

    @functools.wraps(known)
    def called(*arguments: object, **keywords: object) -> object:
        try:
            return known(*arguments, **keywords)
        except TypeError as error:
            unknown = [name for name in keywords if name not in parameters]
            hint = (
                "" if "Did you mean" in str(error) else _hint(unknown, parameters, placed[: len(arguments)], keywords)
            )
            if not unknown and len(arguments) > len(placed):
                needed = (f"{name}=..." for name, one in parameters.items()
                          if one.kind is one.KEYWORD_ONLY and one.default is one.empty)  # fmt: skip
                hint = f"Give what it takes by name: {', '.join(needed) or 'as keywords'}"
            if not hint:
                raise
            told = str(error)
            if unknown and "required keyword-only" in told:  # a function that refuses unknown ones itself
                told = f"{known.__qualname__}() got an unexpected keyword argument {unknown[0]!r}"
            message = f"{told}. {hint}"
            raise TypeError(message) from None

    return called


def _hint(unknown: list[str], names: Iterable[str], placed: list[str], keywords: Iterable[str]) -> str:
    """What the first unknown keyword may mean that has not been given yet; nothing if there is no such name."""
    free = [name for name in names if name not in placed and name not in keywords]
    for name in unknown:
        for word, hint in MEANT.get(name, {}).items():
            if word in names:
                return hint
        near = nearest(name, free)
        if near:
            return f"Did you mean {near!r}?"
    return ""
