"""Draw the pictures of the gallery: ``python docs/make/pictures.py [CASE ...]``; kept, since all take minutes."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np
from PIL import Image
from shown import OTHER, SHOWN, Shown

import dem

FOLDER = Path(__file__).parent.parent / "pictures"
SIZE = (560, 420)


def of_run(name: str, shown: Shown, path: Path) -> None:
    """The scene at the end of a run."""
    case = dem.cases()[name].model_validate(shown.settings)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.h5"
        verdict = case.simulation().run(
            shown.duration or case.duration, output=file, frames=shown.frames, progress=False
        )
        print(verdict)
        with dem.Trajectory(file) as run:
            camera = around_particles(run) if shown.near else None
            figure = dem.plots.scene(run, colour=shown.colour, exposures=shown.exposures, camera=camera, size=SIZE)
            figure.savefig(path)


def around_particles(run: dem.Trajectory) -> dem.plots.Camera:
    """A camera that has the particles of the last frame in the picture."""
    spheres = run.spheres(-1)
    lower, upper = spheres.centres.min(axis=0), spheres.centres.max(axis=0)
    return dem.plots.Camera.around(lower, upper, aspect=SIZE[0] / SIZE[1])


def of_study(name: str, path: Path) -> None:
    """The columns of its table, over the first one."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    columns, names, _ = dem.cases()[name]().table()
    columns = np.asarray(columns, float)
    figure = Figure(figsize=(6.5, 4.2), layout="constrained")
    ax = figure.add_subplot()
    for values, label in list(zip(columns.T, names.split(","), strict=True))[1:5]:
        ax.plot(columns[:, 0], values, label=label)
    ax.set_xlabel(names.split(",")[0])
    ax.legend(frameon=False)
    figure.savefig(path, dpi=100)


def main(names: list[str]) -> None:
    """Draw those asked for, or all."""
    mpl.use("agg")
    FOLDER.mkdir(exist_ok=True)
    for name in names or dem.cases():
        start, path = time.perf_counter(), FOLDER / f"{name}.png"
        if issubclass(dem.cases()[name], dem.StudyCase):
            of_study(name, path)
        else:
            of_run(name, SHOWN.get(name, OTHER), path)
        Image.open(path).convert("RGB").quantize(96).save(path, optimize=True)
        print(f"{path}: {path.stat().st_size} bytes, {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
