"""Sweeps over some blocks of a rank, or over half of each: the border first, inner blocks while the border is sent."""

from dem.kernels.compiler.jit import func, inline, select, spread
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.integration import passes, sweeps


@func
def do_part(k, job, first, begin, end, task, context):
    """Evaluate the pairs of a block that reach into others before anything moves, or sweep over its halves.

    k, first, job: block k after the first one; `dem.kernels.soft.integration.passes.BORDERS`, or else it is swept over.
    begin, end, task: see `dem.kernels.soft.integration.sweeps.sweep_half`.
    Writes context: as `dem.kernels.soft.integration.sweeps.sweep_half`.
    """
    if job == passes.BORDERS:
        sweeps.evaluate_borders(first + k, task, context)
    else:
        sweeps.sweep_half(first + k, begin, end, task, context)


@inline
def do_blocks_serial(job, first, stop, begin, end, task, context):
    """Evaluate the pairs that reach out of the blocks `first` to `stop`, or sweep over the blocks, in one thread.

    job, first, stop: see `do_part`.
    begin, end, task: see `dem.kernels.soft.integration.sweeps.sweep_half`.
    Writes context: as `do_part`.
    """
    for k in range(stop - first):
        do_part(k, job, first, begin, end, task, context)


do_blocks_spread = spread(do_part)


@inline
def do_blocks_threaded(job, first, stop, begin, end, task, context):
    """Evaluate the pairs that reach out of the blocks `first` to `stop`, or sweep over the blocks, by threads.

    job, first, stop: see `do_part`.
    begin, end, task: see `dem.kernels.soft.integration.sweeps.sweep_half`.
    Writes context: as `do_part`.
    """
    do_blocks_spread(stop - first, job, first, begin, end, task, context)


do_blocks = select("mode", {Serial: do_blocks_serial, Threaded: do_blocks_threaded}, handed=False)


@inline
def sweep_blocks(first, stop, begin, end, task, mode, context):
    """Sweep over halves of some blocks; before the first half, evaluate the pairs that reach out of them.

    first, stop: from block `first` to block `stop`.
    begin, end, task: see `kernels.soft.integration.sweeps.sweep_half`.
    Writes context: as `dem.kernels.soft.integration.sweeps.sweep_half`.
    """
    for job in range(passes.SWEEP if task == sweeps.PREDICT or begin > 0 else passes.BORDERS, passes.SWEEP + 1):
        do_blocks(mode, job, first, stop, begin, end, task, context)
