"""TOML as texts, with hints at what is easily got wrong."""

from __future__ import annotations

import re
import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WITH_PLUS = re.compile(r"""(?<!["'\w])[xyz]\+(?!["'])""")  # a face without quotes


def parsed(text: str) -> dict:
    """The content of a file.

    Raises
    ------
    ValueError
        If it is no TOML, with a hint where a face such as z+ stands without quotes.

    Examples
    --------
    >>> parsed("box.open = [z+]")
    Traceback (most recent call last):
    ...
    ValueError: invalid value (at line 1, column 13); what has a plus needs quotes: "z+"
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = f"{str(error)[:1].lower()}{str(error)[1:]}"
        where = re.search(r"line (\d+)", said)
        line = text.splitlines()[int(where[1]) - 1] if where else ""
        if face := WITH_PLUS.search(line):
            said += f'; what has a plus needs quotes: "{face[0]}"'
        raise ValueError(said) from None
