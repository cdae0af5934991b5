"""Rows of CSV files: the headings, and numbers below them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from dem.base.text import counted

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of a file, without empty lines; raises OSError or ValueError if there is none, or no CSV."""
    if not path.is_file():
        message = f"no file {path}"
        raise FileNotFoundError(message)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    except (csv.Error, UnicodeDecodeError) as error:
        message = f"{path} is no readable CSV file: {error}"
        raise ValueError(message) from None
    return (rows[0], rows[1:]) if rows else ([], [])


def numbers(path: Path, rows: list[list[str]], columns: int) -> np.ndarray:
    """(rows, columns) numbers that stand in the rows; raises ValueError naming the first one that holds others."""
    values = np.empty((len(rows), columns))
    for number, row in enumerate(rows):
        try:
            values[number] = [float(text) for text in row]
        except ValueError:
            message = f"{path}: row {number + 1} is {','.join(row)!r}, expected {counted(columns, 'number')}"
            raise ValueError(message) from None
    return values
