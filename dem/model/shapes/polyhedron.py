"""Convex polyhedra with rounded edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.quaternions import product
from dem.base.user_classes import frozen, hinted
from dem.model.shapes.clump import principal_axes, quaternion_of
from dem.model.shapes.convex_hull import convex_hull, inset, rounded_area, rounded_moments
from dem.model.shapes.ellipsoid import checked_contact_radius, cube_mesh, sphericity_of
from dem.model.shapes.shape import EqualBySaved, MassProperties
from dem.model.walls import stl

if TYPE_CHECKING:
    from os import PathLike

MOST_VERTICES = 400  # every contact looks at all of them
SAVED = ("vertices", "rounding", "contact_radius", "centre", "axes", "_core", "_moments", "_area")


@hinted
@dataclass(frozen=True, kw_only=True, eq=False)
class Polyhedron(EqualBySaved):
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
        If all vertices are in a plane, the hull has more than 400 corners, or the rounding leaves no core.

    Notes
    -----
    Mass and moments are exact: integrals over the core, slabs on its faces, wedges of cylinders on its edges, and
    sectors of balls on its vertices (J. Steiner, 1840). A contact is one point, so that a face does not rest on a face:
    such bodies rock.

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
            message = f"a polyhedron has {count} vertices, expected at least 4"
            raise ValueError(message)
        hull = convex_hull(given)
        if len(hull.vertices) > MOST_VERTICES:
            message = (
                f"the hull has {len(hull.vertices)} corners, at most {MOST_VERTICES}: simplify the mesh, for "
                "example by trimesh's simplify_quadric_decimation"
            )
            raise ValueError(message)
        try:
            core = convex_hull(inset(hull, radius))
        except ValueError:
            message = f"rounding is {radius:g} m, but no ball of this radius fits into the polyhedron: lower it"
            raise ValueError(message) from None
        moments = rounded_moments(core, radius)
        centre = moments.first / moments.volume
        tensor = moments.about(centre).inertia()
        matrix = principal_axes(tensor)
        values = {
            "vertices": frozen(np.einsum("ij,jk->ik", hull.vertices - centre, matrix)),
            "rounding": radius,
            "contact_radius": checked_contact_radius(self.contact_radius, moments.volume),
            "centre": tuple(centre.tolist()),
            "axes": quaternion_of(matrix),
            "_core": frozen(np.einsum("ij,jk->ik", core.vertices - centre, matrix)),
            "_moments": (float(moments.volume), *np.einsum("ki,kl,li->i", matrix, tensor, matrix).tolist()),
            "_area": rounded_area(core, radius),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_mesh(
        cls, file: str | PathLike[str], *, rounding: float, scale: float = 1.0, contact_radius: float | None = None
    ) -> Polyhedron:
        """Rounded convex hull of a mesh in a file: STL, or what trimesh reads.

        Parameters
        ----------
        file : path
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
        vertices, _ = stl.read_triangles(file)
        return cls(vertices=factor * np.asarray(vertices, float), rounding=rounding, contact_radius=contact_radius)

    @property
    def convex_kind(self) -> type:
        """Its kind among convex shapes, see `dem.kernels.convex.shape_kinds`."""
        from dem.kernels.convex.shape_kinds import PolyhedronKind  # noqa: PLC0415, runs are read without numba

        return PolyhedronKind

    @property
    def convex_numbers(self) -> tuple[float, ...]:
        """Numbers of its support function: rounding radius, number of vertices of the core, and these [m]."""
        return self.rounding, float(len(self._core)), *self._core.ravel().tolist()

    @property
    def offsets(self) -> np.ndarray:
        """Centre of its bounding sphere (1, 3) [m]."""
        return frozen(np.zeros((1, 3)))

    @cached_property
    def radii(self) -> np.ndarray:
        """Radius of its bounding sphere (1,) [m]."""
        return frozen(np.array([float(np.sqrt((self._core**2).sum(1)).max()) + self.rounding]))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return self._moments[0]

    @property
    def sphericity(self) -> float:
        """Surface of the sphere of its volume over its own surface, 1 for a sphere."""
        return sphericity_of(self.volume, self._area)

    @property
    def as_given(self) -> tuple[float, float, float, float]:
        """Orientation at which it stands as its vertices were given, see `dem.model.shapes.shape.standing`."""
        return self.axes

    def turned(self, rotation: object) -> np.ndarray:
        """Orientations (..., 4) of bodies that stood as given and were turned by unit quaternions (..., 4) then."""
        rows = np.atleast_2d(rotation)
        turns = checks.array("rotation", rows, (len(rows), 4), "unit quaternions, scalar first", rows="N")
        return product(turns, np.array(self.axes)).reshape(np.shape(rotation))

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

    def saved(self) -> dict:
        """What `restored` makes the very same polyhedron of."""
        return {name: getattr(self, name) for name in SAVED}

    @classmethod
    def restored(cls, values: dict) -> Polyhedron:
        """The polyhedron that was saved; raises ValueError if none can have been saved so."""
        lacking = set(SAVED) - values.keys()
        if lacking:
            message = f"a polyhedron lacks {', '.join(sorted(lacking))}"
            raise ValueError(message)
        shapes = {
            "vertices": (np.size(values["vertices"]) // 3, 3), "_core": (np.size(values["_core"]) // 3, 3),
            "centre": (3,), "axes": (4,), "_moments": (4,),
        }  # fmt: skip
        made = cls.__new__(cls)
        for name in SAVED:
            if name in shapes:
                array = checks.array(f"{name} of a polyhedron", values[name], shapes[name], "as saved")
                value = frozen(array) if name in ("vertices", "_core") else tuple(array.tolist())
            else:
                value = checks.number(f"{name} of a polyhedron", values[name], above=0)
            object.__setattr__(made, name, value)
        return made

    def scaled(self, factor: float) -> Polyhedron:
        """Polyhedron scaled by a factor, with its rounding and contact radius. It keeps its principal axes."""
        volume, *moments = self._moments
        lengths = {name: factor * getattr(self, name) for name in ("vertices", "rounding", "contact_radius", "_core")}
        return Polyhedron.restored(
            lengths
            | {
                "centre": tuple(factor * c for c in self.centre),
                "axes": self.axes,
                "_moments": (factor**3 * volume, *(factor**5 * moment for moment in moments)),
                "_area": factor**2 * self._area,
            }
        )

    def mass_properties(self, density: float) -> MassProperties:
        """Exact mass properties for a density [kg/m³], about the centre of mass and in principal axes."""
        checks.number("density", density, above=0, unit="kg/m3")
        volume, *inertia = self._moments
        x, y, z = (density * moment for moment in inertia)
        return MassProperties(volume, density * volume, (0.0, 0.0, 0.0), (x, y, z), (1.0, 0.0, 0.0, 0.0))
