"""The parts of a step one at a time, many times over, to be timed: a bench for `kernels.soft.sweeps`."""

from kernels.base.jit import kernel
from kernels.soft import sweeps


@kernel
def repeat_predict(times, scheme, law, bodies, kinds, lists, box, partial):
    """Predict with a time step of zero, so that nothing moves."""
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.predict_chunk(c, scheme, law, 0.0, bodies, kinds, lists, box, partial)


@kernel
def repeat_evaluate(times, law, still, bodies, kinds, lists, box, partial):
    """Evaluate the candidate pairs."""
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.evaluate_chunk(c, law, 1.0, still, bodies, kinds, lists, box, partial)


@kernel
def repeat_correct(times, scheme, law, still, bodies, kinds, lists, box, partial):
    """Gather and correct; the setting `still` has a time step of zero."""
    for _ in range(times):
        for c in range(partial.shape[0]):
            sweeps.gather_chunk(c, law, 0, 1.0, still, bodies, kinds, lists, box, partial)
            sweeps.correct_chunk(c, law, 0, scheme, still, bodies, kinds, box, partial)


@kernel
def repeat_step(times, mode, scheme, law, still, bodies, kinds, lists, box, partial):
    """All three in one sweep, as they are done."""
    for _ in range(times):
        sweeps.sweep(mode, sweeps.STEP, scheme, law, still, bodies, kinds, lists, box, partial)


@kernel
def repeat_pick(times, mode, scheme, law, still, bodies, kinds, lists, box, partial):
    """Pick the candidates."""
    for _ in range(times):
        sweeps.pick(mode, scheme, law, still, bodies, kinds, lists, box, partial)
