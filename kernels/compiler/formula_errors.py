"""Errors in formulae of users: the function, its line and the cause, in place of numba's report of all callers.

A formula of a law, shape, wall or drag law of another package is chosen by type, see `dem.kernels.compiler.jit.select`,
and compiled in the middle of a kernel. Numba names each of some fifty callers and seldom the line of the formula.
"""

import inspect
import re
from contextlib import contextmanager

from dem.kernels.compiler.disk_cache import OURS
from dem.kernels.compiler.selection import is_function, parameters_of
from numba.core import errors

RETURNED = {}  # formulae of users that the kernel in the making calls, and the types that they return
# how lines begin that say where an error was passed on, before the line that says what it was
PASSED_ON = re.compile(
    r"(TypingError: |NumbaTypeError: )?(Failed in |No implementation of |Invalid use of |>>> |There (are|is) \d+ "
    r"|- Of which|Overload |With argument\(s\)|Rejected as |$)"
)


class FormulaError(TypeError):
    """A formula of another package that cannot be compiled."""


def is_of_user(function):
    """Whether a function is of another package or of a script."""
    return hasattr(getattr(function, "py_func", function), "__code__") and not function.__module__.startswith(OURS)


def where(function):
    """Name of a function with its file and line."""
    code = getattr(function, "py_func", function).__code__
    return f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"


def cause_of(report):
    """What a report of numba says was wrong first, with the line of code if the report shows it."""
    lines = [line.strip() for line in report.splitlines()]
    first = next((k for k, line in enumerate(lines) if not PASSED_ON.match(line)), 0)
    cause = lines[first].removeprefix("TypingError: ")
    if cause == "No match.":  # of all candidates for a function
        cause = "there is no " + next((line for line in reversed(lines[:first]) if line.startswith(">>>")), "")[4:]
    place = next((k for k, line in enumerate(lines) if k > first and line.startswith('File "')), None)
    caret = next((k for k, line in enumerate(lines) if place and k > place and line.startswith("^")), None)
    if caret is None:
        return cause
    return f"{cause}\n  {lines[place].rstrip(':')}\n    {lines[caret - 1]}"


def line_of_name(function, cause):
    """Cause of an error; if a name is unknown, with the line of a function that contains the name."""
    unknown = re.match(r"NameError: name '(\w+)'", cause)
    code = getattr(function, "py_func", function).__code__
    try:
        lines, first = inspect.getsourcelines(code)
    except OSError:
        return cause
    found = (k for k, line in enumerate(lines) if unknown and re.search(rf"\b{unknown[1]}\b", line))
    at = next(found, None)
    return cause if at is None else f'{cause}\n  File "{code.co_filename}", line {first + at}\n    {lines[at].strip()}'


def formula_error(call, function, count, error):
    """`FormulaError` of a formula that `call` chose, for a number of arguments."""
    if not hasattr(function, "py_func"):
        return FormulaError(f"{where(function)} is a plain function: decorate it with dem.kernels.compiler.jit.inline")
    takes = parameters_of(function)
    if len(takes) != count:
        rows = (call.entry(row) for row in call.functions.values()) if hasattr(call, "functions") else ()
        ours = (row for row in rows if is_function(row) and not is_of_user(row))
        expected = next((f"({', '.join(names)})" for names in map(parameters_of, ours) if len(names) == count), count)
        return FormulaError(f"{where(function)} takes ({', '.join(takes)}), expected {expected}")
    return FormulaError(f"{where(function)} cannot be compiled: {line_of_name(function, cause_of(str(error)))}")


@contextmanager
def short_reports():
    """Raise an error of a user's formula without the frames of the compiler.

    Raises
    ------
    FormulaError
        Also for a formula that is compiled itself, but returns what its caller cannot use.
    """
    RETURNED.clear()
    try:
        yield
    except FormulaError as error:
        raise FormulaError(*error.args) from None
    except errors.NumbaError as error:
        if not RETURNED:
            raise
        returned = "\n".join(f"  {where(function)} returns {kind}" for function, kind in RETURNED.items())
        message = (
            f"a formula returns what its caller cannot use: {cause_of(str(error))}\nFormulae of users:\n{returned}"
        )
        raise FormulaError(message) from None
