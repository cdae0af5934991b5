"""What walls have to know of bodies that come next in a sweep, asked for ahead.

Bodies near walls are few and far between in memory, and so is what is kept for them: asked for as it is wanted, most of
the time goes by waiting. Nothing here changes a result.
"""

from kernels.base.jit import formula
from kernels.base.memory import fetch
from kernels.soft.walled import bare_or
from kernels.walls.triangles import NUMBERS

FIRST, THEN, LAST = 24, 16, 8  # bodies ahead: who it is, what is kept for it, triangles near it
LINE = 8  # numbers of 8 bytes in a line of memory
MOST = 4  # triangles that are asked for; few spheres are near more


@formula
def nothing_comes(box, c, k, stop, bodies, neighbours):
    """Where there are no walls."""
    return


@formula
def fetch_coming(box, c, k, stop, bodies, neighbours):
    """Ask for what `kernels.soft.obstacles` wants of the bodies that follow the k-th of those near walls in chunk c."""
    walls = box.walls
    if k + FIRST < stop:
        b = neighbours.walled[k + FIRST]
        fetch(walls.near, b)
        fetch(bodies.first_sphere, b)
    if k + THEN < stop:
        s = bodies.first_sphere[neighbours.walled[k + THEN]]
        slots, width = walls.old_key.shape[1], walls.history.shape[1]
        fetch(walls.at, s)
        fetch(walls.at, walls.at.shape[1] + s)
        if width > 0:
            fetch(walls.key, s * slots)
            fetch(walls.history, s * slots * width)
            fetch(walls.history, (s + 1) * slots * width - 1)
    if k + LAST < stop and walls.geometry.triangle.shape[0] > 0:
        s = bodies.first_sphere[neighbours.walled[k + LAST]]
        start = walls.at[0, s]
        if start >= 0:
            for entry in range(start, start + min(walls.at[1, s], MOST)):
                f = walls.listed[c, entry]
                fetch(walls.geometry.triangle, f * NUMBERS)
                fetch(walls.geometry.triangle, f * NUMBERS + LINE)


fetch_ahead = bare_or(nothing_comes, fetch_coming)
