"""Calling convention of inlined functions: each argument is a single value, also arrays and tuples, which numba splits.

A function that fails writes the reason to the place that its caller was given for it. The caller only returns the error
code.
"""

import copy

from numba.core import callconv, cgutils, cpu, types


def is_of_kernels(builder):
    """Whether the function that is being lowered belongs to the kernels."""
    return getattr(builder.function, "is_of_kernels", False)


class SingleValueArguments:
    """Packer of arguments that passes each one as a single value; numba splits arrays and tuples."""

    def __init__(self, context, argument_types):
        self.argument_types = [context.get_value_type(t) for t in argument_types]

    def as_arguments(self, builder, values):
        """Values to pass: unchanged."""
        return values

    def from_arguments(self, builder, values):
        """Values received: unchanged."""
        return values

    def assign_names(self, arguments, names):
        """Name the arguments, for readers of LLVM code."""
        for argument, name in zip(arguments, names, strict=True):
            argument.name = name


class InlinedConvention(callconv.CPUCallConv):
    """Calling convention of inlined functions."""

    def _get_arg_packer(self, argtypes):
        return SingleValueArguments(self.context, argtypes)

    def call_function(self, builder, callee, resty, argtys, args, attrs=None):
        """Write a call of an inlined function; kernels need no code for iterators, Python objects and `try`."""
        if not is_of_kernels(builder) or isinstance(resty, types.Optional):
            return super().call_function(builder, callee, resty, argtys, args, attrs)
        returned = cgutils.alloca_once(builder, self.get_return_type(resty).pointee)
        code = builder.call(callee, [returned, self._get_excinfo_argument(builder.function), *args])
        failed = builder.icmp_signed("!=", code, callconv.RETCODE_OK)
        status = callconv.Status(code, None, None, failed, None, None, None, None)
        return status, self.context.get_returned_value(builder, resty, builder.load(returned))

    def return_status_propagate(self, builder, status):
        """Return the error code of a call that failed."""
        if status.excinfoptr is None:
            self._return_errcode_raw(builder, status.code)
        else:
            super().return_status_propagate(builder, status)


class InlinedContext(cpu.CPUContext):
    """Compilation target with the calling convention of inlined functions."""

    @property
    def call_conv(self):
        """The calling convention."""
        return InlinedConvention(self)


def with_inlined_convention(context):
    """Copy of a compilation target that uses the calling convention of inlined functions."""
    other = copy.copy(context)
    other.__class__ = InlinedContext
    return other
