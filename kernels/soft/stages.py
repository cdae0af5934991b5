"""The parts of a step one at a time, many times over, to be timed: a bench for `kernels.soft.sweeps`."""

from kernels.base.jit import kernel
from kernels.soft import passes, sweeps


@kernel
def repeat_predict(times, scheme, law, bodies, kinds, neighbours, box, partial):
    """Predict with a time step of zero, so that nothing moves.

    Parameters
    ----------
    times : how often
    scheme, law, kinds, neighbours, box : see `kernels.soft.state`

    Writes
    ------
    bodies, partial : as `sweeps.predict_chunk`
    """
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.predict_chunk(c, scheme, law, 0.0, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_evaluate(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
    """Evaluate the candidate pairs.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    scheme, law, bodies, kinds, box : see `kernels.soft.state`

    Writes
    ------
    neighbours, partial : as `sweeps.evaluate_chunk`
    """
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.evaluate_chunk(c, scheme, law, 1.0, still, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_correct(times, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """Gather and correct.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    scheme, law, fluid, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as `sweeps.gather_chunk` and `sweeps.correct_chunk`
    """
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.gather_chunk(c, law, 0, 1.0, still, bodies, kinds, neighbours, box, partial)
            sweeps.correct_chunk(fluid, c, law, 0, scheme, still, bodies, kinds, box, partial)


@kernel
def repeat_step(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """All three in one sweep, as they are done.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    mode, scheme, law, fluid, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as `sweeps.sweep_block`
    """
    for _ in range(times):
        passes.sweep(mode, sweeps.STEP, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_pick(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """Pick the candidates.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    mode, scheme, law, fluid, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as `passes.pick_serial`
    """
    for _ in range(times):
        passes.pick(mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial)
