"""Pictures of runs, drawn with matplotlib, which is an extra (``pip install 'pcdm-dem[plot]'``).

Each picture is a function of a `dem.Trajectory` and returns a figure, which belongs to no window: save it, or let a
notebook show it. `render` needs numpy alone.
"""

from dem.plots.camera import Camera
from dem.plots.energy import energy
from dem.plots.height import height
from dem.plots.light import Light
from dem.plots.movie import movie
from dem.plots.orientation import orientation
from dem.plots.overview import overview
from dem.plots.paths import paths
from dem.plots.render import Floor, render
from dem.plots.scene import scene

PICTURES = {
    "energy": energy,
    "paths": paths,
    "height": height,
    "orientation": orientation,
    "scene": scene,
    "overview": overview,
}

__all__ = [
    "PICTURES",
    "Camera",
    "Floor",
    "Light",
    "energy",
    "height",
    "movie",
    "orientation",
    "overview",
    "paths",
    "render",
    "scene",
]
