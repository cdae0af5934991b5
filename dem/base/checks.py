"""Check arguments of users; an error shows the value, the expected values and the remedy."""

from __future__ import annotations

import difflib
import math
import operator
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base import cpu_info
from dem.base.text import counted, shown

if TYPE_CHECKING:
    from os import PathLike

LARGEST = 1e50  # of any number: what is made of it, such as a moment of inertia, stays within those that there are
SMALLEST = 1e-50  # of those that are to be above 0: what is divided by them does, too
A_PARTICLE = 2000  # bytes that a particle takes at least, with its neighbours
TABLES = (".csv", ".txt", ".dat")  # how the names of tables of comma-separated values end
LONGEST_NAME = 100  # letters of an unknown one that are compared with those known
WANTED = {dict: "a dict", np.random.Generator: "a generator, such as numpy.random.default_rng(1)"}  # else ours


def number(
    name: str,
    value: float,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    most: float = math.inf,
    unit: str = "",
    largest: float = LARGEST,
    word: str = "",
) -> float:
    """Check one number and return it as a float: finite, of a size up to the largest, in the range given.

    One that is to be above 0 is to be `SMALLEST` at least, unless any size will do, as of what a run has come to: then
    the largest is infinite. Raises ValueError or TypeError naming it.
    """
    try:
        if isinstance(value, (str, bytes, bool, np.bool_)):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError):
        other = f' or "{word}"' if word else ""  # a value that the caller takes besides
        raise TypeError(f"{name} is {shown(value)}, expected a number{unit and f' [{unit}]'}{other}") from None
    except OverflowError:
        result = math.inf if value > 0 else -math.inf
    if above == 0 < result < SMALLEST and largest < math.inf:
        above, least = -math.inf, SMALLEST
    if result < -largest and least == above == -math.inf:
        least = -largest
    if not (math.isfinite(result) and abs(result) <= largest and above < result and least <= result <= most):
        limits = [f"above {above:g}"] * (above > -math.inf) + [f"at least {least:g}"] * (least > -math.inf)
        limits += [f"at most {min(most, largest):g}"] * (most < math.inf or result > largest)
        message = f"{name} is {result:g}{unit and ' ' + unit}, expected a finite number {' and '.join(limits)}".rstrip()
        raise ValueError(message)
    return result


def text(name: str, value: str) -> str:
    """Check one text and return it; raises TypeError naming it."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}, expected text")
    return value


def whole(name: str, value: int, *, least: int) -> int:
    """Check one integer and return it; raises ValueError or TypeError naming it."""
    try:
        result = operator.index(value)
    except TypeError:
        result = None
    if result is None or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {shown(value)}, expected a whole number")
    if not least <= result < 2**62:
        raise ValueError(f"{name} is {shown(value)}, expected at least {least} and less than 2^62")
    return result


def numbers(name: str, value: object, expected: str = "") -> np.ndarray:
    """Convert to a new float64 array of any shape and any numbers, also infinite; raises ValueError naming it."""
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "iuf":
            raise TypeError
        return np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        message = f"{name} cannot be read as an array of numbers{expected and f', expected {expected}'}"
        raise ValueError(message) from None


def count_of(name: str, value: object) -> int:
    """Length of a list, an array or the like, 0 for other things; raises ValueError if rows differ in length."""
    try:
        return len(value if isinstance(value, np.ndarray) else np.asarray(value))
    except TypeError:
        return 0
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths") from None


def array(
    name: str, value: object, shape: tuple[int, ...], meaning: str, *, rows: str = "", largest: float = LARGEST
) -> np.ndarray:
    """Convert to a new float64 array of this shape, finite, of sizes up to the largest; raises ValueError naming it.

    What there are so many rows of may have a letter: a shape is then said as (N, 3), with N = 5.
    """
    axes = [rows or str(shape[0]), *map(str, shape[1:])] if shape else []
    wanted = f"({', '.join(axes)}{',' * (len(axes) == 1)})" + (f" with {rows} = {shape[0]}" if rows else "")
    result = numbers(name, value, f"{wanted}: {meaning}")
    if result.shape != shape:
        raise ValueError(f"{name} has shape {result.shape}, expected {wanted}: {meaning}")
    bad = np.argwhere(~np.isfinite(result))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        raise ValueError(f"{name} is not finite in {counted(len(bad), 'place')}, the first at {where}: {result[where]}")
    if (np.abs(result) > largest).any():
        where = tuple(map(int, np.unravel_index(np.abs(result).argmax(), result.shape)))
        message = f"{name} is {result[where]:g} at {where}, expected numbers of a size up to {largest:g}: {meaning}"
        raise ValueError(message)
    return result


def per_body(**given: tuple[object, int]) -> list[np.ndarray]:
    """Arrays (N,) or (N, k) of the same N bodies, given as name=(value, k), k = 1 for (N,); may hold NaN.

    Raises ValueError naming the first that has another shape.
    """
    found = {name: numbers(name, value) for name, (value, _) in given.items()}
    first, count = next((name, len(array) if array.ndim else 0) for name, array in found.items())
    for name, array in found.items():
        k = given[name][1]
        shape = (count,) if k == 1 else (count, k)
        if array.shape != shape:
            wanted = f"(N,) with N = {count}" if k == 1 else f"(N, {k}) with N = {count}"
            as_first = "" if name == first else f" as {first} has"
            raise ValueError(f"{name} has shape {array.shape}, expected {wanted}{as_first}")
    return list(found.values())


def vector(name: str, value: object, meaning: str) -> tuple[float, float, float]:
    """Three finite numbers as a tuple."""
    x, y, z = array(name, value, (3,), meaning).tolist()
    return x, y, z


def direction(name: str, value: object, meaning: str = "a direction") -> tuple[float, float, float]:
    """Three finite numbers that point somewhere, which need not be of length one; raises ValueError naming them."""
    found = vector(name, value, meaning)
    if max(map(abs, found)) < SMALLEST:
        raise ValueError(f"{name} is {found}, expected {meaning}: not all zeros")
    return found


def one_of(what: str, name: str, names: Iterable[str]) -> str:
    """Check a name against those known; raises ValueError with the nearest one."""
    known = list(names)
    if not (isinstance(name, str) and name in known):
        near = nearest(name[:LONGEST_NAME], known) if isinstance(name, str) else ""
        hint = f"did you mean {near}? " if near else ""
        raise ValueError(f"unknown {what} {shown(name)}: {hint}known are {', '.join(known) or 'none'}")
    return name


def flag(name: str, value: bool) -> bool:
    """Check that something is True or False; raises TypeError naming it."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {shown(value)}, expected True or False")
    return value


