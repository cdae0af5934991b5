"""Random initial states: positions, orientations and velocities."""

from __future__ import annotations

import math

import numpy as np

from dem.base import checks
from dem.base.quaternions import rotation_from_x
from dem.base.user_classes import hinted
from dem.model.shapes.capsule import Capsule
from dem.model.shapes.shape import Fibre

CLEARANCE = 1.0001  # diameters between axes
SWEEPS = 20


@hinted
def random_orientations(
    sites: tuple[int, int, int], pitch: float, fibre: Fibre | Capsule, rng: np.random.Generator
) -> np.ndarray:
    """Random fibre directions on a cubic lattice, without overlap.

    Hard-core Monte Carlo: from all fibres along the space diagonal, 20 sweeps offer each a new isotropic direction.

    Parameters
    ----------
    sites : (3,) ints
        Numbers of sites along x, y, z.
    pitch : float
        Spacing of the lattice [m]; at least length/√3 and 1.23 diameters, or the aligned start overlaps.
    fibre : Fibre or Capsule
        The shape of all fibres.
    rng : numpy.random.Generator
        Source of the directions.

    Returns
    -------
    (n, 4) array
        Unit quaternions, x fastest over the sites.

    Raises
    ------
    ValueError, TypeError
        If the lattice is too narrow, or an argument is of another kind.

    Examples
    --------
    >>> import dem
    >>> fibre = dem.Fibre(diameter=0.01, aspect_ratio=3)
    >>> random_orientations((2, 2, 2), 0.02, fibre, np.random.default_rng(1)).shape
    (8, 4)
    """
    from dem.kernels.packing import directions  # noqa: PLC0415, velocities need no kernel

    checks.of_types(fibre=(fibre, Capsule if isinstance(fibre, Capsule) else Fibre), rng=(rng, np.random.Generator))
    checks.array("sites", sites, (3,), "numbers of sites along x, y, z")
    sites = [checks.whole("sites", n, least=1) for n in sites]
    pitch = checks.number("pitch", pitch, above=0, unit="m")
    length = fibre.aspect_ratio * fibre.diameter
    limit = max(length / math.sqrt(3), 1.23 * fibre.diameter) * CLEARANCE
    if pitch < limit:
        raise ValueError(
            f"lattice pitch {pitch:g} m is too narrow for fibres of length {length:g} m, expected {limit:g} m or more"
        )
    number = math.prod(sites)
    axes = np.full((number, 3), 1 / math.sqrt(3))
    half = 0.5 * (length - fibre.diameter)
    for _ in range(SWEEPS):
        proposals = rng.normal(size=(number, 3))
        proposals /= np.linalg.norm(proposals, axis=1)[:, None]
        directions.sweep(np.array(sites), pitch, half, CLEARANCE * fibre.diameter, int(length / pitch), axes, proposals)
    return along(axes)


def along(axes: np.ndarray) -> np.ndarray:
    """Unit quaternions (n, 4) that turn x to or against the directions (n, 3), vectors of any length.

    Body x is turned into the half space x >= 0, by the shortest way.
    """
    axes = axes / np.linalg.norm(axes, axis=1)[:, None]
    axes *= np.where(axes[:, :1] < 0, -1.0, 1.0)
    return rotation_from_x(axes)


@hinted
def random_velocities(number: int, speed: float, rng: np.random.Generator) -> np.ndarray:
    """Normally distributed velocities with a given root mean square, without drift.

    Parameters
    ----------
    number : int
        Number of particles.
    speed : float
        Root mean square of their magnitudes [m/s].
    rng : numpy.random.Generator
        Source of the numbers.

    Returns
    -------
    (N, 3) array
        Velocities [m/s].

    Raises
    ------
    ValueError, TypeError
        For fewer than one, a negative speed, or what is no generator.

    Examples
    --------
    >>> thrown = random_velocities(1000, 0.5, np.random.default_rng(1))
    >>> bool(abs(thrown.mean(0)).max() < 1e-15), bool(abs((thrown**2).sum(1).mean() ** 0.5 - 0.5) < 0.02)
    (True, True)
    """
    checks.of_types(rng=(rng, np.random.Generator))
    number, speed = checks.whole("number", number, least=1), checks.number("speed", speed, least=0, unit="m/s")
    v = rng.normal(0.0, speed / math.sqrt(3), (number, 3))
    return v - v.mean(0) if number > 1 else v
