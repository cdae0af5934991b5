"""JSON that came with a file, whoever wrote it."""

from __future__ import annotations

import json

DEEPEST = 64  # levels within each other: what is written here has less than ten


def parsed(text: object, what: str) -> object:
    """What a JSON text says.

    Raises
    ------
    ValueError
        If it is no text, no JSON, or nested so deeply that who walks through it would run out of stack.

    Examples
    --------
    >>> parsed('{"a": [1, 2]}', "an example")
    {'a': [1, 2]}
    >>> parsed("[" * 100_000, "an example")
    Traceback (most recent call last):
        ...
    ValueError: an example is nested more than 64 levels deep
    """
    if not isinstance(text, str):
        message = f"{what} is no text"
        raise ValueError(message)
    try:
        value = json.loads(text)
    except RecursionError:
        value, level = None, [[]]
    except ValueError as error:
        message = f"{what} is no JSON: {error}"
        raise ValueError(message) from None
    else:
        level = [value]
        for _ in range(DEEPEST):
            level = [child for each in level for child in _children(each)]
    if level:
        message = f"{what} is nested more than {DEEPEST} levels deep"
        raise ValueError(message)
    return value


def _children(value: object) -> list:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
