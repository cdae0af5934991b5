"""`max` and `min` of numbers in kernels, lowered where they are called.

numba makes a function of its own for each number and type of arguments, optimises it, and does so again in the next
process: twelve for the first step of fibres, a sixtieth of a second each.
"""

import operator

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.cpython import builtins as numba_builtins
from numba.extending import lower_builtin


def extreme_of(choose, better):
    """Function that stands for `choose` in kernels, of two numbers or more: the first that none is better than."""

    def call(*numbers):
        return choose(*numbers)

    class Extreme(AbstractTemplate):
        key = call

        def generic(self, args, kws):
            if len(args) < 2 or not all(isinstance(one, types.Number | types.Boolean) for one in args):
                return None
            plain = tuple(types.unliteral(one) for one in args)
            return signature(self.context.unify_types(*plain), *plain)

    infer_global(call, types.Function(Extreme))

    @lower_builtin(call, types.VarArg(types.Any))
    def lower(context, builder, sig, args):
        return numba_builtins.do_minmax(context, builder, sig.args, args, better)

    return call


INSTEAD = {max: extreme_of(max, operator.gt), min: extreme_of(min, operator.lt)}


@register_pass(mutates_CFG=False, analysis_only=False)
class LowerExtremes(FunctionPass):
    """Have kernels call these instead."""

    _name = "lower_extremes"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        """Go through what was read of the function."""
        changed = False
        for block in state.func_ir.blocks.values():
            for one in block.find_insts(ir.Assign):
                for usual, instead in INSTEAD.items():
                    if isinstance(one.value, ir.Global) and one.value.value is usual:
                        one.value.value, changed = instead, True
        return changed
