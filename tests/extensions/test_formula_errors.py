"""Faulty formulae of users: the report names the formula, its line and the cause, not the callers in the kernels."""

import math
from operator import attrgetter
from typing import NamedTuple

import pytest
from dem.kernels.compiler import jit
from dem.kernels.compiler.formula_errors import FormulaError, cause_of

pytestmark = pytest.mark.skipif(jit.PLAIN, reason="reports of numba itself")


class Row(NamedTuple):
    """A formula in a table."""

    formula: object


def report_of(formula):
    """What a kernel that unpacks two results of a formula of (part, x) raises."""

    class Part(NamedTuple):
        """Selects the formula."""

        scale: float

    call = jit.select("part", {Part: Row(formula)}, attrgetter("formula"))

    @jit.inline
    def between(part, x):
        return call(part, x)

    @jit.kernel
    def outer(part, x):
        first, _ = between(part, x)
        return first

    with pytest.raises(FormulaError) as raised:
        outer(Part(2.0), 1.0)
    assert __file__ in str(raised.value)
    return str(raised.value)


@jit.inline
def misspelt(part, x):
    return part.scale * length, x  # noqa: F821


@jit.inline
def unknown_field(part, x):
    return part.skale * x, x


@jit.inline
def one_result(part, x):
    return part.scale * x


@jit.inline
def argument_missing(part):
    return part.scale, 0.0


def plain(part, x):
    return math.sqrt(part.scale * x), x


@jit.inline
def nested(part, x):
    return misspelt(part, x)


@pytest.mark.parametrize(
    ("formula", "parts"),
    [
        (misspelt, ["misspelt (", "cannot be compiled: NameError: name 'length' is not", "part.scale * length, x"]),
        (unknown_field, ["unknown_field (", "Unknown attribute 'skale'", "return part.skale * x, x"]),
        (one_result, ["failed to unpack float64", "first, _ = between(part, x)", "one_result (", "returns float64"]),
        (argument_missing, ["argument_missing (", "takes (part), expected 2"]),
        (plain, ["plain (", "is a plain function: decorate it with dem.kernels.compiler.jit.inline"]),
        (nested, ["nested (", "NameError: name 'length' is not defined", "return misspelt(part, x)"]),
    ],
)  # fmt: skip
def test_a_report_names_the_formula_and_its_line(formula, parts):
    report = report_of(formula)
    assert [part for part in parts if part not in report] == []
    assert len(report.splitlines()) <= 6


def test_a_missing_operator_is_named():
    report = "No implementation of function f for:\n >>> mul(Tuple(), float64)\nThere are 14 candidates\n No match.\n"
    assert cause_of(report) == "there is no mul(Tuple(), float64)"
