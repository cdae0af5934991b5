"""Sweeps over some of a share's blocks, or half of each: the border's before others, and others while it is told of."""

from dem.kernels.compiler.jit import func, inline, select, spread
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.integration import passes, sweeps


@func
def do_part(k, job, first, begin, end, task, context):
    """Evaluate what reaches out of a block before anything in it moves, or sweep over its halves.

    Parameters
    ----------
    k, first, job : block k after the first one; `dem.kernels.soft.integration.passes.BORDERS`, or else it is swept over
    begin, end, task, context : see `dem.kernels.soft.integration.sweeps.sweep_half`

    Writes
    ------
    context : as `dem.kernels.soft.integration.sweeps.sweep_half`
    """
    if job == passes.BORDERS:
        sweeps.evaluate_borders(first + k, task, context)
    else:
        sweeps.sweep_half(first + k, begin, end, task, context)


@inline
def go_serial(job, first, stop, begin, end, task, context):
    """Evaluate what reaches out of the blocks `first` to `stop`, or sweep over their halves, in one thread.

    Parameters
    ----------
    job, first, stop : see `do_part`
    begin, end, task, context : see `dem.kernels.soft.integration.sweeps.sweep_half`

    Writes
    ------
    context : as `do_part`
    """
    for k in range(stop - first):
        do_part(k, job, first, begin, end, task, context)


go_spread = spread(do_part)


@inline
def go_threaded(job, first, stop, begin, end, task, context):
    """Evaluate what reaches out of the blocks `first` to `stop`, or sweep over their halves, by threads.

    Parameters
    ----------
    job, first, stop : see `do_part`
    begin, end, task, context : see `dem.kernels.soft.integration.sweeps.sweep_half`

    Writes
    ------
    context : as `do_part`
    """
    go_spread(stop - first, job, first, begin, end, task, context)


go = select("mode", {Serial: go_serial, Threaded: go_threaded}, handed=False)


@inline
def go_over(first, stop, begin, end, task, mode, context):
    """Sweep over halves of some blocks; before the first one, evaluate what reaches out of them.

    Parameters
    ----------
    first, stop : from block `first` to block `stop`
    begin, end, task, mode, context : see `kernels.soft.integration.sweeps.sweep_half`

    Writes
    ------
    context : as `dem.kernels.soft.integration.sweeps.sweep_half`
    """
    for job in range(passes.SWEEP if task == sweeps.PREDICT or begin > 0 else passes.BORDERS, passes.SWEEP + 1):
        go(
            mode, job, first, stop, begin, end, task, context
        )  # fmt: skip
