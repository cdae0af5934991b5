"""Support of public classes: hints at misspelt names, read-only arrays, use by one thread at a time."""

from __future__ import annotations

import functools
import inspect
import threading
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dem.base.checks import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    Target = TypeVar("Target", bound=Callable)

# Names of keywords in other programs and books; for each, a keyword of ours, and the hint if the function takes it.
SYNONYMS = {
    "radius": {"diameter": "Did you mean 'diameter', which is twice the radius?"},
    "diameter": {"radius": "Did you mean 'radius', which is half the diameter?"},
    "length": {"aspect_ratio": "Did you mean 'aspect_ratio', which is length over diameter?"},
    "scale": {"sizes": "Did you mean 'sizes'?"},
    "file": {"path": "Did you mean 'path'?"},
    "path": {"output": "Did you mean 'output'?"},
    "shape": {"sites": "Did you mean 'sites'?"},
    "n": {"number": "Did you mean 'number'?"},
    "count": {"number": "Did you mean 'number'?"},
    "nu": {"poisson": "Did you mean 'poisson'?"},
    "youngs_modulus": {"young": "Did you mean 'young'?"},
    "E": {"young": "Did you mean 'young'?"},
    "rho": {"density": "Did you mean 'density'?"},
    "mu": {"friction": "Did you mean 'friction'?"},
    "dt": {"time_step": "Did you mean 'time_step'?"},
    "steps": {"duration": "Did you mean 'duration' in seconds? `step(number)` makes a number of steps"},
    "rpm": {"rate": "Did you mean 'rate' in rad/s, which is rpm times 2π/60?"},
    "thermal_expansion": {"expansion": "Did you mean 'expansion'?"},
    "every": {"implicit": "A coupling is called as often as cells are counted: give dem.Cells(..., every=10)"},
}


def hinted(target: Target) -> Target:
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
    if isinstance(target, type):
        target.__init__ = hinted(target.__init__)
        return target
    parameters = inspect.signature(target).parameters
    positional = [name for name, one in parameters.items() if one.kind is not one.KEYWORD_ONLY]

    @functools.wraps(target)
    def called(*arguments: object, **keywords: object) -> object:
        try:
            return target(*arguments, **keywords)
        except TypeError as error:
            unknown = [name for name in keywords if name not in parameters]
            hint = (
                ""
                if "Did you mean" in str(error)
                else _hint(unknown, parameters, positional[: len(arguments)], keywords)
            )
            if not unknown and len(arguments) > len(positional):
                needed = (f"{name}=..." for name, one in parameters.items()
                          if one.kind is one.KEYWORD_ONLY and one.default is one.empty)  # fmt: skip
                hint = f"Give its arguments by name: {', '.join(needed) or 'as keywords'}"
            name = _name_of(target, arguments)
            if not hint and (name == target.__qualname__ or error.__traceback__.tb_next):
                raise
            message = str(error).replace(target.__qualname__, name)
            if unknown and "required keyword-only" in message:  # a function that refuses unknown ones itself
                message = f"{name}() got an unexpected keyword argument {unknown[0]!r}"
            raise TypeError(f"{message}. {hint}" if hint else message) from None

    return called


def _name_of(target: Callable, arguments: tuple[object, ...]) -> str:
    """Name of a function in error messages; that of an inherited method begins with the class of the object."""
    owner, _, name = target.__qualname__.rpartition(".")
    classes = [each.__name__ for each in type(arguments[0]).__mro__] if arguments else []
    return f"{classes[0]}.{name}" if owner in classes else target.__qualname__


def synonym_hint(unknown: str, names: Iterable[str]) -> str:
    """Hint on an unknown keyword that other classes have; empty if there is none."""
    return next((hint for word, hint in SYNONYMS.get(unknown, {}).items() if word in names), "")


def _hint(unknown: list[str], names: Iterable[str], positional: list[str], keywords: Iterable[str]) -> str:
    """Hint on the keyword nearest to the first unknown one, among those not given yet; empty if there is none."""
    free = [name for name in names if name not in positional and name not in keywords]
    for name in unknown:
        if hint := synonym_hint(name, names):
            return hint
        near = nearest(name, free)
        if near:
            return f"Did you mean {near!r}?"
    return ""


def set_declared(self: object, name: str, value: object) -> None:
    """Assign properties with a setter, names annotated in the class, and private ones: to be a class's `__setattr__`.

    Raises
    ------
    AttributeError
        For a name that the class does not declare, or that can only be read.

    Examples
    --------
    >>> class Tray:
    ...     tilt: float
    ...     __setattr__ = set_declared
    >>> tray = Tray()
    >>> tray.tilt = 0.1
    >>> tray.tild = 0.2
    Traceback (most recent call last):
    AttributeError: Tray has no attribute 'tild' to assign to: did you mean tilt?
    """
    if not name.startswith("_"):
        _check_declared(type(self), name)
    object.__setattr__(self, name, value)


def _check_declared(kind: type, name: str) -> None:
    attribute = getattr(kind, name, None)
    annotated = {each for base in kind.__mro__ for each in getattr(base, "__annotations__", ())}
    if getattr(attribute, "fset", None) or (attribute is None and name in annotated):
        return
    if attribute is not None:
        raise AttributeError(f"{name} of {kind.__name__} can only be read", name=name)
    near = nearest(name, [*annotated, *dir(kind)])
    message = f"{kind.__name__} has no attribute {name!r} to assign to{near and f': did you mean {near}?'}"
    raise AttributeError(message, name=name)


def frozen(array: np.ndarray) -> np.ndarray:
    """Read-only view of an array, which also makes the array and its base read-only.

    The owner of the data can allow writing again with ``setflags``; a view of a read-only owner cannot.

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


class OneAtATime:
    """Context manager that refuses a second thread of Python in a section, instead of blocking it.

    A thread that is within may enter again. Copies, and those from pickles, are free.

    Raises
    ------
    RuntimeError
        If another thread is within.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        """Enter, if no other thread has."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(
                "another thread is moving this simulation: let one thread have it at a time, or give each its own; "
                "one simulation uses several cores by `threads`"
            )

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let others in."""
        self._lock.release()

    def __reduce__(self) -> tuple:
        """A new one; locks cannot be copied."""
        return OneAtATime, ()
