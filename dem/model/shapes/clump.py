"""Rigid clumps of spheres of any size and place, with the mass properties of their union."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks, portable
from dem.base.user_classes import frozen, hinted
from dem.model.shapes import mesh_clump
from dem.model.shapes.convex import surface_of
from dem.model.shapes.principal_body import PrincipalBody, principal_frame
from dem.model.shapes.shape import MAX_SPHERES, kind_of_shape, standing
from dem.model.walls import stl

if TYPE_CHECKING:
    from os import PathLike

    from dem.model.shapes.mesh_clump import MeshFit
    from dem.model.shapes.shape import Shape

ARC_NODES = 16  # Gauss nodes along an arc: exact to rounding for up to a whole circle


@hinted
@dataclass(frozen=True, kw_only=True, eq=False)
class Clump(PrincipalBody):
    """Any rigid set of spheres, overlapping or not; its mass is that of the union, counted once.

    Its body axes are the principal axes of inertia: quaternions of orientations turn these, not the axes in which the
    offsets were given. A clump of which no orientation is said, or ``"as-given"``, stands as its offsets were given.

    Parameters
    ----------
    offsets : (K, 3) array
        Sphere centres in any frame [m]. The clump turns them into its principal frame, about its centre of mass.
    radii : (K,) array
        Sphere radii [m].

    Attributes
    ----------
    offsets : (K, 3) array
        Sphere centres about the centre of mass, in principal axes [m].
    centre : (3,) floats
        Centre of mass in the frame of the offsets that were given [m].
    axes : (4,) floats
        Unit quaternion from the principal frame to that frame, scalar first: the orientation at which the spheres stand
        as they were given.
    fit : MeshFit or None
        Of a clump from a mesh, how near its spheres are to it: their number, both volumes, the mean and the largest
        distance of the surface of the mesh from them. Files do not keep it.

    Raises
    ------
    ValueError
        If an array has the wrong shape, a radius is not positive, or there is no volume.

    Notes
    -----
    Volume and moments are sums over the parts of the spheres that no other one covers, by integrals along the arcs that
    bound them (`dem.kernels.numerics.sphere_union`). Their error is rounding, below 1e-9 (tests/test_clump.py: lenses
    of two spheres, chains, lattices, and the same clump turned).

    Examples
    --------
    >>> dumbbell = Clump(offsets=[[0, 0, -0.01], [0, 0, 0.01]], radii=[0.01, 0.01])
    >>> round(dumbbell.mass_properties(1000.0).mass, 9)
    0.00837758
    >>> np.abs(dumbbell.offsets[:, 0]).round(3)
    array([0.01, 0.01])
    >>> dumbbell.turned((1.0, 0.0, 0.0, 0.0)).tolist() == list(dumbbell.axes)  # as given, which no turn changes
    True
    """

    SAVED: ClassVar[dict[str, tuple]] = {
        "offsets": ("K", 3),
        "radii": ("K",),
        "centre": (3,),
        "axes": (4,),
        "_moments": (4,),
    }
    POWERS: ClassVar[dict[str, int]] = {"offsets": 1, "radii": 1, "centre": 1}

    offsets: np.ndarray
    radii: np.ndarray
    centre: tuple[float, float, float] = field(init=False)
    axes: tuple[float, float, float, float] = field(init=False)
    fit: MeshFit | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        """Check the spheres, find centre and principal axes."""
        count = checks.count_of("radii", self.radii)
        if not 1 <= count <= MAX_SPHERES:
            raise ValueError(f"a clump has {count} radii, expected 1 to {MAX_SPHERES}")
        radii = checks.array("radii", self.radii, (count,), "of the spheres [m]", rows="N")
        offsets = checks.array("offsets", self.offsets, (count, 3), "sphere centres [m]", rows="N")
        checks.number("smallest of the radii of the clump", radii.min(), above=0, unit="m")
        moments = union_moments(offsets, radii)
        centre = moments[1:4] / moments[0]
        matrix, frame = principal_frame(moments[0], centre, _inertia(moments))
        turned = np.einsum("ij,jk->ik", offsets - centre, matrix)
        for name, value in {"offsets": frozen(turned), "radii": frozen(radii), **frame}.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_mesh(
        cls, path: str | PathLike[str], *, spheres: int, scale: float = 1.0, cells: int = 16, mass: str = "mesh"
    ) -> Clump:
        """Clump of spheres inside a closed mesh, such as a scan of a particle: STL, or a format that trimesh reads.

        The candidates are the places of a lattice and their distances from the surface; one after the other, that
        sphere is taken which covers most of what is left. `fit` says how near the spheres are to the mesh.

        Parameters
        ----------
        path : path
            STL, binary or ASCII; other formats need ``pip install 'pcdm-dem[mesh]'``.
        spheres : int
            Largest number of spheres, up to 4000; fewer if they cover all places of the lattice. A single one is that
            about the centre of mass, if this is inside.
        scale : float
            Metres per unit of the file, such as 0.001 for millimetres.
        cells : int
            Of the lattice along the longest side of the mesh.
        mass : str
            ``"mesh"``: volume, centre of mass and moments of the mesh, exact; ``"spheres"``: of the union.

        Returns
        -------
        Clump

        Raises
        ------
        ValueError, OSError
            If the file has no mesh, the mesh is open or intersects itself, a part of it is inside out, or no place of
            the lattice is inside of it.

        Notes
        -----
        V. Angelidakis, S. Nadimi, M. Otsubo, S. Utili, SoftwareX 15 (2021) 100735.

        Examples
        --------
        >>> import dem, tempfile
        >>> from dem.model.walls.stl import write_stl
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_stl(f"{folder}/grain.stl", *dem.Ellipsoid(semi_axes=(3.0, 2.0, 2.0)).surface_mesh())
        ...     grain = dem.Clump.from_mesh(f"{folder}/grain.stl", spheres=5, scale=1e-3, cells=12)
        >>> grain.fit.spheres, grain.fit.volume_ratio > 0.6, grain.fit.mean_distance < 3e-4
        (5, True, True)
        """
        factor = checks.number("scale", scale, above=0)
        if mass not in ("mesh", "spheres"):
            raise ValueError(f"mass is {mass!r}, expected 'mesh' or 'spheres'")
        count, cells = mesh_clump.checked_counts(spheres, cells)
        vertices, triangles = stl.read_triangles(path)
        vertices, triangles, moments = mesh_clump.checked_mesh(factor * np.asarray(vertices, float), triangles)
        centre = moments.first / moments.volume
        offsets, radii = mesh_clump.inscribed_spheres(vertices, triangles, count, cells, centre)
        if mass == "mesh":
            matrix, frame = principal_frame(moments.volume, centre, moments.about(centre).inertia())
            turned = np.einsum("ij,jk->ik", offsets - centre, matrix)
            made = cls.restored({"offsets": turned, "radii": radii, **frame})
            volumes = (float(moments.volume), float(union_moments(offsets, radii)[0]))
        else:
            made = cls(offsets=offsets, radii=radii)
            volumes = (float(moments.volume), made.volume)
        object.__setattr__(made, "fit", mesh_clump.fit_of(vertices, triangles, offsets, radii, volumes))
        return made

    @classmethod
    def from_shape(cls, shape: Shape, *, spheres: int, cells: int = 16) -> Clump:
        """Clump of spheres inside a convex shape, found as by `from_mesh`, with axes and mass of the shape.

        A clump of which no orientation is said stands as the shape does of which none is said.

        Parameters
        ----------
        shape : Shape
            `Ellipsoid`, `Superellipsoid`, `Polyhedron`, `RoundedCylinder`, or another shape with a support function.
        spheres : int
            Largest number of spheres, up to 4000; fewer if they cover all places of the lattice. A single one is that
            about the centre of mass, if this is inside.
        cells : int
            Of the lattice along the longest side of the shape.

        Returns
        -------
        Clump

        Raises
        ------
        TypeError
            If the shape has no support function.
        ValueError
            If a number is out of range.

        Examples
        --------
        >>> import dem
        >>> grain = dem.Superellipsoid(semi_axes=(0.003, 0.003, 0.002), exponents=(4, 4))
        >>> clump = dem.Clump.from_shape(grain, spheres=8)
        >>> clump.fit.spheres, clump.volume == grain.volume, clump.fit.volume_ratio > 0.7
        (8, True, True)
        """
        if not hasattr(shape, "convex_numbers"):
            message = (
                f"shape is {kind_of_shape(shape)}, expected a convex shape with a support function, such as "
                "dem.Superellipsoid"
            )
            raise TypeError(message)
        count, cells = mesh_clump.checked_counts(spheres, cells)
        vertices, triangles, _ = mesh_clump.checked_mesh(*surface_of(shape))
        own = shape.mass_properties(1.0)
        offsets, radii = mesh_clump.inscribed_spheres(vertices, triangles, count, cells, np.array(own.centre))
        frame = {"centre": getattr(shape, "centre", own.centre), "axes": standing(shape)}
        frame["_moments"] = (own.volume, *own.inertia)
        made = cls.restored({"offsets": offsets, "radii": radii, **frame})
        volumes = (own.volume, float(union_moments(offsets, radii)[0]))
        object.__setattr__(made, "fit", mesh_clump.fit_of(vertices, triangles, offsets, radii, volumes))
        return made


def union_moments(offsets: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Volume, first moments (3) and second moments xx, yy, zz, xy, yz, zx (6) of a union of spheres, as one array."""
    from dem.kernels.numerics import sphere_union  # noqa: PLC0415, runs are read without numba

    origin, count = offsets.mean(0), len(radii)  # sums about a near point do not cancel
    caps, (starts, ends) = np.empty((count, sphere_union.COLUMNS)), np.empty((2, 2 * count))
    total = np.zeros(sphere_union.MOMENTS)
    sphere_union.add_union(
        np.ascontiguousarray(offsets - origin), np.ascontiguousarray(radii), *portable.gauss(ARC_NODES), caps, starts,
        ends, total,
    )  # fmt: skip
    return _moved(total, origin)


def _moved(m: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Moments of a volume about an origin shifted by -by."""
    v, first = m[0], m[1:4]
    second = [
        m[k] + by[a] * first[b] + by[b] * first[a] + v * by[a] * by[b]
        for k, (a, b) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)), start=4)
    ]
    return np.array([v, *(first + v * by), *second])


def _inertia(m: np.ndarray) -> np.ndarray:
    """Inertia tensor for unit density about the centre of mass."""
    central = _moved(m, -m[1:4] / m[0])
    xx, yy, zz, xy, yz, zx = central[4:]
    return np.array([[yy + zz, -xy, -zx], [-xy, xx + zz, -yz], [-zx, -yz, xx + yy]])
