"""Convex polyhedra with rounded edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks
from dem.base.user_classes import frozen, hinted
from dem.model.shapes.convex_hull import (
    UnresolvedHullError,
    convex_hull,
    inset,
    polyhedron_numbers,
    rounded_area,
    rounded_moments,
)
from dem.model.shapes.ellipsoid import cube_mesh
from dem.model.shapes.principal_body import PrincipalBody, principal_frame
from dem.model.shapes.shape import ConvexShape, checked_contact_radius
from dem.model.walls import stl

if TYPE_CHECKING:
    from os import PathLike

MAX_VERTICES = 400  # of hull and core; `dem.kernels.convex.polyhedra.MAX_CORNERS`: every contact looks at all of them


@hinted
@dataclass(frozen=True, kw_only=True, eq=False)
class Polyhedron(PrincipalBody, ConvexShape):
    """The convex hull of some points, with rounded edges and vertices; its faces stay where they are.

    It consists of all points within the rounding radius of its core, which is the hull less what is nearer to its faces
    than that radius. Its body axes are the principal axes of inertia: quaternions of orientations turn these, not the
    axes in which the vertices were given. A polyhedron of which no orientation is said, or ``"as-given"``, stands as
    its vertices were given.

    Parameters
    ----------
    vertices : (N, 3) array
        Corners in any frame [m]; those inside of the hull of the others are left out.
    rounding : float
        Radius of edges and vertices [m], above 0 and less than the radius of the largest ball inside. Overlaps of two
        bodies are exact up to the sum of their roundings.
    contact_radius : float, optional
        Radius in contact laws, wherever it touches [m]; by default that of the sphere of its volume.

    Attributes
    ----------
    vertices : (V, 3) array
        Corners of the hull about the centre of mass, in principal axes [m].
    centre : (3,) floats
        Centre of mass in the frame of the vertices that were given [m].
    axes : (4,) floats
        Unit quaternion from the principal frame to that frame, scalar first: the orientation at which it stands as
        given.

    Raises
    ------
    ValueError
        If all vertices are in a plane, hull or core have more than 400 corners, or the rounding leaves no core.

    Notes
    -----
    Mass and moments are exact: integrals over the core, slabs on its faces, wedges of cylinders on its edges, and
    sectors of balls on its vertices (J. Steiner, 1840). A face rests on planes and on faces of other polyhedra with its
    corners, each of which is a contact of its own.

    Examples
    --------
    >>> import itertools
    >>> import dem
    >>> die = dem.Polyhedron(vertices=list(itertools.product([0, 0.01], repeat=3)), rounding=0.001)
    >>> [round(x, 12) for x in die.centre]
    [0.005, 0.005, 0.005]
    >>> round(die.volume * 1e6, 6), round(die.sphericity, 4)  # core 8³, slabs 6 8², wedges 3 π 8, a ball: mm³
    (0.975587, 0.8691)
    """

    CONVEX_KIND = "PolyhedronKind"
    SAVED: ClassVar[dict[str, tuple]] = {
        "vertices": ("V", 3), "rounding": (), "contact_radius": (), "centre": (3,), "axes": (4,), "_core": ("C", 3),
        "_moments": (4,), "_area": (),
    }  # fmt: skip
    POWERS: ClassVar[dict[str, int]] = {
        "vertices": 1,
        "rounding": 1,
        "contact_radius": 1,
        "centre": 1,
        "_core": 1,
        "_area": 2,
    }

    vertices: np.ndarray
    rounding: float
    contact_radius: float | None = None
    centre: tuple[float, float, float] = field(init=False)
    axes: tuple[float, float, float, float] = field(init=False)

    def __post_init__(self) -> None:
        """Check the vertices, find hull, core, centre and principal axes."""
        count = checks.count_of("vertices", self.vertices)
        given = checks.array("vertices", self.vertices, (count, 3), "corners of a polyhedron [m]", rows="N")
        radius = checks.number("rounding", self.rounding, above=0, unit="m")
        if count < 4:
            raise ValueError(f"a polyhedron has {count} vertices, expected at least 4")
        hull = convex_hull(given)
        _check_corners("the hull", len(hull.vertices))
        try:
            core = convex_hull(inset(hull, radius))
        except UnresolvedHullError:
            size = float(np.ptp(hull.vertices, axis=0).max())
            raise ValueError(
                f"rounding is {radius:g} m, too small for a hull of {len(hull.vertices)} corners and {size:g} m: take "
                f"{0.01 * size:.2g} m or more, or fewer vertices"
            ) from None
        except ValueError:
            message = f"rounding is {radius:g} m, but no ball of this radius fits into the polyhedron: lower it"
            raise ValueError(message) from None
        # where more than three faces meet in a corner of the hull, there may be several of the core
        _check_corners("the hull less its rounding", len(core.vertices))
        moments = rounded_moments(core, radius)
        centre = moments.first / moments.volume
        matrix, frame = principal_frame(moments.volume, centre, moments.about(centre).inertia())
        values = {
            "vertices": frozen(np.einsum("ij,jk->ik", hull.vertices - centre, matrix)),
            "rounding": radius,
            "contact_radius": checked_contact_radius(self.contact_radius, moments.volume),
            "_core": frozen(np.einsum("ij,jk->ik", core.vertices - centre, matrix)),
            "_area": rounded_area(core, radius),
        }
        for name, value in (values | frame).items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_mesh(
        cls, path: str | PathLike[str], *, rounding: float, scale: float = 1.0, contact_radius: float | None = None
    ) -> Polyhedron:
        """Rounded convex hull of a mesh in a file: STL, or a format that trimesh reads.

        Parameters
        ----------
        path : path
            STL, binary or ASCII; other formats need ``pip install 'pcdm-dem[mesh]'``.
        rounding : float
            Radius of edges and vertices [m].
        scale : float
            Metres per unit of the file, such as 0.001 for millimetres.
        contact_radius : float, optional
            Radius in contact laws [m].

        Returns
        -------
        Polyhedron

        Raises
        ------
        ValueError, OSError
            If there is no mesh in the file, or it makes no polyhedron.
        """
        factor = checks.number("scale", scale, above=0)
        vertices, _ = stl.read_triangles(path)
        return cls(vertices=factor * np.asarray(vertices, float), rounding=rounding, contact_radius=contact_radius)

    @cached_property
    def convex_numbers(self) -> tuple[float, ...]:
        """Numbers of its support function, see `dem.kernels.convex.supports.polyhedron_support`."""
        return polyhedron_numbers(self._core, self.rounding)

    @cached_property
    def radii(self) -> np.ndarray:
        """Radius of its bounding sphere (1,) [m]."""
        return frozen(np.array([float(np.sqrt((self._core**2).sum(1)).max()) + self.rounding]))

    @property
    def face_normals(self) -> np.ndarray:
        """Unit normals of its faces (F, 3), outward; those of a face may be there several times."""
        return convex_hull(self.vertices).normals

    @property
    def area(self) -> float:
        """Surface [m²]."""
        return self._area

    def surface_mesh(self, cells: int = 12) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (V, 3) on its surface [m] and triangles (F, 3), counterclockwise seen from outside.

        Parameters
        ----------
        cells : int
            Directions along an edge of a cube; each is the normal at a vertex.

        Returns
        -------
        vertices, triangles
        """
        directions, triangles = cube_mesh(checks.whole("cells", cells, least=1))
        n = directions / np.sqrt((directions**2).sum(1))[:, None]
        nearest = (n[:, None] * self._core).sum(2).argmax(1)
        return self._core[nearest] + self.rounding * n, triangles


def _check_corners(what: str, count: int) -> None:
    """Raise ValueError for a hull or core of more corners than kernels have room for."""
    if count > MAX_VERTICES:
        raise ValueError(
            f"{what} has {count} corners, at most {MAX_VERTICES}: simplify the mesh, for example by trimesh's "
            "simplify_quadric_decimation"
        )
