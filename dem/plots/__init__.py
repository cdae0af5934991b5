"""Pictures of runs, drawn with matplotlib, an optional dependency (``pip install 'pcdm-dem[plot]'``).

Each picture is a function of a `dem.Trajectory` and returns a figure, which belongs to no window: save it, or let a
notebook show it. `render` needs numpy alone.

- `time_series.py`: energy, heights and orientation against time; `element_test.py`: stress against strain;
  `paths.py`, `scene.py`: one picture each; `overview.py`: all on one page
- `movie.py`: an animation; `replay.py`: the last steps before a run failed
- `figure.py`: colours, units and axes that all pictures share
- `bodies.py`: positions and axes of the particles of a frame, bonds as rows of balls
- `rendering/`: shaded spheres and walls as pixels
"""

from dem.plots.element_test import element_test
from dem.plots.movie import movie
from dem.plots.overview import overview
from dem.plots.paths import paths
from dem.plots.rendering.camera import Camera
from dem.plots.rendering.light import Light
from dem.plots.rendering.render import Floor, render
from dem.plots.scene import scene
from dem.plots.time_series import energy, height, orientation

PICTURES = {
    "energy": energy,
    "paths": paths,
    "height": height,
    "orientation": orientation,
    "scene": scene,
    "overview": overview,
    "element-test": element_test,
}

__all__ = [
    "PICTURES",
    "Camera",
    "Floor",
    "Light",
    "element_test",
    "energy",
    "height",
    "movie",
    "orientation",
    "overview",
    "paths",
    "render",
    "scene",
]
