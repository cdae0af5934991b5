"""What can be said against a run before there is a simulation, whose kernels may have to be compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dem.base import checks
from dem.files.writing.output_settings import EVERY, Every, Output
from dem.files.writing.trajectory_writer import check_output
from dem.rotation.integrators import integrator_for_contacts
from dem.system.plan import whole_steps

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike


class Request(NamedTuple):
    """What a run is to do."""

    duration: float  # [s]
    frames: int
    contents: Output


def checked(
    duration: float,
    *,
    output: str | PathLike | None = None,
    frames: int = 200,
    overwrite: bool = False,
    fields: Iterable[str] | None = None,
    float32: bool = False,
    compression: str | None = None,
    contacts: bool = False,
    checkpoint_every: str | int | None = EVERY,
) -> Request:
    """What `SimulationBase.run` is asked for.

    Raises
    ------
    ValueError, TypeError, OSError
        If it makes no sense, or there can be no such file.
    """
    duration = checks.number("duration", duration, above=0, unit="s")
    frames = checks.whole("frames", frames, least=1)
    contents = Output.checked(fields, float32=float32, compression=compression, contacts=contacts)
    Every.parse(checkpoint_every)
    if output is not None:
        check_output(output, overwrite=overwrite)
    return Request(duration, frames, contents)


def check_steps(duration: float, time_step: float | str, integrator: str, threads: int | None) -> None:
    """Check integrator, threads and number of steps of a run; raises ValueError."""
    integrator_for_contacts(integrator)
    checks.threads(threads)
    if not isinstance(time_step, str):
        whole_steps(duration, time_step)
