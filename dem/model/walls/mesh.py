"""Walls made of triangles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks
from dem.base.text import counted
from dem.base.user_classes import hinted
from dem.model.walls import mesh_builders, stl
from dem.model.walls.wall import DEFAULTS, Wall

if TYPE_CHECKING:
    from os import PathLike
    from types import ModuleType

    from dem.model.materials import Material
    from dem.model.walls.surfaces import MeshReport, Surface
    from dem.model.walls.wall_shapes import WallShape

# ruff: noqa: PLC0415 (shapes of kernels need numba, which words do not)


@hinted
@dataclass(frozen=True, repr=False, eq=False)
class Mesh(Wall):
    """A wall made of triangles, from a file or from arrays; particles may be on both sides.

    Each triangle is a thin sheet, and shared edges count once: a flat or curved surface feels the same however it is
    cut into triangles (``kernels.walls.contact_patches``). Vertices nearer to each other than a millionth of the
    diagonal of all are merged, triangles without area and second copies left out, and triangles divided where a vertex
    of others lies on one of their edges; `vertices` and `triangles` are what is left, and `report` says what was done,
    how large the mesh is, and where it is open. Two meshes that touch count both: make them one. A plate thinner than
    an overlap would push from both its sides: make it one sheet.

    Parameters
    ----------
    vertices : (V, 3) floats
        [m].
    triangles : (F, 3) ints
        Numbers of the vertices of each; which side is out does not matter.
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        If a value is not finite, a number is of no vertex, or no triangle has an area.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.Mesh([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)], material=steel).report.area
    1.0
    >>> blade = dem.Mesh.blades(0.04, 0.02, count=4, material=steel, motion=dem.Motion(rate=10.0))
    >>> print(blade.report)
    64 triangles, 72 vertices, 0.08 x 0.08 x 0.01414 m from (-0.04, -0.04, -0.007071) m, 0.00288 m2
    open: 72 edges of one triangle
    """

    vertices: np.ndarray
    triangles: np.ndarray

    ARRAYS: ClassVar[tuple[str, ...]] = ("vertices", "triangles")

    def __post_init__(self) -> None:
        """Check all values."""
        rows = checks.count_of("vertices", self.vertices)
        checks.count_of("triangles", self.triangles)
        vertices = checks.array("vertices", self.vertices, (max(rows, 3), 3), "corners of triangles [m]", rows="N")
        triangles = np.asarray(self.triangles)
        if triangles.ndim != 2 or triangles.shape[1] != 3 or not len(triangles) or triangles.dtype.kind not in "iu":
            message = (
                f"triangles has shape {triangles.shape} of {triangles.dtype}, expected (F, 3) whole numbers: the "
                "vertices of each"
            )
            raise ValueError(message)
        wrong = np.flatnonzero(((triangles < 0) | (triangles >= len(vertices))).any(axis=1))
        if len(wrong):
            message = (
                f"triangle {wrong[0]} has vertices {triangles[wrong[0]].tolist()}, expected numbers from 0 to "
                f"{len(vertices) - 1}"
            )
            raise ValueError(message)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles.astype(np.int64))
        object.__setattr__(self, "vertices", self.surface.vertices)
        object.__setattr__(self, "triangles", self.surface.triangles)
        super().__post_init__()

    @cached_property
    def surface(self) -> Surface:
        """Triangles of the wall, prepared for contacts."""
        from dem.model.walls.surfaces import surface_of

        return surface_of(self.vertices, self.triangles)

    @property
    def report(self) -> MeshReport:
        """Summary of the mesh and of its repairs; print it."""
        return self.surface.report

    def build_shape(self, shapes: ModuleType) -> WallShape:
        """Its shape."""
        return shapes.mesh(self.surface)

    def arguments(self) -> dict[str, object]:
        """Arguments that make this wall, by name, without those left at their defaults."""
        beside = {name: getattr(self, name) for name in DEFAULTS}
        beside = {name: value for name, value in beside.items() if value != DEFAULTS[name]}
        return {name: getattr(self, name) for name in (*self.ARRAYS, "material")} | beside

    def __repr__(self) -> str:
        """Number of triangles, size, and arguments beside the arrays."""
        size = " x ".join(f"{length:.4g}" for length in self.report.upper - self.report.lower)
        arguments = {name: value for name, value in self.arguments().items() if name not in self.ARRAYS}
        words = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        return f"Mesh({counted(len(self.triangles), 'triangle')}, {size} m, {words})"

    def __eq__(self, other: object) -> bool:
        """Whether all values are equal."""
        if not isinstance(other, Mesh):
            return NotImplemented
        mine, its = self.arguments(), other.arguments()
        same = all(np.array_equal(mine.pop(name), its.pop(name)) for name in self.ARRAYS)
        return same and mine == its

    def __hash__(self) -> int:
        """Hash of the shapes of its arrays, its material and its name, which are quick to read."""
        return hash((self.vertices.shape, self.triangles.shape, self.material, self.name))

    @classmethod
    def from_file(cls, path: str | PathLike, *, material: Material, scale: float = 1.0, **wall: object) -> Mesh:
        """A mesh from a file: STL, binary or ASCII; others as trimesh reads them, ``pip install 'pcdm-dem[mesh]'``.

        Parameters
        ----------
        path : path
        material : Material
        scale : float
            Metres a unit of the file, which does not say: 1e-3 if it is in millimetres. `report` tells the size.
        **wall
            Other arguments that every wall has, such as motion, surface_velocity, wear, name.

        Raises
        ------
        FileNotFoundError, ValueError, ImportError
            If it is not there, no mesh, empty, cut off, has numbers that are not finite, or needs trimesh.
        """
        scale = checks.number("scale", scale, above=0, unit="m")
        vertices, triangles = stl.read_triangles(path)
        return cls(scale * vertices, triangles, material=material, **wall)

    def write(self, path: str | PathLike) -> None:
        """Write its triangles to a binary STL file, in metres and single precision."""
        stl.write_stl(checks.output(path), self.vertices, self.triangles)

    @classmethod
    def turned(cls, points: object, *, segments: int = 100, material: Material, **wall: object) -> Mesh:
        """Surface of revolution of a polyline about the z axis, in flat segments: a drum, a hopper.

        Its corners lie on the surface of revolution, its flats up to r (1 - cos(π / segments)) inside.

        Parameters
        ----------
        points : (K, 2) floats
            (r, z) of the polyline [m].
        segments : int
            Flats around the axis.
        material : Material
            Material of the wall.
        **wall
            Other arguments that every wall has, such as motion and name, see `dem.Cylinder`.

        Raises
        ------
        ValueError, TypeError
            If a value is out of range.
        """
        return cls(*mesh_builders.turned(points, segments=segments), material=material, **wall)

    @classmethod
    def box(cls, lower: object, upper: object, *, material: Material, **wall: object) -> Mesh:
        """A closed box of twelve triangles; particles are inside or outside.

        Parameters
        ----------
        lower, upper : (3,) floats
            Opposite corners [m].
        material : Material
            Material of the wall.
        **wall
            Other arguments that every wall has, such as motion and name, see `dem.Cylinder`.

        Raises
        ------
        ValueError, TypeError
            If a value is out of range.
        """
        return cls(*mesh_builders.box(lower, upper), material=material, **wall)

    @classmethod
    def screw(
        cls, radius: float, pitch: float, length: float, *, shaft: float = 0.0, segments: int = 48, rows: int = 4,
        material: Material, **wall: object,
    ) -> Mesh:  # fmt: skip
        """A thin screw about the z axis, from z = 0 to its length, between the radii of shaft and screw.

        Parameters
        ----------
        radius : float
            Outer radius [m].
        pitch : float
            Length of a turn along the axis [m].
        length : float
            Length along the axis [m].
        shaft : float
            Inner radius [m].
        segments : int
            Segments of a turn.
        rows : int
            Rows of triangles between the radii.
        material : Material
            Material of the wall.
        **wall
            Other arguments that every wall has, such as motion and name, see `dem.Cylinder`.

        Raises
        ------
        ValueError, TypeError
            If a value is out of range.
        """
        made = mesh_builders.screw(radius, pitch, length, shaft=shaft, segments=segments, rows=rows)
        return cls(*made, material=material, **wall)

    @classmethod
    def blades(
        cls, radius: float, height: float, *, count: int = 2, pitch: float = 45.0, tip_pitch: float | None = None,
        segments: int = 8, material: Material, **wall: object,
    ) -> Mesh:  # fmt: skip
        """Blades of a mixer about the z axis, each pitched about its own axis.

        They are flat, or twisted evenly along the radius from `pitch` at the axis to `tip_pitch` at their tips.

        Parameters
        ----------
        radius : float
            Radius at the tips [m]; blades begin at a tenth of it.
        height : float
            Width of a blade [m], which is its height along z if the pitch is 0.
        count : int
            Number of blades.
        pitch, tip_pitch : float, float or None
            Angles of the blade to the z axis, at this axis and at the tip [degrees]: 0 is upright, 90 lies flat. The
            default of `tip_pitch` is `pitch`.
        segments : int
            Segments along a blade.
        material : Material
            Material of the wall.
        **wall
            Other arguments that every wall has, such as motion and name, see `dem.Cylinder`.

        Raises
        ------
        ValueError, TypeError
            If a value is out of range.

        Examples
        --------
        >>> import dem
        >>> steel = dem.Material(young=2e8, poisson=0.3)
        >>> [round(float(np.ptp(Mesh.blades(0.04, 0.02, pitch=p, material=steel).vertices[:, 2])), 9) for p in (0, 90)]
        [0.02, 0.0]
        """
        made = mesh_builders.blades(radius, height, count=count, pitch=pitch, tip_pitch=tip_pitch, segments=segments)
        return cls(*made, material=material, **wall)
