"""Style of all pictures: size, colours, units."""

from __future__ import annotations

import functools
import inspect
import math
import re
from os import PathLike
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dem.base import cpu_info, imports
from dem.base.progress import show_time_left

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory

Drawing = TypeVar("Drawing", bound="Callable[..., Figure]")

PREFIXES = {9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n", -12: "p"}
DPI = 150
PIXEL_BYTES = 4  # of memory for each pixel of a stored figure
FEW = 12  # up to so many particles have colours of their own
INK, PALE = "#33383f", "#c9ced6"
CATEGORIES = ("#3b6fb6", "#e08a2e", "#4a9b5f", "#c0504d", "#8064a2", "#4bacc6", "#9a7b4f", "#d678b2")


def new_figure(width: float, height: float, layout: str = "constrained") -> Figure:
    """Empty figure of a size [inch], without a window or session.

    Raises
    ------
    ImportError
        If matplotlib is not there.
    """
    figures = imports.library("matplotlib.figure", extra="plot", purpose="a picture")
    return figures.Figure(figsize=(width, height), dpi=DPI, layout=layout)


def check_pixels(figure: Figure, dpi: float) -> None:
    """Refuse to store a figure as so many pixels per inch that this machine has too little memory; see `check_memory`.

    matplotlib takes four bytes for each pixel.
    """
    width, height = (round(float(length) * dpi) for length in figure.get_size_inches())
    check_memory(width, height, PIXEL_BYTES * width * height)


def check_memory(width: int, height: int, needed: float) -> None:
    """Raise ValueError for a picture that needs more bytes than this machine has memory."""
    most = cpu_info.memory()
    if needed > most:
        message = (
            f"a picture of {width} by {height} pixels would take {needed / 1e9:.3g} GB of memory, this machine has "
            f"{most / 1e9:.3g} GB: take fewer pixels"
        )
        raise ValueError(message)


SHARED = {  # what the docstrings of all pictures say
    "Parameters": "run : Trajectory\n    What was computed.",
    "Returns": "Figure\n    The figure.",
    "Raises": "ImportError\n    If matplotlib is not installed.",
}


def picture(draw: Drawing) -> Drawing:
    """Decorator of functions that draw a run, with checks and options shared by all pictures.

    It refuses anything but a run, and shows progress if drawing takes long. Its docstring gets the parameter `run`, the
    returned figure and the error without matplotlib.
    """

    @functools.wraps(draw)
    def drawn(run: Trajectory, *options: object, **named: object) -> Figure:
        check_run(run)
        with show_time_left(f"drawing {draw.__name__}", f"{len(run)} x {len(run.kind)}"):
            return draw(run, *options, **named)

    if draw.__doc__ is None:  # python -OO
        return drawn  # type: ignore[return-value]
    summary, *parts = re.split(r"\n\n(?=\w+\n-+\n)", inspect.cleandoc(draw.__doc__))
    own = {title: body for title, _, body in (part.split("\n", 2) for part in parts)}
    sections = {"Parameters": [SHARED["Parameters"], own.get("Parameters")], "Returns": [SHARED["Returns"]],
                "Raises": [own.get("Raises"), SHARED["Raises"]], "Examples": [own["Examples"]]}  # fmt: skip
    told_all = [f"{title}\n{'-' * len(title)}\n" + "\n".join(filter(None, each)) for title, each in sections.items()]
    drawn.__doc__ = "\n\n".join([summary, *told_all])
    return drawn  # type: ignore[return-value]  # it takes and returns the same


def check_run(run: Trajectory) -> None:
    """Raise TypeError if a path was given in place of a trajectory."""
    if isinstance(run, str | PathLike):
        message = f"run is {str(run)!r}, expected a trajectory: open it, as in with dem.Trajectory({str(run)!r}) as run"
        raise TypeError(message)


def check_particles(run: Trajectory) -> None:
    """Raise ValueError for a run without particles."""
    if not len(run.kind):
        message = f"{run.path} has no particle in any frame: there is nothing to draw"
        raise ValueError(message)


def tidy(ax: Axes, **labels: object) -> None:
    """Label the axes, and remove lines without information."""
    ax.set(**labels)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=PALE, lw=0.5, alpha=0.6)
    ax.set_axisbelow(True)


