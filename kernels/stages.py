"""The parts of a step one at a time, many times over, to be timed: a bench for `kernels.sweeps`."""

from kernels import sweeps
from kernels.jit import kernel


@kernel
def repeat_predict(times, scheme, bodies, kinds, lists, partial):
    """Predict with a time step of zero, so that nothing moves."""
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.predict_chunk(c, scheme, 0.0, bodies, kinds, lists, partial)


@kernel
def repeat_evaluate(times, unit, bodies, kinds, lists, partial):
    """Evaluate the candidate pairs."""
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.evaluate_chunk(c, unit, bodies, kinds, lists, partial)


@kernel
def repeat_correct(times, scheme, still, bodies, kinds, lists, box, partial):
    """Gather and correct; the setting `still` has a time step of zero."""
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.gather_chunk(c, 0, still.unit, bodies, kinds, lists, box, partial)
            sweeps.correct_chunk(c, 0, scheme, still, bodies, kinds, partial)


@kernel
def repeat_step(times, mode, scheme, still, bodies, kinds, lists, box, partial):
    """All three in one sweep, as they are done."""
    for _ in range(times):
        sweeps.sweep(mode, sweeps.STEP, scheme, still, bodies, kinds, lists, box, partial)


@kernel
def repeat_pick(times, mode, skin, bodies, kinds, lists, box):
    """Pick the candidates."""
    for _ in range(times):
        sweeps.pick(mode, skin, bodies, kinds, lists, box)