def listed(name: str, given: Iterable, example: str) -> list:
    """Check that something is a list, or the like, and no string; raises TypeError naming it."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        such = shown(given if isinstance(given, str) else example)
        raise TypeError(f"{name} is {shown(given)}, expected a list, such as [{such}]")
    return list(given)


def of_one_type(name: str, given: Iterable, kind: type) -> list:
    """Check that something is a list, or the like, of things of one type; raises TypeError naming it."""
    found = listed(name, given, f"a dem.{kind.__name__}")
    for k, each in enumerate(found):
        of_types(**{f"{name}[{k}]": (each, kind)})
    return found


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that a misspelt one may mean, or nothing."""
    return next(iter(difflib.get_close_matches(name, known, n=1)), "")


def threads(number: int | None) -> int:
    """Number of threads to use: as requested, at most the available ones; all of them by default."""
    from dem.kernels.compiler.jit import most_threads  # noqa: PLC0415, numba takes a moment that other checks do not need

    most = most_threads()
    return most if number is None else min(whole("threads", number, least=1), most)


def bodies(number: float, what: str = "particles") -> None:
    """Refuse more particles than this machine has memory for; raises ValueError saying how much they would take."""
    most, number = cpu_info.memory(), min(number, 2**62)
    if not number * A_PARTICLE <= most:
        raise ValueError(
            f"{number:.4g} {what} would take {number * A_PARTICLE / 1e9:.3g} GB of memory, this machine has "
            f"{most / 1e9:.3g} GB: take fewer"
        )


def existing_file(path: Path) -> None:
    """Raise FileNotFoundError if there is no file at a path."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is a folder" if path.is_dir() else f"no file {path}")


def output(path: str | PathLike, *, overwrite: bool | None = None, what: str = "output") -> Path:
    """A path that a file may be written to; `overwrite` is None where nothing can be replaced.

    Raises
    ------
    FileExistsError
        If there is one already that is not to be replaced.
    OSError
        If there is no such folder, or something else of that name.
    TypeError
        If `overwrite` is a text, such as "no", or another thing than True or False.
    """
    if overwrite is not None:
        flag("overwrite", overwrite)
    path = Path(path)
    problem = None
    if path.is_dir():
        problem = "it is a folder"
    elif path.exists() and not path.is_file():
        problem = "it is no regular file"
    elif not path.parent.is_dir():
        problem = f"there is no folder {path.parent}"
    elif not os.access(path.parent, os.W_OK):
        problem = f"no permission to write to the folder {path.parent.resolve()}: choose another"
    elif overwrite and path.exists() and not os.access(path, os.W_OK):
        problem = "it is read-only"
    if problem:
        raise OSError(f"{what} {path} cannot be written: {problem}")
    if os.path.lexists(path) and not overwrite:  # what a link that leads nowhere would create is elsewhere
        way_out = "" if overwrite is None else ", or --overwrite (overwrite=True)"
        raise FileExistsError(f"{what} {path} exists already: choose another name{way_out}")
    return path


def folder(path: str | PathLike, *, what: str = "output", parents: bool = False) -> Path:
    """A folder that files may be written to, or that can be made, with those above it if `parents`.

    Raises
    ------
    OSError
        If there can be no such folder, or nothing can be written to it.
    """
    path = Path(path)
    there = next(each for each in (path, *path.parents) if each.exists())
    problem = None
    if not there.is_dir():
        problem = f"{there} is a file, expected a folder"
    elif there not in (path, path.parent) and not parents:
        problem = f"there is no folder {path.parent}"
    elif not os.access(there, os.W_OK):
        problem = f"no permission to write to the folder {there.resolve()}: choose another"
    if problem:
        raise OSError(f"{what} {path} cannot be written to: {problem}")
    return path


def ending(path: Path, fitting: Iterable[str], but: str, *, what: str = "output", needed: bool = False) -> None:
    """Check that a name ends in one of these, or in nothing unless that is needed; raises ValueError saying why not."""
    if (path.suffix or needed) and not path.name.lower().endswith(tuple(fitting)):
        message = f"{what} {path} ends in {path.suffix or 'nothing'}, but {but}: let it end in {' or '.join(fitting)}"
        raise ValueError(message)


def of_types(*, optional: bool = False, hint: str = "", **given: tuple[object, type]) -> None:
    """Check that arguments, given as name=(value, type), are of these types, or None if they are optional."""
    for name, (value, kind) in given.items():
        if not (isinstance(value, kind) or (optional and value is None)):
            wanted = WANTED.get(kind, f"dem.{kind.__name__}")
            raise TypeError(
                f"{name} is {type(value).__name__}, expected {wanted}{' or None' * optional}{hint and ': ' + hint}"
            )
