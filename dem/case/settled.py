"""Make beds of particles at rest, and keep them on disk for later runs."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.progress import progress_bar
from dem.base.text import counted
from dem.kernels.compiler.private_folder import user_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dem.soft.simulation import Simulation

QUIET = 1e-3  # diameters: bodies are at rest below the mean square speed of a fall through so many
FALL = 5.0  # diameters: speeds are limited to that of a fall through so many
LOOK = 500  # steps between two checks whether bodies are at rest
KEPT = 0.8  # of the velocities is left after each check, once most bodies have fallen
MAX_CHECKS = 2000


def settled(
    simulation: Callable[[object, np.ndarray], Simulation], stages: Sequence, start: np.ndarray, *, size: float,
    recipe: dict,
) -> np.ndarray:  # fmt: skip
    """Positions of bodies at rest: the bodies settle in the first stage, and relax again in each further stage.

    Each stage is kept in the user's cache (``XDG_CACHE_HOME`` or ~/.cache, there pcdm-dem/states), so that it is made
    once, and an interrupted call continues there. The speed of falling is limited to that of five diameters of fall,
    and when most bodies have fallen, velocities are reduced by a fifth every 500 steps.

    Parameters
    ----------
    simulation : function
        Makes a simulation, given a stage and places (N, 3) [m].
    stages : sequence of plain values
        Such as how soft the bodies are: soft ones first, which settle in fewer steps.
    start : (N, 3) array
        Where they begin [m].
    size : float
        Diameter of the smallest body [m].
    recipe : dict
        Plain values by which a bed is known another time: all that `simulation` depends on.

    Returns
    -------
    (N, 3) array
        [m].

    Raises
    ------
    ValueError
        If there is no stage, places are no rows of three numbers, or the size is not positive.

    Examples
    --------
    >>> import dem, os, tempfile
    >>> sand = dem.Material(young=1e6, poisson=0.2, density=2500.0, restitution=0.5, friction=0.3)
    >>> floor = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), sand)
    >>> def simulation(stage, places):
    ...     grains = dem.Particles(dem.Sphere(diameter=0.01), sand, position=places)
    ...     return dem.Simulation(grains, floor, time_step=1e-4, threads=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.environ["XDG_CACHE_HOME"] = folder
    ...     bed = settled(simulation, [1.0], [[0.05, 0.05, 0.02]], size=0.01, recipe={"bed": "one grain"})
    ...     del os.environ["XDG_CACHE_HOME"]
    >>> bed.round(3).tolist()  # to a thousandth of a diameter, about
    [[0.05, 0.05, 0.005]]
    """
    places = checks.array("start", start, (len(start), 3), "places [m]", rows="N")
    size = checks.number("size", size, above=0, unit="m")
    if not len(stages):
        message = "stages are none, expected at least one"
        raise ValueError(message)
    about = {**recipe, "start": [len(places), *(float(x) for x in places.sum(0))]}
    for k in range(len(stages)):
        path = _path({**about, "stages": list(stages[: k + 1])})
        found = path and _stored_bed(path, len(places))
        if found is None:
            found = _at_rest(simulation(stages[k], places), size, falls=k == 0)
            if path:
                _keep(found, path)
        places = found
    return places


def _path(recipe: dict) -> Path | None:
    """Path of a stored bed; None if the user has no cache folder."""
    mark = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:16]
    try:
        return user_cache() / "states" / f"{mark}.npz"
    except OSError:
        return None


def _stored_bed(path: Path, count: int) -> np.ndarray | None:
    """Stored bed at a path if it has the expected number of particles; else None."""
    try:
        with path.open("rb") as file, np.load(file) as kept:
            places = kept["position"]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):  # there is none, or it broke off
        return None
    return places if places.shape == (count, 3) and np.isfinite(places).all() else None


def _keep(places: np.ndarray, path: Path) -> None:
    """Store the bed atomically; if it cannot be stored, the next run computes it again."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npz", delete=False) as file:
            np.savez(file, position=places)
        Path(file.name).replace(path)
    except OSError:
        return


def _at_rest(sim: Simulation, size: float, *, falls: bool) -> np.ndarray:
    """Positions once all particles rest; the fall is limited to some diameters, to bound the overlaps of impacts."""
    strength = float(np.linalg.norm(sim.gravity))
    limit, most = 2 * strength * QUIET * size, math.sqrt(2 * strength * FALL * size)
    fastest = done = 0.0
    with progress_bar(1.0, lambda n, _: f"a bed settles, {counted(n, 'step')}", wanted=None, steady=False) as moved:
        for look in range(MAX_CHECKS):
            sim.step(LOOK)
            velocity = sim.particles.velocity
            speed = np.linalg.norm(velocity, axis=1)
            square = float((speed**2).mean())
            fastest = max(fastest, square)
            way = 1.0 - math.log(max(square, limit) / limit) / math.log(max(fastest, 2 * limit) / limit)
            moved(max(0.0, way - done), LOOK)
            done = max(done, way)
            if square < limit and (not falls or square < 0.1 * fastest):
                break
            kept = np.minimum(1.0, most / np.maximum(speed, 1e-300))[:, None]
            if not falls or (look > 10 and square < 0.25 * fastest):
                kept = np.minimum(kept, KEPT)
            sim.particles.velocity = kept * velocity
            sim.particles.angular_velocity = kept * sim.particles.angular_velocity
    return np.array(sim.particles.position)
