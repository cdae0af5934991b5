"""Sweeps over some of a share's blocks, or half of each: the border's before others, and others while it is told of."""

from kernels.base.jit import formula, part, spread, stage
from kernels.soft import passes, sweeps
from kernels.soft.chunks import by_mode


@part
def do_part(k, job, first, begin, end, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """Evaluate what reaches out of a block before anything in it moves, or sweep over its halves.

    Parameters
    ----------
    k, first, job : block k after the first one; `kernels.soft.passes.BORDERS`, or else it is swept over
    begin, end, task, scheme, law, fluid, setting, kinds, box : see `kernels.soft.sweeps.sweep_half`

    Writes
    ------
    bodies, neighbours, partial : as `kernels.soft.sweeps.sweep_half`
    """
    if job == passes.BORDERS:
        sweeps.evaluate_borders(first + k, scheme, law, task, setting, bodies, kinds, neighbours, box, partial)
    else:
        sweeps.sweep_half(
            first + k, begin, end, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial
        )


@formula
def go_serial(job, first, stop, begin, end, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """The same for all blocks from `first` to `stop`.

    Parameters
    ----------
    job, first, stop : see `do_part`
    begin, end, task, scheme, law, fluid, setting, kinds, box : see `kernels.soft.sweeps.sweep_half`

    Writes
    ------
    bodies, neighbours, partial : as `do_part`
    """
    for k in range(stop - first):
        do_part(k, job, first, begin, end, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)


go_spread = spread(do_part)


@formula
def go_threaded(
    job, first, stop, begin, end, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial
):
    """The same by threads.

    Parameters
    ----------
    job, first, stop : see `do_part`
    begin, end, task, scheme, law, fluid, setting, kinds, box : see `kernels.soft.sweeps.sweep_half`

    Writes
    ------
    bodies, neighbours, partial : as `do_part`
    """
    go_spread(
        stop - first, job, first, begin, end, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial
    )


go = by_mode(go_serial, go_threaded)


@stage
def go_over(first, stop, begin, end, task, scheme, law, fluid, mode, setting, bodies, kinds, neighbours, box, partial):
    """Sweep over halves of some blocks; before the first one, evaluate what reaches out of them.

    Parameters
    ----------
    first, stop : from block `first` to block `stop`
    begin, end, task, scheme, law, fluid, mode, setting, kinds, box : see `kernels.soft.sweeps.sweep_half`

    Writes
    ------
    bodies, neighbours, partial : as `kernels.soft.sweeps.sweep_half`
    """
    for job in range(passes.SWEEP if task == sweeps.PREDICT or begin > 0 else passes.BORDERS, passes.SWEEP + 1):
        go(
            mode, job, first, stop, begin, end, task, scheme, law, fluid, setting, bodies, kinds, neighbours, box,
            partial,
        )  # fmt: skip
