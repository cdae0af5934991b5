"""Pictures of runs: figures of matplotlib, which is an extra (``pip install 'pcdm-dem[plot]'``), and a renderer without.

Each picture is a function of a `dem.Trajectory` and returns a figure, which belongs to no window: save it, or let a
notebook show it.
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

__all__ = [
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
