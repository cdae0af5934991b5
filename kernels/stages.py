"""The parts of a step one at a time, many times over, to be timed: a bench for `kernels.advance`."""

from kernels import sweeps
from kernels.jit import kernel


@kernel
def repeat_predict(times, mode, scheme, bodies, kinds, lists, partial):
    """Predict with a time step of zero, so that nothing moves."""
    for _ in range(times):
        sweeps.predict(mode, scheme, 0.0, bodies, kinds, lists, partial)


@kernel
def repeat_evaluate(times, mode, unit, bodies, lists, partial):
    """Evaluate the candidate pairs."""
    for _ in range(times):
        sweeps.evaluate(mode, unit, bodies, lists, partial)


@kernel
def repeat_correct(times, mode, scheme, still, bodies, kinds, lists, box, partial):
    """Gather and correct; the setting `still` has a time step of zero."""
    for _ in range(times):
        sweeps.correct(mode, scheme, still, bodies, kinds, lists, box, partial)


@kernel
def repeat_pick(times, mode, skin, bodies, kinds, lists, box):
    """Pick the candidates."""
    for _ in range(times):
        sweeps.pick(mode, skin, bodies, kinds, lists, box)
