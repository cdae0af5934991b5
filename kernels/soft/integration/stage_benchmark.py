"""The stages of a time step one by one, each repeated for timing; see `dem.kernels.soft.integration.chunk_step`.

All work on a `StepContext` with a time step of zero, so that nothing moves.
"""

from dem.kernels.compiler.jit import fast_call
from dem.kernels.soft.contact import sphere_motion
from dem.kernels.soft.integration import chunk_step, passes


@fast_call
def predict(times, context):
    """Predict positions and orientations; without a fluid."""
    for _ in range(times):
        for c in range(context.chunk_sums.shape[0]):
            chunk_step.integrate_dry_chunk(c, False, True, 0, context)


@fast_call
def evaluate(times, context):
    """Evaluate the candidate pairs; without a fluid."""
    for _ in range(times):
        sphere_motion.begin_lines(0, 0, context.bodies, context.neighbours)
        for c in range(context.chunk_sums.shape[0]):
            chunk_step.evaluate_and_accumulate(c, True, c, False, 0, 1.0, context)
        sphere_motion.end_lines(0, context.neighbours)


@fast_call
def gather_and_correct(times, context):
    """Gather the forces and correct the velocities."""
    for _ in range(times):
        for c in range(context.chunk_sums.shape[0]):
            chunk_step.evaluate_and_accumulate(c, False, c, True, 0, 1.0, context)
            chunk_step.integrate_chunk(c, True, False, 0, context)


@fast_call
def step(times, mode, context):
    """Take complete steps: evaluate, correct and predict in one pass."""
    for _ in range(times):
        passes.step_chunks(mode, chunk_step.STEP, context)


@fast_call
def rebuild_candidates(times, mode, context):
    """List the candidate pairs."""
    for _ in range(times):
        passes.rebuild_candidates(mode, context)
