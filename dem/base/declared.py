"""Objects to which only what their class declares can be assigned, so that a misspelt name is not taken in silence."""

from __future__ import annotations

from dem.base.checks import nearest


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
        _check(type(self), name)
    object.__setattr__(self, name, value)


def _check(kind: type, name: str) -> None:
    there = getattr(kind, name, None)
    annotated = {each for base in kind.__mro__ for each in getattr(base, "__annotations__", ())}
    if getattr(there, "fset", None) or (there is None and name in annotated):
        return
    if there is not None:
        message = f"{name} of {kind.__name__} can only be read"
        raise AttributeError(message, name=name)
    near = nearest(name, [*annotated, *dir(kind)])
    message = f"{kind.__name__} has no attribute {name!r} to assign to{near and f': did you mean {near}?'}"
    raise AttributeError(message, name=name)
