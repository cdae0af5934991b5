"""The parts of a step one at a time, many times over, to be timed: a bench for `kernels.soft.integration.sweeps`."""

from dem.kernels.compiler.jit import compiled_stage, hold, kernel
from dem.kernels.fluid import Dry
from dem.kernels.soft.integration import passes, sweeps


@compiled_stage
def predict(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
    """Predict with a time step of zero, so that nothing moves.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    scheme, law, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as `sweeps.sweep_block` and `passes.pick_serial`
    """
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.move_dry(Dry(), c, False, True, scheme, law, 0, still, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_predict(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, scheme, law, still, kinds, box : see `predict`

    Writes
    ------
    bodies, neighbours, partial : as `predict`
    """
    predict(
        times, scheme, hold(law), hold(still), hold(bodies), hold(kinds), hold(neighbours), hold(box),
        partial,
    )  # fmt: skip


@compiled_stage
def evaluate(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
    """Evaluate the candidate pairs.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    scheme, law, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as `sweeps.sweep_block` and `passes.pick_serial`
    """
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.evaluate_and_accumulate(
                c, True, c, False, scheme, law, 0, 1.0, still, bodies, kinds, neighbours, box, partial
            )


@kernel
def repeat_evaluate(times, scheme, law, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, scheme, law, still, kinds, box : see `evaluate`

    Writes
    ------
    bodies, neighbours, partial : as `evaluate`
    """
    evaluate(
        times, scheme, hold(law), hold(still), hold(bodies), hold(kinds), hold(neighbours), hold(box),
        partial,
    )  # fmt: skip


@compiled_stage
def correct(times, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """Gather and correct.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    scheme, law, fluid, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as `sweeps.sweep_block` and `passes.pick_serial`
    """
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.evaluate_and_accumulate(
                c, False, c, True, scheme, law, 0, 1.0, still, bodies, kinds, neighbours, box, partial
            )
            sweeps.move_chunk(fluid, c, True, False, scheme, law, 0, still, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_correct(times, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, scheme, law, fluid, still, kinds, box : see `correct`

    Writes
    ------
    bodies, neighbours, partial : as `correct`
    """
    correct(
        times, scheme, hold(law), hold(fluid), hold(still), hold(bodies), hold(kinds), hold(neighbours),
        hold(box), partial,
    )  # fmt: skip


@compiled_stage
def step(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """All three in one sweep, as they are done.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    mode, scheme, law, fluid, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as `sweeps.sweep_block` and `passes.pick_serial`
    """
    for _ in range(times):
        passes.sweep(mode, sweeps.STEP, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_step(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, mode, scheme, law, fluid, still, kinds, box : see `step`

    Writes
    ------
    bodies, neighbours, partial : as `step`
    """
    step(
        times, mode, scheme, hold(law), hold(fluid), hold(still), hold(bodies), hold(kinds),
        hold(neighbours), hold(box), partial,
    )  # fmt: skip


@compiled_stage
def pick(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """Pick the candidates.

    Parameters
    ----------
    times, still : how often; `Setting` with a time step of zero
    mode, scheme, law, fluid, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours, partial : as `sweeps.sweep_block` and `passes.pick_serial`
    """
    for _ in range(times):
        passes.pick(mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial)


@kernel
def repeat_pick(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, partial):
    """The same with all tuples held.

    Parameters
    ----------
    times, mode, scheme, law, fluid, still, kinds, box : see `pick`

    Writes
    ------
    bodies, neighbours, partial : as `pick`
    """
    pick(
        times, mode, scheme, hold(law), hold(fluid), hold(still), hold(bodies), hold(kinds),
        hold(neighbours), hold(box), partial,
    )  # fmt: skip
