"""Parse TOML, with hints for frequent mistakes."""

from __future__ import annotations

import re
import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEEPEST = 40  # levels of tables and arrays; case files have some ten
WITH_PLUS = re.compile(r"""(?<!["'\w])[xyz]\+(?!["'])""")  # a face without quotes


def parsed(text: str) -> dict:
    """Parse the content of a file.

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
        found = tomllib.loads(text.removeprefix("\ufeff"))  # a byte-order mark, with which some editors begin a file
        return _of_few_levels(found)
    except RecursionError:
        raise ValueError(f"arrays or tables are nested too deeply: at most {DEEPEST} levels are read") from None
    except tomllib.TOMLDecodeError as error:
        said = f"{str(error)[:1].lower()}{str(error)[1:]}"
        where = re.search(r"line (\d+)", said)
        line = text.splitlines()[int(where[1]) - 1] if where else ""
        if face := WITH_PLUS.search(line):
            said += f'; what has a plus needs quotes: "{face[0]}"'
        raise ValueError(said) from None


def _of_few_levels(found: dict) -> dict:
    """Parse a document; raises RecursionError if it has more than DEEPEST levels."""
    level = [found]
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return found
    raise RecursionError