def legend(ax: Axes, columns: int) -> None:
    """Place the legend above the axes."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False, fontsize=9, borderaxespad=0.2)


def whole_decades(ax: Axes, values: np.ndarray) -> None:
    """Make the vertical axis logarithmic, from one power of ten to another, with few labels."""
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415, an extra

    ax.set_yscale("log")
    if len(values):
        low, high = np.log10([values.min(), values.max()])
        ax.set_ylim(10 ** math.floor(low), 10 ** (math.floor(high) + 1))
    ax.yaxis.set_major_locator(LogLocator(numticks=4))
    ax.yaxis.set_minor_formatter(NullFormatter())


def scaled(unit: str, *values: Iterable) -> tuple[float, str]:
    """Divisor of values for a unit with a suitable prefix, and this unit.

    Examples
    --------
    >>> scaled("J", [0.0, -0.115])
    (0.001, 'mJ')
    """
    finite = [v[np.isfinite(v)] for v in map(np.asarray, values)]
    largest = max((float(np.abs(v).max()) for v in finite if v.size), default=0.0)
    if not largest > 0 or unit == "K":  # temperatures have no prefix
        return 1.0, unit
    power = 3 * math.floor(math.log10(2 * largest) / 3)  # 0.5 and more keeps its prefix
    power = min(max(power, min(PREFIXES)), max(PREFIXES))
    return 10.0**power, PREFIXES[power] + unit


def colour_map() -> Colormap:
    """Colour map viridis without its darkest part, on which shading is not visible."""
    import matplotlib as mpl  # noqa: PLC0415, an extra
    from matplotlib.colors import ListedColormap  # noqa: PLC0415

    return ListedColormap(mpl.colormaps["viridis"](np.linspace(0.18, 1, 256)))


def categories(count: int) -> np.ndarray:
    """Colours (count, 3) that are distinguishable as far as possible; no two are the same."""
    from matplotlib import colors  # noqa: PLC0415, an extra

    if count <= len(CATEGORIES):
        return np.array([colors.to_rgb(each) for each in CATEGORIES[:count]])
    k = np.arange(count)
    return colors.hsv_to_rgb(np.column_stack([k / count, np.full(count, 0.65), 0.9 - 0.3 * (k % 2)]))


def shades(count: int) -> np.ndarray:
    """Colours of particles (count, 3) by number."""
    return colour_map()(np.linspace(0, 0.9, count))[:, :3]


def mean_of_present(values: np.ndarray) -> np.ndarray:
    """Mean at each time (T,) over the particles present, for values (T, N) with NaN where a particle is absent.

    Examples
    --------
    >>> mean_of_present(np.array([[1.0, 3.0], [2.0, np.nan], [np.nan, np.nan]]))
    array([ 2.,  2., nan])
    """
    count = np.isfinite(values).sum(axis=1)
    return np.where(count > 0, np.nansum(values, axis=1) / np.maximum(count, 1), np.nan)


def band(ax: Axes, time: np.ndarray, values: np.ndarray, colour: str, what: str) -> None:
    """Draw a quantity (T, N) against time: its mean, and each particle or the range of most.

    Values are NaN where a particle is absent.
    """
    if values.shape[1] <= FEW:
        for k, shade in enumerate(shades(values.shape[1])):
            ax.plot(time, values[:, k], color=shade, lw=0.8, alpha=0.5)
    else:
        occupied = np.isfinite(values).any(axis=1)
        low, high = np.full((2, len(values)), np.nan)
        low[occupied], high[occupied] = np.nanpercentile(values[occupied], [10, 90], axis=1)
        ax.fill_between(time, low, high, color=colour, alpha=0.22, lw=0, label=f"8 of 10 {what}")
    ax.plot(time, mean_of_present(values), color=INK, lw=2, label="mean")
