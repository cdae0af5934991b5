"""Runs of a sweep: combinations of parameter values, and names of their files."""

from __future__ import annotations

import hashlib
import math
import random
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from dem.base import checks, units
from dem.base.text import counted

if TYPE_CHECKING:
    from pathlib import Path

    from dem.case import AnyCase

MANY = 300  # largest number of runs without an explicit limit
MAX_RUNS = 100_000
WIDEST, LONGEST = 16, 180  # characters of a number, and of a name without its ending


class SweepRun(NamedTuple):
    """One run of a sweep, with all that a process needs to execute it."""

    case: str | type[AnyCase]  # name, path of a case file, or class
    settings: dict[str, str]  # words, as ``--set`` takes them
    path: Path  # of its file
    options: dict[str, Any]  # of `Simulation.run`
    threads: int | None = None
    overwrite: bool = False  # results of an earlier run

    @property
    def words(self) -> str:
        """Parameters as text."""
        return " ".join(f"{name}={value}" for name, value in self.settings.items()) or self.path.name


def combined(
    parameters: dict[str, list[str]], *, zipped: bool, drawn: int | None, seed: int, most: int | None
) -> list[dict[str, str]]:
    """Combinations of values: all of them, the last parameter varying fastest, or value by value.

    Parameters
    ----------
    parameters : dict of str to list of str
        Values of each parameter.
    zipped : bool
        Combine the k-th values of all parameters that have several; their numbers must be equal.
    drawn : int, optional
        Take this number of the combinations, drawn at random without repetition, in their order.
    seed : int
        Seed of the random numbers.
    most : int, optional
        Largest number of runs that is allowed; None: `MAX_RUNS`.

    Raises
    ------
    ValueError, TypeError
        If they do not go together, or are too many.

    Examples
    --------
    >>> wanted = {"n": ["10", "20"], "e": ["0.5", "0.9"], "speed": ["1"]}
    >>> [tuple(each.values()) for each in combined(wanted, zipped=True, drawn=None, seed=1, most=300)]
    [('10', '0.5', '1'), ('20', '0.9', '1')]
    >>> [tuple(each.values()) for each in combined(wanted, zipped=False, drawn=3, seed=1, most=300)]
    [('10', '0.5', '1'), ('10', '0.9', '1'), ('20', '0.5', '1')]
    """
    for name, number in (("random", drawn), ("seed", seed), ("most", most)):
        if number is not None:
            checks.whole(name, number, least=0)
    lengths = {name: len(words) for name, words in parameters.items()}
    several = {name: length for name, length in lengths.items() if length > 1}
    if zipped and len({*several.values()}) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in several.items())
        message = f"values that go together must be as many for each parameter: {listed}"
        raise ValueError(message)
    total = max(several.values(), default=1) if zipped else math.prod(lengths.values())
    if drawn is not None and not 1 <= drawn <= total:
        message = f"{drawn} of {counted(total, 'combination')} cannot be drawn, expected 1 to {total}"
        raise ValueError(message)
    count = total if drawn is None else drawn
    if count > min(MAX_RUNS, math.inf if most is None else most):
        way_out = "--yes (most=None) if that is meant, " if count <= MAX_RUNS else f"more than {MAX_RUNS}: "
        message = f"these are {count} runs: {way_out}or some of them by --random (random=100)"
        raise ValueError(message)
    chosen = range(total) if drawn is None else sorted(random.Random(seed).sample(range(total), drawn))
    return [_combination(parameters, number, zipped=zipped) for number in chosen]


def _combination(parameters: dict[str, list[str]], number: int, *, zipped: bool) -> dict[str, str]:
    """Combination by its number, whose digits are the values' numbers."""
    found = {}
    for name, words in reversed(parameters.items()):
        number, digit = (number, number if len(words) > 1 else 0) if zipped else divmod(number, len(words))
        found[name] = words[digit]
    return dict(reversed(found.items()))


def names(case: str, parameters: dict[str, list[str]], combinations: list[dict[str, str]], ending: str) -> list[str]:
    """File names from case and parameters, in alphabetical order for ascending values.

    Numbers of a parameter are written with as many digits each, as far as they are not negative and of one unit.
    Raises ValueError for values that differ by spaces alone.

    Examples
    --------
    >>> values = {"n": ["500", "10000"], "diameter": ["5 mm", "7.5 mm"]}
    >>> names("gas", values, [{"n": "500", "diameter": "7.5 mm"}, {"n": "10000", "diameter": "5 mm"}], ".h5")
    ['gas_n=00500_diameter=7.5mm.h5', 'gas_n=10000_diameter=5.0mm.h5']
    """
    labels = {name: _labels(words) for name, words in parameters.items()}
    for name, labelled in labels.items():
        if len({*labelled.values()}) < len(labelled):
            message = f"{name} has values that say the same, of {', '.join(labelled)}"
            raise ValueError(message)
    return [_name(case, each, labels) + ending for each in combinations]


def _name(case: str, settings: dict[str, str], labels: dict[str, dict[str, str]]) -> str:
    full_name = "_".join([case, *(f"{name}={labels[name][word]}" for name, word in settings.items())])
    safe = re.sub(r"[^\w.,=+\-\[\]]", "", full_name.replace("/", "-"), flags=re.ASCII)
    if full_name.replace(" ", "") == safe and len(safe) <= LONGEST:
        return safe
    digest = hashlib.sha256(repr(settings).encode()).hexdigest()[:8]  # what was left out may be all the difference
    return f"{safe[: LONGEST - 9]}-{digest}"


def _labels(words: list[str]) -> dict[str, str]:
    """Text of each value for file names."""
    parts = [units.NUMBER.fullmatch(word) for word in words]
    if all(parts) and len({part[2] for part in parts}) == 1:
        values = [float(part[1]) for part in parts]
        for places in range(WIDEST):
            texts = [f"{value:.{places}f}" for value in values]
            if all(float(text) == value for text, value in zip(texts, values, strict=True)):
                width = max(map(len, texts))
                if width <= WIDEST:
                    unit = parts[0][2].replace(" ", "")
                    return {word: f"{text:0>{width}}{unit}" if value >= 0 else f"{text}{unit}"
                            for word, text, value in zip(words, texts, values, strict=True)}  # fmt: skip
                break
    return {word: word.replace(" ", "") for word in words}
