"""Export trajectories to other file formats: one module for each format, registered in `FORMATS`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.imports import installed, load_registered
from dem.base.replace import replace_when_done
from dem.base.user_classes import hinted
from dem.files.exports import (
    contacts_vtkhdf,
    csv_table,
    dense_h5md,
    hoomd_gsd,
    spheres_vtkhdf,
    surfaces_vtkhdf,
    walls_vtkhdf,
)
from dem.files.exports.format import Format, Frames
from dem.files.reading.trajectory import Trajectory
from dem.model.particles.fields import STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike


GROUP = "dem.exports"  # entry-point group of modules that register a format, by its name; any package may add to it
FORMATS: dict[str, Format] = {
    "csv": csv_table.FORMAT,
    "gsd": hoomd_gsd.FORMAT,
    "h5md": dense_h5md.FORMAT,
    "spheres.vtkhdf": spheres_vtkhdf.FORMAT,
    "surfaces.vtkhdf": surfaces_vtkhdf.FORMAT,
    "walls.vtkhdf": walls_vtkhdf.FORMAT,
    "contacts.vtkhdf": contacts_vtkhdf.FORMAT,
}


BUILT_IN = tuple(FORMATS)


def register_export(
    name: str, write: Callable[[Trajectory, Path, Frames, Sequence[str]], None], *, endings: Sequence[str],
    fields: Callable[[Trajectory], dict[str, tuple[str, ...]]] | None = None, always: Sequence[str] = (),
) -> None:  # fmt: skip
    """Register a file format of your own for `dem.export` and ``dem export``.

    An entry point of the group of exports, with this name and the module that calls this function, lets the command
    line find it, see ``dem guide own``.

    Parameters
    ----------
    name : str
        Name of the format.
    write : function
        ``write(run, path, frames, fields)`` writes frames of these numbers, with these fields, to a new file.
    endings : sequence of str
        Endings of file names, such as (".xyz",); the first is the default.
    fields : function, optional
        ``fields(run)`` says which fields can be asked for, and of which fields of the run each is made; default: all
        fields of particles.
    always : sequence of str
        Fields that are written unasked.

    Raises
    ------
    ValueError, TypeError
        If the name is taken, there is no ending, or one without a dot, or `write` is no function.

    Examples
    --------
    >>> import dem
    >>> def write(run, path, frames, fields):
    ...     path.write_text(" ".join(f"{run.time[k]:g}" for k in frames))
    >>> dem.register_export("times", write, endings=(".times",))
    >>> unregister_export("times")
    """
    checks.text("name", name)
    if name in BUILT_IN or not endings:
        message = f"name of an export is {name!r} with endings {endings!r}, expected a new name and at least one ending"
        raise ValueError(message)
    if not callable(write):
        raise TypeError(f"write of the export {name} is {write!r}, expected a function of (run, path, frames, fields)")
    for ending in checks.listed("endings", endings, f".{name}"):
        if not (isinstance(ending, str) and ending.startswith(".")):
            raise ValueError(f"ending of the export {name} is {ending!r}, expected one such as '.{name}'")
    FORMATS[name] = Format(
        tuple(endings), fields or (lambda _: {each: (each,) for each in STATE}), write, tuple(always)
    )


def unregister_export(name: str) -> None:
    """Remove a registered file format."""
    del FORMATS[checks.one_of("registered export", name, [each for each in FORMATS if each not in BUILT_IN])]


def formats() -> dict[str, Format]:
    """All formats by name, those of installed packages included; raises ValueError if a package cannot be loaded."""
    for name in installed(GROUP):
        format_of(name)
    return FORMATS


def format_of(name: str) -> Format:
    """Format by its name; only the package that declares it is imported. Raises ValueError if there is none."""
    return FORMATS[load_registered(GROUP, "format", name, FORMATS, by="register_export")]


@hinted
def export(
    run: str | PathLike | Trajectory,
    to: str,
    output: str | PathLike | None = None,
    *,
    fields: Sequence[str] | None = None,
    frames: slice | int = slice(None),
    overwrite: bool = False,
) -> Path:
    """Export a trajectory to another file format, frame by frame, so that it may be larger than memory.

    Parameters
    ----------
    run : path or Trajectory
        Trajectory to export.
    to : str
        "csv", a table with a row for each particle in each frame; "gsd", for OVITO and HOOMD-blue; "spheres.vtkhdf",
        each sphere of each particle as a point, "surfaces.vtkhdf", surfaces of all particles, those of convex shapes
        as they are, and "walls.vtkhdf", walls as surfaces, for ParaView 5.12 or later;
        "contacts.vtkhdf", a line for each contact of a run with contacts=True, for ParaView 5.13 or later;
        "h5md", a column for each particle although they come and go, for MDAnalysis.
    output : path, optional
        File to write; default: next to the trajectory, by its name. It appears when it is complete.
    fields : sequence of str, optional
        What goes into it; default: all that can be made from what the trajectory holds.
    frames : slice or int
        Which frames, or which one; default: all.
    overwrite : bool
        Replace the output if it exists.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    ValueError
        For a format, field or frame that there is not.
    FileExistsError, OSError
        If the output exists or cannot be written.
    ImportError
        If the format needs a library that is not installed.

    Examples
    --------
    >>> import dem, tempfile, pathlib
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 1]])
    >>> sim = dem.Simulation(ball, time_step=1e-4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = sim.run(duration=0.1, output=f"{folder}/fall.h5", frames=10)
    ...     print(dem.export(f"{folder}/fall.h5", "csv", fields=["position"], frames=slice(0, 1)).read_text())
    frame,step,time [s],particle,kind,x [m],y [m],z [m]
    0,0,0.0,0,0,0.0,0.0,1.0
    <BLANKLINE>
    """
    chosen = format_of(to)
    if not isinstance(run, Trajectory):
        with Trajectory(run) as opened:
            return export(opened, to, output, fields=fields, frames=frames, overwrite=overwrite)
    numbers = _numbers(run, frames)
    names = _names(run, to, fields)
    beside = run.path if run.path.absolute() == run.location else run.location  # in words as they were given
    path = beside.with_suffix(chosen.endings[0]) if output is None else Path(output)
    _check_output(path, run.location, overwrite=overwrite)
    checks.ending(path, chosen.endings, f"{to} is asked for")
    with replace_when_done(path) as partial, closing(Frames(numbers)) as shown:
        chosen.write(run, partial, shown, names)
    return path


def _numbers(run: Trajectory, frames: slice | int) -> range:
    """Numbers of the selected frames."""
    there = range(len(run))
    try:
        if isinstance(frames, slice) and frames.step is not None and frames.step < 1:
            raise ValueError(f"every {frames.step}th frame cannot be taken: expected at least 1")
        numbers = there[frames] if isinstance(frames, slice) else range(there[frames], there[frames] + 1)
    except IndexError:
        numbers = range(0)
    except TypeError:
        message = f"frames is {frames!r}, expected a whole number or a slice, such as slice(None, None, 10)"
        raise TypeError(message) from None
    if not numbers:
        known = f"it has 0 to {len(there) - 1}" if there else "it has none at all"
        ends = (frames.start, frames.stop) if isinstance(frames, slice) else (frames,)
        if isinstance(frames, slice) and frames.step is not None:
            ends = (*ends, frames.step)
        asked = ":".join("" if end is None else str(end) for end in ends)
        raise ValueError(f"{run.path} has no frames {asked}: {known}")
    return numbers


def _names(run: Trajectory, to: str, fields: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the selected fields, in the order of the format; by default all fields of the run that it supports."""
    offered, always = FORMATS[to].fields(run), FORMATS[to].always
    given = checks.listed("fields", fields or (), "position")
    asked = {checks.one_of(f"field of {to}", name, offered) for name in given}
    for name in (*always, *asked):
        lacking = [need for need in offered[name] if need not in run.fields]
        if lacking:
            message = f"{run.path} holds no {lacking[0]}, which {to} needs for {name}: it has {', '.join(run.fields)}"
            raise ValueError(message)
    if fields is None:
        asked = {name for name, needs in offered.items() if set(needs) <= set(run.fields)}
    return tuple(name for name in offered if name in asked or name in always)


def _check_output(path: Path, source: Path, *, overwrite: bool) -> None:
    """Raise OSError if the output file exists and must not be replaced, or cannot be written."""
    if path.exists() and path.samefile(source):
        raise OSError(f"output {path} cannot be written: it is the trajectory itself")
    checks.output(path, overwrite=overwrite)
