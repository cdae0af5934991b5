"""Resume a run that was stopped or killed, or extend one, from the checkpoint in its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.user_classes import hinted
from dem.files.writing.output_settings import EVERY
from dem.files.writing.trajectory_writer import TrajectoryWriter
from dem.model.fluid.coupling import with_coupling_function
from dem.run import callbacks
from dem.run.run_loop import run_plan
from dem.run.running_table import TABLE, RunningTable
from dem.system.system import FrameSegment

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from dem.model.fluid.coupling import Exchange, FlowState
    from dem.system.system import Judgement, System


@hinted
def resume(
    path: str | PathLike,
    *,
    duration: float | None = None,
    threads: int | None = None,
    every: tuple[int | float | str, Callable[[System], object]] | None = None,
    progress: bool | None = None,
    checkpoint_every: str | int | None = EVERY,
    strict: bool = False,
    coupling: Callable[[Exchange], FlowState] | None = None,
) -> Judgement:
    """Continue a run from its latest checkpoint, to the same bytes as without an interruption.

    Frames that the file has already are computed again and compared, and those after them are appended.

    Parameters
    ----------
    path : path
        Trajectory that `Simulation.run` or ``dem run`` has written.
    duration : float, optional
        Simulated time of the run in all [s], from its first frame on, if it is to be longer than it was planned.
    threads, every, progress, checkpoint_every, strict
        As in `Simulation` and `Simulation.run`. A function given as `every` is not
        stored in the file: give it again. A run whose function has changed the state cannot continue without it.
    coupling : callable, optional
        The function that computes the flow, of a fluid that is coupled, where it cannot be found by its name, see
        `dem.Coupling`.

    Returns
    -------
    Verdict, HardVerdict or StochasticVerdict
        Verdict on the whole run, see `Simulation.run`.

    Raises
    ------
    OSError, ValueError
        If there is no such file, it cannot be resumed, another process is writing it, it is complete already, or what
        it has comes out differently.
    FloatingPointError
        If the run breaks.

    Examples
    --------
    >>> import dem, tempfile, pathlib
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "fall.h5"
    ...     verdict = dem.Simulation(ball, time_step=1e-4).run(duration=0.1, output=path, frames=10)
    ...     longer = dem.resume(path, duration=0.2)
    ...     with dem.Trajectory(path) as run:
    ...         longer.steps, len(run)
    (2000, 21)
    """
    if duration is not None:
        duration = checks.number("duration", duration, above=0, unit="s")
    if threads is not None:
        checks.threads(threads)
    with with_coupling_function(coupling):
        writer = TrajectoryWriter.resume(path, threads=threads, every=checkpoint_every)
    sim, plan = writer.sim, writer.plan
    try:
        if not plan:
            message = f"{path} has an empty plan: it does not say when frames are due, and no run can go on with it"
            raise ValueError(message)
        if duration is not None:
            plan = extended_plan(sim, plan, duration)
        ended = "verdict" in writer.about  # else it was killed after its last step, before the last frame or its end
        if ended and sim._now >= plan[-1].last:  # noqa: SLF001
            message = f"{path} is complete, t = {sim.time:.6g} s: give a longer duration to go on"
            raise ValueError(message)
        calls = callbacks.resumed(writer, every, sim, plan, strict=strict)
        table = RunningTable.from_description(sim, writer.about[TABLE], plan) if TABLE in writer.about else None
    except BaseException:
        writer.abandon()
        raise
    writer.follow(plan)
    recorder = sim._crash_recording(path, strict=strict)  # noqa: SLF001
    return run_plan(sim, plan, writer, progress=progress, recorder=recorder, calls=calls, table=table)


def extended_plan(sim: System, plan: list[FrameSegment], duration: float) -> list[FrameSegment]:
    """The plan with another segment, whose frames are as far apart as before, so that it has this duration in all."""
    first, last = plan[0].first, plan[-1]
    whole = sim._segment(duration, 1).length  # noqa: SLF001
    more = first + whole - last.last
    if more <= 0:
        planned = duration * (last.last - first) / whole
        message = (
            f"duration {duration:g} s, from the first frame on, is not longer than the run was planned, "
            f"{planned:.6g} s: leave it out, or give more"
        )
        raise ValueError(message)
    return [*plan, FrameSegment(last.last, more, max(1, round(last.frames * more / last.length)))]
