"""Picture of the particles and walls at one instant."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dem.base import checks
from dem.model.domain.box import AXES
from dem.model.particles.fields import heading
from dem.model.particles.kinds import MAX_KINDS_LISTED, further_kinds_note, labels
from dem.plots.bodies import (
    box_edges,
    broken_bonds_in_words,
    cell_edges,
    corners,
    heights_of,
    just_broken_bonds,
    numbers_up_to,
    size_of,
    spheres_and_bonds,
    vertical,
)
from dem.plots.figure import DPI, INK, categories, colour_map, new_figure, picture, scaled
from dem.plots.rendering.camera import Camera
from dem.plots.rendering.meshes import inside_of_surfaces, meshes
from dem.plots.rendering.render import Floor, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType

    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory

COLOURS = ("speed", "height", "spin", "size", "kind", "temperature")
UNITS = {"speed": "m/s", "height": "m", "spin": "rad/s", "size": "m", "temperature": "K"}
SCALED_FROM_MINIMUM = ("height", "size", "temperature")  # whose colours begin at the least value, not at zero
OPACITY = 0.25  # of walls
SNAPPED = (0.85, 0.1, 0.1)  # colour of bonds that broke since the frame before
BAR = 0.14  # of the width of the figure, for the colour bar
NAMED = 0.75  # what it takes with its figures and its name, at least [inch]
WIDEST = 16  # characters of a name for which there is room
LETTER = 0.075  # width of one of them [inch]


class Look(NamedTuple):
    """Style of a scene, see `scene`."""

    colour: str
    limits: tuple[float, float] | None = None
    camera: Camera | None = None
    size: tuple[int, int] = (1200, 900)
    walls: float = OPACITY


@picture
def scene(
    run: Trajectory, frame: int = -1, *, colour: str = "speed", exposures: int = 1,
    limits: tuple[float, float] | None = None, camera: Camera | None = None, size: tuple[int, int] = (1200, 900),
    walls: float = OPACITY,
) -> Figure:  # fmt: skip
    """Draw all particles in a frame, with light and shadows.

    Parameters
    ----------
    frame : int
        Which frame; negative ones count from the end.
    colour : str
        Quantity that the colour shows: "speed", "height", "spin", "size" (diameter of the sphere of the same volume),
        "kind", "temperature", or another scalar field of the file, such as one that `dem.register_field` added.
    exposures : int
        More than one: put that many frames, evenly spread from the first to this one, into one picture.
    limits : (2,) floats
        Values with the first and the last colour [m/s, m or rad/s]; default: those of this picture.
    camera : Camera
        Camera of the picture; default: in front and a little above, with the whole box in view.
    size : (2,) ints
        Width and height without the colour bar [pixels].
    walls : float
        Opacity of walls beside the box, from 0, lines alone, to 1, through which nothing is seen. Planes, which have
        no end, are not shown, but for a level one to stand on.

    Raises
    ------
    ValueError
        If there is no such frame, or nothing to colour by under that name.

    Examples
    --------
    >>> import dem, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.cases()["nine-fibres"]().simulation().run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         figure = scene(run, colour="height", exposures=3, size=(300, 200))
    ...         figure.savefig(f"{folder}/scene.png")
    >>> figure.axes[1].get_ylabel()  # of the colour bar
    'height [m]'
    """
    width, height = size
    kinds = [kind.name for kind in run.kinds] if colour == "kind" else []
    longest = max(map(len, _short_names(kinds)), default=0)
    wide = max(width / (1 - BAR), width + max(NAMED, 0.3 + LETTER * longest) * DPI)
    figure, share = new_figure(wide / DPI, height / DPI, layout="none"), width / wide
    ax, bar = figure.add_axes((0, 0, share, 1)), figure.add_axes((share + 0.01, 0.2, 0.018, 0.6))
    draw_scene(ax, bar, run, frame, exposures, Look(colour, limits, camera, size, walls))
    return figure


def draw_scene(ax: Axes, bar: Axes, run: Trajectory, frame: int, exposures: int, look: Look) -> None:
    """Draw particles and colour bar on their axes."""
    frame = frame_number(run, frame)
    frames = numbers_up_to(frame + 1, exposures) if checks.whole("exposures", exposures, least=1) > 1 else [frame]
    limits = look.limits or colour_limits(run, frames, look.colour)
    camera = look.camera or viewpoint(run, frames, look.size[0] / look.size[1])
    checks.number("walls", look.walls, least=0, most=1)
    taken, colour = prepare_scene(run, frames, look._replace(limits=limits, camera=camera)), look.colour
    ax.imshow(taken(), interpolation="lanczos")
    ax.set_axis_off()
    ax.text(0.02, 0.97, time_in_words(run, frame), transform=ax.transAxes, va="top", color=INK)
    if colour == "kind":
        _name_kinds(bar, [kind.name for kind in run.kinds], categories(len(run.kinds)))
        return
    _, mapping = _mapped_colours(run, [], limits, colour)
    whole = colour in SCALED_FROM_MINIMUM or colour not in COLOURS
    shown = ax.figure.colorbar(mapping, cax=bar, extend="neither" if whole else "max")
    shown.set_label(heading(colour, unit_with_prefix(run, colour, limits)[1]))
    shown.outline.set_visible(False)


def time_in_words(run: Trajectory, frame: int) -> str:
    """Time of a frame, and number of broken bonds, in words."""
    per_second, second = scaled("s", run.time)
    return f"t = {run.time[frame] / per_second:.4g} {second}" + broken_bonds_in_words(run, frame)


def frame_number(run: Trajectory, frame: int) -> int:
    """Number of a frame from the start; raises ValueError if it does not exist."""
    if not -len(run) <= frame < len(run):
        message = f"frame {frame} is not there: {run.path} has frames 0 to {len(run) - 1}, or -1 for the last one"
        raise ValueError(message)
    return frame % len(run)


def colours_of(run: Trajectory) -> list[str]:
    """Quantities by which the particles of a run may be coloured: `COLOURS`, and scalar fields of the file."""
    return [*COLOURS, *(name for name in run.scalars if name not in COLOURS)]


def unit_with_prefix(run: Trajectory, colour: str, limits: tuple[float, float]) -> tuple[float, str]:
    """Divisor of the values of a colour quantity, and their unit with its prefix; other fields have none."""
    return scaled(UNITS[colour], limits) if colour in UNITS else (1.0, run.scalars[colour])


def quantity(run: Trajectory, frame: int, colour: str) -> np.ndarray:
    """Values that colour the particles (N,)."""
    if colour not in COLOURS:
        checks.one_of("colour", colour, colours_of(run))
    if colour == "kind":
        return run[frame].kind
    if colour == "height":
        return heights_of(run, frame)
    if colour == "size":
        return np.array([size_of(variant) for variant in run.variants])[run[frame].variant]
    present = run[frame]
    if colour not in COLOURS or colour == "temperature":
        return present.field(colour)[:, 0]
    return np.linalg.norm(present.velocity if colour == "speed" else present.angular_velocity, axis=1)


def colour_limits(run: Trajectory, frames: Iterable[int], colour: str) -> tuple[float, float]:
    """Colour limits for some frames: from 0 or the minimum to the 98th percentile or the maximum."""
    values = np.concatenate([quantity(run, frame, colour) for frame in frames])
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(np.percentile(values, 98))
    if colour in ("size", "temperature") or colour not in COLOURS:
        high = float(values.max())
    from_least = colour in SCALED_FROM_MINIMUM or colour not in COLOURS
    return (low, high) if from_least and low < high else (min(0.0, low), max(0.0, high) or 1.0)


def viewpoint(run: Trajectory, frames: Sequence[int], aspect: float) -> Camera:
    """Camera that shows the box, or without a box the spheres of some frames."""
    return Camera.around(*_extent(run, frames), up=vertical(run), aspect=aspect)


def _extent(run: Trajectory, frames: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Opposite corners of the box, or without a box of the region of the spheres and walls in some frames."""
    ends = corners(run, 0)
    if ends is None:
        bodies = [spheres_and_bonds(run, frame) for frame in frames]
        ends = np.concatenate([b.centres + sign * b.radii[:, None] for b in bodies for sign in (-1, 1)])
    if run.walls:
        ends = [*ends, *(_walls().wall_lines(run, frame) for frame in frames)]
    points = np.concatenate([np.zeros(0), *map(np.ravel, ends)]).reshape(-1, 3)
    if not len(points):
        if len(run.kind) and len(frames) < len(run):
            return _extent(run, range(len(run)))  # of the whole run, where these frames are empty
        message = f"{run.path} has neither particles nor walls: there is nothing to draw"
        raise ValueError(message)
    return points.min(axis=0), points.max(axis=0)


