"""The parts of a step one at a time, many times over, to be timed: a bench for `kernels.soft.sweeps`."""

from kernels.fluid import Dry
from kernels.base.jit import hold, kernel, piece
from kernels.soft import passes, sweeps


@piece
def again_predict(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
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
            sweeps.move_dry(Dry(), c, False, True, scheme, law, 0, still, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_predict(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, scheme, law, bodies, kinds, neighbours, box, partial : see `again_predict`

    Writes
    ------
    bodies, neighbours, partial : as `again_predict`
    """
    again_predict(times, scheme, hold(law), hold(bodies), hold(kinds), hold(neighbours), hold(box), partial)


@piece
def again_evaluate(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
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
            sweeps.meet_chunks(
                c, True, c, False, scheme, law, 0, 1.0, still, bodies, kinds, neighbours, box, partial
            )


@kernel
def repeat_evaluate(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, scheme, law, still, bodies, kinds, neighbours, box, partial : see `again_evaluate`

    Writes
    ------
    bodies, neighbours, partial : as `again_evaluate`
    """
    again_evaluate(times, scheme, hold(law), hold(still), hold(bodies), hold(kinds), hold(neighbours), hold(box), partial)


@piece
def again_correct(times, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
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
            sweeps.meet_chunks(
                c, False, c, True, scheme, law, 0, 1.0, still, bodies, kinds, neighbours, box, partial
            )
            sweeps.move_chunk(fluid, c, True, False, scheme, law, 0, still, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_correct(times, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial : see `again_correct`

    Writes
    ------
    bodies, neighbours, partial : as `again_correct`
    """
    again_correct(times, scheme, hold(law), hold(fluid), hold(still), hold(bodies), hold(kinds), hold(neighbours), hold(box), partial)


@piece
def again_step(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
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
def repeat_step(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial : see `again_step`

    Writes
    ------
    bodies, neighbours, partial : as `again_step`
    """
    again_step(times, mode, scheme, hold(law), hold(fluid), hold(still), hold(bodies), hold(kinds), hold(neighbours), hold(box), partial)


@piece
def again_pick(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
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


@kernel
def repeat_pick(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial : see `again_pick`

    Writes
    ------
    bodies, neighbours, partial : as `again_pick`
    """
    again_pick(times, mode, scheme, hold(law), hold(fluid), hold(still), hold(bodies), hold(kinds), hold(neighbours), hold(box), partial)
