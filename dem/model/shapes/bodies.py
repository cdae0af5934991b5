"""Axes and spheres of rigid bodies in the world frame, for all bodies at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.shapes.shape import Shape


SLENDER = 0.99  # a moment of inertia over the next one: below, a body has an axis that stands out


class SurfaceMesh(NamedTuple):
    """Surface of a shape as triangles in its body frame; scaled copies of a shape share the arrays."""

    vertices: np.ndarray  # (V, 3), in units of the scale
    triangles: np.ndarray  # (T, 3), counterclockwise seen from outside
    scale: float  # largest distance of a vertex from the centre [m]


class Surfaces(NamedTuple):
    """Surfaces of bodies as triangles, body after body.

    Examples
    --------
    >>> import dem, tempfile
    >>> clay = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> grain = dem.Particles(dem.Ellipsoid(semi_axes=(0.003, 0.002, 0.001)), clay, position=[[0, 0, 1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.Simulation(grain, time_step=1e-4).run(duration=1e-3, output=f"{folder}/run.h5", frames=1)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         surfaces = run[0].surfaces()
    >>> surfaces.vertices.max(0).round(6).tolist(), surfaces.triangles.shape, surfaces.owner.max().tolist()
    ([0.003, 0.002, 1.001], (768, 3), 0)
    """

    vertices: np.ndarray  # (V, 3), world frame [m]
    triangles: np.ndarray  # (T, 3), counterclockwise seen from outside
    owner: np.ndarray  # number of the body of each triangle (T,)


class Variant(NamedTuple):
    """Spheres and mass properties of a variant of particles, in its body frame."""

    offsets: np.ndarray  # centres of its spheres (S, 3) [m]
    radii: np.ndarray  # of its spheres (S,) [m]
    volume: float  # of their union [m³]
    mass: float  # [kg]
    inertia: np.ndarray  # principal moments (3,) [kg m²]
    surface: SurfaceMesh | None = None  # of a convex shape, inside of which the spheres are; None if they are the shape

    @property
    def reach(self) -> float:
        """Largest distance of a point of the shape from the centre of mass [m]."""
        of_spheres = float((np.linalg.norm(self.offsets, axis=1) + self.radii).max())
        return max(of_spheres, self.surface.scale) if self.surface else of_spheres


class Spheres(NamedTuple):
    """Spheres of all bodies, body after body.

    Attributes
    ----------
    centres : (S, 3) array
        Centres, world frame [m].
    radii : (S,) array
        [m].
    owner : (S,) array
        Number of the body of each sphere.

    Examples
    --------
    >>> import dem, tempfile
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> fibre = dem.Particles(dem.Fibre(diameter=0.01, aspect_ratio=2), nylon, position=[[0, 0, 1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = dem.Simulation(fibre, time_step=1e-4).run(duration=1e-3, output=f"{folder}/run.h5", frames=1)
    ...     with dem.Trajectory(f"{folder}/run.h5") as run:
    ...         spheres = run[0].spheres()
    >>> spheres.centres.round(12).tolist(), spheres.radii.tolist(), spheres.owner.tolist()
    ([[-0.005, 0.0, 1.0], [0.0, 0.0, 1.0], [0.005, 0.0, 1.0]], [0.005, 0.005, 0.005], [0, 0, 0])
    """

    centres: np.ndarray
    radii: np.ndarray
    owner: np.ndarray


def axis_of(inertia: np.ndarray, side: int = 0) -> int:
    """Body axis of the smallest (0) or largest (2) principal moment (3,), if it is distinct; else -1."""
    smallest, middle, largest = np.argsort(inertia, kind="stable")
    if side == 0:
        return int(smallest) if inertia[smallest] < SLENDER * inertia[middle] else -1
    return int(largest) if inertia[middle] < SLENDER * inertia[largest] else -1


def body_axis(orientation: np.ndarray, k: int = 0) -> np.ndarray:
    """World direction of a body axis, by default x, the axis of fibres.

    Parameters
    ----------
    orientation : (..., 4) array
        Quaternions, scalar first, body to world; of unit length but for rounding, which is taken out.
    k : 0, 1 or 2
        Body x (the axis of a fibre), y or z.

    Returns
    -------
    (..., 3) array
        Unit vectors q e_k q* = (2 w² - 1) e_k + 2 v_k v + 2 w v × e_k, with q = (w, v).

    Examples
    --------
    >>> quarter_turn_about_z = np.array([0.5**0.5, 0, 0, 0.5**0.5])
    >>> body_axis(quarter_turn_about_z).round(12) + 0.0
    array([0., 1., 0.])
    """
    q = np.moveaxis(np.asarray(orientation, dtype=np.float64), -1, 0)
    w, *v = q / np.sqrt((q * q).sum(0))
    i, j = (k + 1) % 3, (k + 2) % 3
    axis = np.empty((*q.shape[1:], 3))
    axis[..., k] = 2 * (w * w + v[k] * v[k]) - 1
    axis[..., i] = 2 * (v[k] * v[i] + w * v[j])
    axis[..., j] = 2 * (v[k] * v[j] - w * v[i])
    return axis


def place(
    position: np.ndarray, orientation: np.ndarray, variant: np.ndarray, variants: Sequence[Variant | Shape]
) -> Spheres:
    """All spheres of bodies at positions (N, 3) with orientations (N, 4), which are of the given variants (N,)."""
    count = np.array([len(each.radii) for each in variants])[variant]
    first = np.cumsum(count) - count
    spheres = Spheres(np.empty((count.sum(), 3)), np.empty(count.sum()), np.repeat(np.arange(len(count)), count))
    for number in np.unique(variant):
        offsets, radii = variants[number].offsets, variants[number].radii
        members = np.flatnonzero(variant == number)
        x = np.asarray(position[members], dtype=np.float64)
        axes = {k: body_axis(orientation[members], k) for k in np.flatnonzero(offsets.any(0))}
        for s, offset in enumerate(offsets):
            rows = first[members] + s
            spheres.centres[rows] = sum((offset[k] * axis for k, axis in axes.items()), start=x)
            spheres.radii[rows] = radii[s]
    return spheres


def place_surfaces(
    position: np.ndarray, orientation: np.ndarray, variant: np.ndarray, variants: Sequence[Variant]
) -> Surfaces:
    """World-frame surfaces of bodies at positions (N, 3) and orientations (N, 4), if their variants (N,) have any."""
    vertices, triangles, owner, count = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)], 0
    for number in np.unique(variant):
        surface = variants[number].surface
        if surface is None:
            continue
        members = np.flatnonzero(variant == number)
        x = np.asarray(position[members], dtype=np.float64)[:, None]
        axes = [body_axis(orientation[members], k)[:, None] for k in range(3)]
        local = surface.scale * surface.vertices
        vertices.append(sum((local[:, k, None] * axes[k] for k in range(3)), start=x).reshape(-1, 3))
        first = count + len(local) * np.arange(len(members))
        triangles.append((first[:, None, None] + surface.triangles).reshape(-1, 3))
        owner.append(np.repeat(members, len(surface.triangles)))
        count += len(local) * len(members)
    return Surfaces(*(np.concatenate(parts) for parts in (vertices, triangles, owner)))
