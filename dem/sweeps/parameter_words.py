"""Convert parameter values to the text that ``dem run --set`` takes."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dem.base import units
from dem.base.text import counted

MAX_VALUES = 100_000  # of one parameter
OPENING, CLOSING, QUOTES = "([{", ")]}", "\"'"
EXAMPLE = "lo:hi:count, such as 0:0.5:6"


def of_settings(settings: list[str]) -> dict[str, list[str]]:
    """Texts of the values in ``--set NAME=VALUES``: separated by commas, or ranges lo:hi:count with both ends.

    A value that is a list itself, such as a vector, stands in brackets.

    Raises
    ------
    ValueError
        With one line for each that cannot be read.

    Examples
    --------
    >>> of_settings(["n=1e3,1e4", "friction=0:0.3:4", "gravity=[0,0,-9.81],[0,0,0]", "diameter=5:10 mm:3"])
    ... # doctest: +NORMALIZE_WHITESPACE
    {'n': ['1000', '10000'], 'friction': ['0', '0.1', '0.2', '0.3'], 'gravity': ['[0,0,-9.81]', '[0,0,0]'],
     'diameter': ['5 mm', '7.5 mm', '10 mm']}
    >>> of_settings(["friction=0:0.5"])
    Traceback (most recent call last):
        ...
    ValueError: friction: 0:0.5 is no range: expected lo:hi:count, such as 0:0.5:6
    """
    found: dict[str, list[str]] = {}
    seen, wrong = set(), []
    for setting in settings:
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not (equals and name):
            wrong.append(f"--set {setting}: expected NAME=VALUES, such as n=1000,2000 or friction=0:0.5:6")
            continue
        if name.replace("-", "_") in seen:
            wrong.append(f"--set {setting}: {name} is given already, expected all its values after one --set")
        seen.add(name.replace("-", "_"))
        try:
            found[name] = [word for part in _parts(text) for word in _spelt_out(part)]
        except ValueError as error:
            wrong.append(f"{name}: {error}")
    return _checked(found, wrong)


def of_values(parameters: dict[str, object]) -> dict[str, list[str]]:
    """Texts of the values of parameters, given as lists, arrays or ranges; a tuple is a vector, others are one value.

    Raises
    ------
    ValueError, TypeError
        With one line for each that is neither number nor word.

    Examples
    --------
    >>> of_values({"n": range(1000, 3000, 1000), "gravity": [(0, 0, -9.81), (0, 0, 0)], "diameter": "5 mm"})
    {'n': ['1000', '2000'], 'gravity': ['[0,0,-9.81]', '[0,0,0]'], 'diameter': ['5 mm']}
    """
    if not isinstance(parameters, dict):
        message = f'parameters are {parameters!r}, expected a dict, such as {{"n": [1000, 2000]}}'
        raise TypeError(message)
    found, wrong = {}, []
    for name, given in parameters.items():
        plain = given.tolist() if isinstance(given, np.ndarray) else given
        values = list(plain) if isinstance(plain, (list, range)) else [plain]
        try:
            found[str(name)] = [_word(value) for value in values]
        except ValueError as error:
            wrong.append(f"{name}: {error}")
    return _checked(found, wrong)


def _checked(found: dict[str, list[str]], wrong: list[str]) -> dict[str, list[str]]:
    """Check values; raises ValueError for an empty or repeated value, with all errors found so far."""
    for name, words in found.items():
        if not words or "" in words:
            wrong.append(f"{name} has an empty value, expected such as {name}=1,2")
        twice = next((word for word in words if words.count(word) > 1), None) if len({*words}) < len(words) else None
        if twice:
            wrong.append(f"{name} is to be {twice} twice, expected each value once")
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


def _parts(text: str) -> list[str]:
    """Split at commas outside brackets and quotes; raises ValueError for an unbalanced bracket or quote."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        quote = ("" if letter == quote else quote) if quote else letter if letter in QUOTES else ""
        depth += 0 if quote else (letter in OPENING) - (letter in CLOSING)
        if depth < 0:
            break
        if letter == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    if depth or quote:
        missing = "a quote" if quote else "an opening bracket" if depth < 0 else "a closing bracket"
        message = f"{text} lacks {missing}"
        raise ValueError(message)
    return [part.strip() for part in parts]


def _spelt_out(part: str) -> list[str]:
    """Texts of a value, or of those of a range."""
    ends = [end.strip() for end in part.split(":")]
    numbers = [units.NUMBER.fullmatch(end) for end in ends]
    if len(ends) == 1 or not numbers[0]:
        return [_plain(part)]
    if len(ends) != 3 or not numbers[1] or not ends[2].isdecimal():
        message = f"{part} is no range: expected {EXAMPLE}"
        raise ValueError(message)
    count = int(ends[2])
    if not 2 <= count <= MAX_VALUES:
        message = f"{part} has {counted(count, 'value')}, expected 2 to {MAX_VALUES}: {EXAMPLE}"
        raise ValueError(message)
    (first, one), (last, other) = (number.groups() for number in numbers[:2])
    if one and one != other:
        message = (
            f"{part} is from {one} to {other or 'a number without unit'}, expected the same unit, or after hi only"
        )
        raise ValueError(message)
    low, high = Fraction(first), Fraction(last)
    words = (_number(low + (high - low) * k / (count - 1)) for k in range(count))
    return [f"{word} {other}".strip() for word in words]


def _plain(word: str) -> str:
    """Text of a value; equal numbers have one spelling, and whole numbers that of integers."""
    number = units.NUMBER.fullmatch(word)
    return word if number is None or number[2] else _number(Fraction(number[1]))


def _number(value: Fraction) -> str:
    """Shortest text for the nearest float."""
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf
    if not math.isfinite(nearest):
        message = "there is a number that is too large"
        raise ValueError(message)
    return str(int(value)) if value.denominator == 1 and abs(value) < 1e15 else repr(nearest)


def _word(value: object) -> str:
    """Text of a Python value."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            message = f"{value} is no finite number"
            raise ValueError(message)
        return _number(Fraction(value)) if float(value).is_integer() else repr(value)
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (tuple, list)):
        return f"[{','.join(map(_word, value))}]"
    message = f"{value!r} is {type(value).__name__}, expected numbers, texts such as '5 mm', or tuples of them"
    raise ValueError(message)
