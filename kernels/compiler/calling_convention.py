"""Calling convention of compiled parts: each argument is a single value, also those that numba takes apart."""

import copy

from numba.core import callconv, cpu


class AsTheyAre:
    """Arguments of a function as single values, where numba takes arrays and tuples apart."""

    def __init__(self, context, argument_types):
        self.argument_types = [context.get_value_type(t) for t in argument_types]

    def as_arguments(self, builder, values):
        """Nothing to do."""
        return values

    def from_arguments(self, builder, values):
        """Nothing to do."""
        return values

    def assign_names(self, arguments, names):
        """Name them, for who reads the code."""
        for argument, name in zip(arguments, names, strict=True):
            argument.name = name


class PartConvention(callconv.CPUCallConv):
    """How parts are called."""

    def _get_arg_packer(self, argtypes):
        return AsTheyAre(self.context, argtypes)


class PartContext(cpu.CPUContext):
    """The target, but calling functions as parts are called."""

    @property
    def call_conv(self):
        """The convention."""
        return PartConvention(self)


def calling_parts(context):
    """Copy of a compilation target that uses the calling convention of inlined functions."""
    other = copy.copy(context)
    other.__class__ = PartContext
    return other
