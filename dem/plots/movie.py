"""Movies of runs."""

from __future__ import annotations

import shutil
import subprocess
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.cpu_info import cores
from dem.base.progress import through
from dem.base.replace import replace_when_done
from dem.base.user_classes import hinted
from dem.plots.bodies import numbers_up_to
from dem.plots.figure import check_run
from dem.plots.scene import OPACITY, Look, colour_limits, prepare_scene, scene, time_in_words, viewpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from os import PathLike

    from matplotlib.figure import Figure

    from dem.files.reading.trajectory import Trajectory

LOOKED_AT = 20  # frames, for limits of the colours


@hinted
def movie(
    run: Trajectory, output: str | PathLike, *, seconds: float = 5.0, fps: float = 20.0, colour: str = "speed",
    size: tuple[int, int] = (800, 600), walls: float = OPACITY, overwrite: bool = False,
    track: Callable[[list], Iterable] | None = None,
) -> int:  # fmt: skip
    """Film the particles in frames of the run, evenly spaced.

    If there are fewer frames than pictures wanted, each is shown longer.

    Parameters
    ----------
    run : Trajectory
        Trajectory of the run.
    output : path
        A new file that ends in .gif, or in .mp4, for which ``ffmpeg`` has to be installed.
    seconds : float
        Length of the movie [s].
    fps : float
        Pictures a second.
    colour : str
        See `scene`; the colours mean the same in all pictures.
    size : (2,) ints
        Width and height of the picture without the colour bar [pixels].
    walls : float
        Opacity of walls, see `scene`.
    overwrite : bool
        Whether to replace the file.
    track : callable, optional
        Wraps the frames, such as ``tqdm``. Without one a progress bar appears on a terminal after some seconds.

    Returns
    -------
    int
        The number of pictures.

    Raises
    ------
    ValueError
        If the file name ends in anything else, or ffmpeg is missing or fails.
    FileExistsError, OSError
        If the file exists and is not to be overwritten, or cannot be written.
    ImportError
        If matplotlib is not there.

    Examples
    --------
    >>> import dem, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.cases()["nine-fibres"]().simulation().run(1e-4, output=f"{folder}/run.h5", frames=5)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         movie(run, f"{folder}/run.gif", seconds=0.2, size=(80, 60))
    4
    """
    check_run(run)
    path = check_movie(output, seconds, fps, overwrite=overwrite)
    frames = numbers_up_to(len(run), max(1, round(seconds * fps)))
    few = numbers_up_to(len(run), LOOKED_AT)
    limits, camera = colour_limits(run, few, colour), viewpoint(run, few, size[0] / size[1])

    look = Look(colour, limits, camera, size, walls)

    def pictures() -> Iterator[np.ndarray]:
        film, shots = None, _in_parallel(prepare_scene(run, [k], look) for k in frames.tolist())
        for frame in (track or _with_progress)(list(frames)):
            film = film or _FrameDrawer(scene(run, int(frame), **look._asdict()))
            yield film.picture(next(shots), time_in_words(run, frame))

    save = _save_gif if path.suffix == ".gif" else _save_mp4
    with replace_when_done(path) as partial:
        save(partial, pictures(), min(fps, len(frames) / seconds))
    return len(frames)


def _with_progress(frames: list) -> Iterator:
    return through(frames, "picture")


def check_movie(path: str | PathLike, seconds: float, fps: float, *, overwrite: bool) -> Path:
    """Path of a movie; raises ValueError or OSError if it cannot be made."""
    checks.number("seconds", seconds, above=0, unit="s")
    checks.number("fps", fps, above=0)
    path = Path(path)
    if path.suffix not in {".gif", ".mp4"}:
        message = f"movie {path} is neither .gif nor .mp4: end its name in one of them"
        raise ValueError(message)
    if path.suffix == ".mp4" and not shutil.which("ffmpeg"):
        message = f"movie {path} needs the program ffmpeg, which is not installed: install it, or write a .gif"
        raise ValueError(message)
    return checks.output(path, overwrite=overwrite, what="movie")


def _in_parallel(shots: Iterable[Callable[[], np.ndarray]]) -> Iterator[np.ndarray]:
    """Pictures in their order, rendered on all cores slightly ahead of their use."""
    with ThreadPoolExecutor(cores()) as pool:
        waiting: deque[Future] = deque()
        for each in shots:
            waiting.append(pool.submit(each))
            if len(waiting) > cores():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class _FrameDrawer:
    """Scene in which only the picture and the time change between frames; pixels are shown without scaling."""

    def __init__(self, figure: Figure) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415, an extra

        self.canvas = FigureCanvasAgg(figure)
        self.ax = figure.axes[0]
        (self.text,) = self.ax.texts
        self.ax.set_visible(False)
        self.canvas.draw()
        self.rest = self.canvas.copy_from_bbox(figure.bbox)
        self.ax.set_visible(True)

    def picture(self, taken: np.ndarray, when: str) -> np.ndarray:
        """Picture of a frame (height, width, 3), of even height and width as video codecs require."""
        self.canvas.restore_region(self.rest)
        pixels = np.asarray(self.canvas.buffer_rgba())[..., :3]
        there = pixels[: taken.shape[0], : taken.shape[1]]
        there[:] = taken[: there.shape[0], : there.shape[1]]
        self.text.set_text(when)
        self.ax.draw_artist(self.text)
        return pixels[: len(pixels) // 2 * 2, : pixels.shape[1] // 2 * 2].copy()


def _save_gif(path: Path, pictures: Iterator[np.ndarray], fps: float) -> None:
    from PIL import Image  # noqa: PLC0415, comes with matplotlib

    images = [Image.fromarray(picture) for picture in pictures]
    some = [images[k].reduce(2) for k in numbers_up_to(len(images), 8)]
    montage = Image.fromarray(np.concatenate([np.asarray(image) for image in some]))
    palette = montage.quantize(255)  # one for all: nothing flickers
    palette.putpalette([*palette.getpalette(), *[0] * 768][: 3 * 255] + [255] * 3)  # paper stays white, see below
    indexed = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    for image, colours in zip(images, indexed, strict=True):
        colours.paste(255, mask=Image.fromarray((np.asarray(image) == 255).all(axis=2)))
    hundredths = np.diff(np.round(100 / fps * np.arange(len(indexed) + 1)))  # GIF knows no finer time
    times = (10 * hundredths).astype(int).tolist()
    indexed[0].save(path, save_all=True, append_images=indexed[1:], duration=times, loop=0, optimize=False)


def _save_mp4(path: Path, pictures: Iterator[np.ndarray], fps: float) -> None:
    first = next(pictures)
    height, width, _ = first.shape
    command = [
        "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
        "-r", f"{fps:g}", "-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path.absolute()),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as ffmpeg:
        try:
            ffmpeg.stdin.write(first.tobytes())
            for picture in pictures:
                ffmpeg.stdin.write(picture.tobytes())
        except BrokenPipeError:
            pass  # it says why below
        _, said = ffmpeg.communicate()
    if ffmpeg.returncode:
        message = f"movie {path} could not be written by ffmpeg: {said.decode(errors='replace').strip()}"
        raise ValueError(message)