def _walls() -> ModuleType:
    """Module that draws walls beside the box; it needs compiled kernels, so runs without such walls do not load it."""
    from dem.plots.rendering import walls  # noqa: PLC0415

    return walls


def _mapped_colours(
    run: Trajectory, values: list[np.ndarray], limits: tuple[float, float], colour: str
) -> tuple[list[np.ndarray], ScalarMappable]:
    """Colours of the particles in each frame (N, 3), and the data of the colour bar."""
    from matplotlib import cm, colors  # noqa: PLC0415, an extra

    divisor, _ = unit_with_prefix(run, colour, limits)
    mapping = cm.ScalarMappable(colors.Normalize(*(limit / divisor for limit in limits)), colour_map())
    return [mapping.to_rgba(each / divisor)[:, :3] for each in values], mapping


def _name_kinds(bar: Axes, names: Sequence[str], palette: np.ndarray) -> None:
    """Draw a legend of kinds in place of a colour bar."""
    from matplotlib.patches import Patch  # noqa: PLC0415, an extra

    bar.set_axis_off()
    patches = [
        Patch(color=ink, label=label)
        for label, ink in zip(_short_names(names), palette[:MAX_KINDS_LISTED], strict=False)
    ]
    if len(names) > MAX_KINDS_LISTED:
        patches.append(Patch(color="none", label=further_kinds_note(len(names)).strip()))
    bar.legend(handles=patches, loc="center left", bbox_to_anchor=(0, 0.5), frameon=False, fontsize=8, borderaxespad=0,
               handlelength=1.2, handletextpad=0.5)  # fmt: skip


