"""`select` calls the function of an argument's type, wherever it stands, and refuses types it has none for."""

from typing import NamedTuple

import pytest
from dem.kernels.compiler.jit import argument, inline, select


class Left(NamedTuple):
    """A type."""


class Right(NamedTuple):
    """Another."""


class FarRight(NamedTuple):
    """One that is right, and more."""

    extends = (Right,)


class Pair(NamedTuple):
    """Has a field of one of these types."""

    side: tuple


@inline
def minus(x, side):
    """Take one away."""
    return x - 1


@inline
def plus(x, side):
    """Add one."""
    return x + 1


@inline
def misplaced(side, x):
    """Have the argument elsewhere."""
    return x


@inline
def of_pair(pair):
    """Take a pair."""
    return 2


step = select("side", {Left: minus, Right: plus})


def test_the_function_of_the_most_special_type_is_called_wherever_the_argument_stands():
    assert [step(5, side) for side in (Left(), Right(), FarRight())] == [4, 6, 6]


def test_a_type_that_the_table_does_not_have_is_named_in_the_error():
    with pytest.raises(TypeError, match="no function for Pair: there are some for Left, Right"):
        step(5, Pair(Left()))


def test_functions_that_have_the_argument_at_different_places_are_refused():
    with pytest.raises(ValueError, match="side is not at one place"):
        select("side", {Left: minus, Right: misplaced})


def test_a_table_may_lead_to_another_and_ask_for_the_type_of_a_field():
    nested = select("pair.side", {Left: of_pair, object: of_pair})
    outer = select("pair", {Pair: nested, object: of_pair})
    assert outer(Pair(Left())) == 2
    assert select("side", {Left: step, Right: plus})(5, Left()) == 4


def test_a_value_or_an_argument_stands_for_a_function_that_returns_it():
    assert select("side", {Left: None, Right: plus})(5, Left()) is None
    assert select("side", {Left: (1, 2.0), Right: plus})(5, Left()) == (1, 2.0)
    unchanged = select("side", {Left: argument("x"), Right: plus})
    assert [unchanged(5, side) for side in (Left(), Right())] == [5, 6]
    of_two = select("pair.side", {Left: False, Right: True})
    assert [of_two(Pair(side)) for side in (Left(), FarRight())] == [False, True]
    nested = select("side", {Left: unchanged, Right: 0})
    assert [nested(5, side) for side in (Left(), Right())] == [5, 0]
    with pytest.raises(ValueError, match="not in"):
        select("side", {Left: argument("y"), Right: plus})(5, Left())


def test_a_type_registered_after_the_choice_is_made_is_found():
    rows = {Left: {"act": of_pair}}
    act = select("side", rows, lambda row: row["act"])
    with pytest.raises(TypeError, match="no function for Right: there are some for Left"):
        act(Right())
    rows[Right] = {"act": of_pair}
    assert act(Right()) == 2
