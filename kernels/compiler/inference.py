"""Faster type inference of numba: types of operators are inferred once, and `max` and `min` need no functions.

A kernel has thousands of sums and products of the same few types. For each of them numba tries all rules that it has
for an operator: its own, those of numpy's functions, those of strings. For each pair of types of `max` and `min` it
types and lowers a function.
"""

# ruff: noqa: SLF001 (numba has no other way in)

import operator

from numba.core import base, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.cpython import builtins
from numba.extending import lower_builtin

ORIGINAL = {}  # what numba has of the names below
OPERATORS = (
    "_operator",
    "builtins",
    "math",
)  # where functions are whose types depend on those of arguments alone


def call_type(function, context, args, kws):
    """Signature of a call; signatures of operators are remembered by the types of their arguments."""
    if kws or getattr(function.typing_key, "__module__", None) not in OPERATORS:
        return ORIGINAL["get_call_type"](function, context, args, kws)
    known, key = vars(function).setdefault("known", {}), (context, *(one._code for one in args))
    if key not in known:
        known[key] = ORIGINAL["get_call_type"](function, context, args, kws)
    return known[key]


def has_location(function):
    """Whether a code generator takes an argument `loc`; numba asks this for each instruction."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__"):
        return ORIGINAL["_has_loc"](function)
    return "loc" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def choose_number(function, comparison):
    """Make numba write `max` or `min` of several numbers in place, not as a call of a function."""

    class Extreme(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            if kws or len(args) < 2 or not all(isinstance(one, types.Integer | types.Float) for one in args):
                return None
            return signature(self.context.unify_types(*args), *args)

    Extreme.metadata = {"target": "cpu"}  # so that numba tries it before its own functions for any target
    infer_global(function, types.Function(Extreme))

    @lower_builtin(function, types.VarArg(types.Number))
    def lower(context, builder, sig, args):
        return builtins.do_minmax(context, builder, sig.args, args, comparison)


def infer_once():
    """Patch numba with these functions."""
    for owner, name, ours in (
        (types.functions.BaseFunction, "get_call_type", call_type),
        (base, "_has_loc", has_location),
    ):
        ORIGINAL[name] = getattr(owner, name)
        setattr(owner, name, ours)
    choose_number(max, operator.gt)
    choose_number(min, operator.lt)
