"""Calling convention of compiled parts: each argument is a single value, also those that numba takes apart.

A part that fails writes the reason to the place that its caller was given for it. The caller only returns the code.
"""

import copy

from numba.core import callconv, cgutils, cpu, types


def is_of_kernels(builder):
    """Whether what is being written is a function of kernels."""
    return getattr(builder.function, "is_of_kernels", False)


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

    def call_function(self, builder, callee, resty, argtys, args, attrs=None):
        """Call a part; from a kernel without what numba notes for iterators, Python objects and `try`."""
        if not is_of_kernels(builder) or isinstance(resty, types.Optional):
            return super().call_function(builder, callee, resty, argtys, args, attrs)
        returned = cgutils.alloca_once(builder, self.get_return_type(resty).pointee)
        code = builder.call(callee, [returned, self._get_excinfo_argument(builder.function), *args])
        failed = builder.icmp_signed("!=", code, callconv.RETCODE_OK)
        status = callconv.Status(code, None, None, failed, None, None, None, None)
        return status, self.context.get_returned_value(builder, resty, builder.load(returned))

    def return_status_propagate(self, builder, status):
        """Return the code of a call that failed."""
        if status.excinfoptr is None:
            self._return_errcode_raw(builder, status.code)
        else:
            super().return_status_propagate(builder, status)


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