def _short_names(names: Sequence[str]) -> list[str]:
    """Names of kinds that fit into the legend."""
    return [label if len(label) <= WIDEST else f"{label[: WIDEST - 1]}…" for label in labels(names)]


def prepare_scene(run: Trajectory, frames: Sequence[int], look: Look) -> Callable[[], np.ndarray]:
    """Function that renders the particles of some frames in one picture, with the box and walls of the last frame.

    All of it has been read by then, so that pictures may be taken side by side. Limits and camera are given.
    """
    colour, limits, camera, size, walls = look
    values = [quantity(run, frame, colour) for frame in frames]
    if colour == "kind":
        palette = categories(len(run.kinds))
        colours = [palette[each] for each in values]
    else:
        colours, _ = _mapped_colours(run, values, limits, colour)
    bodies = [spheres_and_bonds(run, frame) for frame in frames]
    inked = np.concatenate([colour[body.owner] for colour, body in zip(colours, bodies, strict=True)])
    surfaces = meshes(run, frames, colours)
    inside = [inside_of_surfaces(run, *each) for each in zip(frames, bodies, strict=True)]
    torn = [broken for frame in frames if (broken := just_broken_bonds(run, frame)) is not None]
    inked = np.concatenate([inked, *(np.tile(SNAPPED, (len(broken.radii), 1)) for broken in torn)])
    bodies = [*bodies, *torn]
    centres, radii = (np.concatenate([getattr(body, name) for body in bodies]) for name in ("centres", "radii"))
    ends = corners(run, frames[-1])
    room = {}
    if (edges := cell_edges(run, frames[-1])) is not None:
        room["lines"] = box_edges(np.zeros(3), edges)
    elif ends is not None:
        room = {"floor": _floor(run, *ends), "lines": box_edges(ends[0], np.diag(ends[1] - ends[0]))}
    if run.walls:
        beside = _walls().wall_lines(run, frames[-1])
        room["lines"] = np.concatenate([room.get("lines", beside[:0]), beside])
        if room.get("floor") is None:
            room["floor"] = _walls().level_plane(run, frames[-1], vertical(run), *_extent(run, frames))
    own = np.ones(len(radii), bool)
    own[: sum(map(len, inside))] = ~np.concatenate(inside)
    centres, radii = centres[own], radii[own]
    drawn = partial(render, centres, radii, inked[own], camera, size, **room, meshes=surfaces)
    sheets = _walls().wall_triangles(run, frames[-1]) if run.walls and walls > 0 else np.zeros((0, 3, 3))
    return partial(_render_with_walls, drawn, sheets, camera, centres, radii, walls, surfaces) if len(sheets) else drawn


def _render_with_walls(drawn: Callable[[], np.ndarray], sheets: np.ndarray, *more: Any) -> np.ndarray:  # noqa: ANN401
    """Render a picture with walls blended over it."""
    return _walls().lay_over(drawn(), sheets, *more)


def _floor(run: Trajectory, lower: np.ndarray, upper: np.ndarray) -> Floor | None:
    """Lowest wall of the box, if there is one."""
    up, box = vertical(run), run.input["box"]
    axis = int(np.abs(up).argmax())
    if AXES[axis] + ("-" if up[axis] > 0 else "+") in box["open"] or AXES[axis] in box["periodic"]:
        return None
    corner = np.where((np.arange(3) == axis) & (up < 0), upper, lower)
    return Floor(corner, np.delete(np.diag(upper - lower), axis, axis=0))
