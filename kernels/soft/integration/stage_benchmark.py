"""The parts of a step one at a time, many times over, to be timed: a bench for `kernels.soft.integration.sweeps`."""

from dem.kernels.compiler.jit import fast_call
from dem.kernels.fluid import Dry
from dem.kernels.soft.integration import passes, sweeps
from dem.kernels.soft.state import StepContext


@fast_call
def predict(times, scheme, law, still, bodies, kinds, neighbours, box, chunk_sums):
    """Predict with a time step of zero, so that nothing moves.

    times, still: how often; `RunConstants` with a time step of zero.
    Writes bodies, neighbours, chunk_sums: as `sweeps.sweep_block` and `passes.pick_serial`.
    """
    context = StepContext(scheme, law, Dry(), still, bodies, kinds, neighbours, box, chunk_sums)
    for _ in range(times):
        for c in range(chunk_sums.shape[0]):
            sweeps.move_dry(c, False, True, 0, context)


@fast_call
def evaluate(times, scheme, law, still, bodies, kinds, neighbours, box, chunk_sums):
    """Evaluate the candidate pairs.

    times, still: how often; `RunConstants` with a time step of zero.
    Writes bodies, neighbours, chunk_sums: as `sweeps.sweep_block` and `passes.pick_serial`.
    """
    context = StepContext(scheme, law, Dry(), still, bodies, kinds, neighbours, box, chunk_sums)
    for _ in range(times):
        for c in range(chunk_sums.shape[0]):
            sweeps.evaluate_and_accumulate(c, True, c, False, 0, 1.0, context)


@fast_call
def correct(times, scheme, law, fluid, still, bodies, kinds, neighbours, box, chunk_sums):
    """Gather the forces and correct the velocities, a number of times.

    times, still: how often; `RunConstants` with a time step of zero.
    Writes bodies, neighbours, chunk_sums: as `sweeps.sweep_block` and `passes.pick_serial`.
    """
    context = StepContext(scheme, law, fluid, still, bodies, kinds, neighbours, box, chunk_sums)
    for _ in range(times):
        for c in range(chunk_sums.shape[0]):
            sweeps.evaluate_and_accumulate(c, False, c, True, 0, 1.0, context)
            sweeps.move_chunk(c, True, False, 0, context)


@fast_call
def step(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, chunk_sums):
    """All three in one sweep, as they are done.

    times, still: how often; `RunConstants` with a time step of zero.
    Writes bodies, neighbours, chunk_sums: as `sweeps.sweep_block` and `passes.pick_serial`.
    """
    context = StepContext(scheme, law, fluid, still, bodies, kinds, neighbours, box, chunk_sums)
    for _ in range(times):
        passes.sweep(mode, sweeps.STEP, context)


@fast_call
def pick(times, mode, scheme, law, fluid, still, bodies, kinds, neighbours, box, chunk_sums):
    """Pick the candidate pairs, a number of times.

    times, still: how often; `RunConstants` with a time step of zero.
    Writes bodies, neighbours, chunk_sums: as `sweeps.sweep_block` and `passes.pick_serial`.
    """
    context = StepContext(scheme, law, fluid, still, bodies, kinds, neighbours, box, chunk_sums)
    for _ in range(times):
        passes.pick(mode, context)
