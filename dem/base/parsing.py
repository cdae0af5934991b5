"""Parse JSON and rows of CSV from files that may be malformed."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import numpy as np

from dem.base.text import counted

if TYPE_CHECKING:
    from pathlib import Path

DEEPEST = 64  # levels within each other: what is written here has less than ten


def parse_json(text: object, what: str) -> object:
    """Value of a JSON text.

    Raises
    ------
    ValueError
        If it is no text, no JSON, or nested so deeply that who walks through it would run out of stack.

    Examples
    --------
    >>> parse_json('{"a": [1, 2]}', "an example")
    {'a': [1, 2]}
    >>> parse_json("[" * 100_000, "an example")
    Traceback (most recent call last):
        ...
    ValueError: an example is nested more than 64 levels deep
    """
    if not isinstance(text, str):
        raise ValueError(f"{what} is no text")
    try:
        value = json.loads(text)
    except RecursionError:
        value, level = None, [[]]
    except ValueError as error:
        raise ValueError(f"{what} is no JSON: {error}") from None
    else:
        level = [value]
        for _ in range(DEEPEST):
            level = [child for each in level for child in _children(each)]
    if level:
        raise ValueError(f"{what} is nested more than {DEEPEST} levels deep")
    return value


def _children(value: object) -> list:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of a file, without empty lines; raises OSError or ValueError if there is none, or no CSV."""
    if not path.is_file():
        raise FileNotFoundError(f"no file {path}")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no readable CSV file: {error}") from None
    return (rows[0], rows[1:]) if rows else ([], [])


def csv_numbers(path: Path, rows: list[list[str]], columns: int) -> np.ndarray:
    """(rows, columns) numbers that stand in the rows; raises ValueError naming the first one that holds others."""
    values = np.empty((len(rows), columns))
    for number, row in enumerate(rows):
        try:
            values[number] = [float(text) for text in row]
        except ValueError:
            message = f"{path}: row {number + 1} is {','.join(row)!r}, expected {counted(columns, 'number')}"
            raise ValueError(message) from None
    return values
