"""Table ``[shapes.NAME]`` of case files."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, model_validator

from dem.casefile.schema.key_types import (
    Among,
    Count,
    Curvature,
    InputFile,
    Modulus,
    Number,
    Point,
    Size,
    Table,
    wrong_keys,
)
from dem.casefile.schema.packages import build_declared, known_name
from dem.model.shapes.capsule import Capsule
from dem.model.shapes.clump import Clump
from dem.model.shapes.ellipsoid import Ellipsoid, Superellipsoid
from dem.model.shapes.flexible import FlexibleFibre
from dem.model.shapes.polyhedron import Polyhedron
from dem.model.shapes.rounded_cylinder import RoundedCylinder
from dem.model.shapes.shape import Fibre, Shape, Sphere

SHAPES = {
    "sphere": Sphere, "fibre": Fibre, "capsule": Capsule, "clump": Clump, "ellipsoid": Ellipsoid,
    "superellipsoid": Superellipsoid, "polyhedron": Polyhedron, "rounded-cylinder": RoundedCylinder,
    "flexible-fibre": FlexibleFibre,
}  # fmt: skip
GROUP = "dem.shapes"  # entry-point group of shapes by their type in case files; any installed package may add to it


class ShapeTable(Table):
    """``[shapes.NAME]``: type and sizes of a shape."""

    type: Annotated[str, Among(tuple(SHAPES)), AfterValidator(lambda name: known_name(GROUP, "type", name, SHAPES))] = (
        Field(description="type of the shape, or name of an entry point of the group dem.shapes", examples=["sphere"])
    )
    diameter: Size | None = Field(
        None,
        description="diameter of a sphere, capsule or rounded cylinder, or of the spheres of a fibre [m]",
        examples=[0.01],
    )
    aspect_ratio: Number | None = Field(None, ge=1, description="fibre, capsule: length over diameter", examples=[3.0])
    spheres: Count | None = Field(None, description="number of spheres of a fibre", examples=[5])
    spacing: Size | None = Field(
        None, description="distance between neighbouring centres of a fibre [m]", examples=[0.005]
    )
    length: Size | None = Field(
        None, description="length of a capsule, rounded cylinder or flexible fibre, with its ends [m]", examples=[0.03]
    )
    offsets: list[Point] | None = Field(
        None, description="centres of the spheres of a clump, in any frame [m]", examples=[[[0.0, 0, 0], [0.004, 0, 0]]]
    )
    radii: list[Size] | None = Field(None, description="radii of the spheres of a clump [m]", examples=[[0.005, 0.003]])
    semi_axes: tuple[Size, Size, Size] | None = Field(
        None, description="semi-axes of an ellipsoid or superellipsoid [m]", examples=[[0.003, 0.002, 0.0015]]
    )
    exponents: tuple[Number, Number] | None = Field(
        None, description="exponents n1 and n2 of a superellipsoid", examples=[[4.0, 3.0]]
    )
    vertices: list[Point] | None = Field(
        None, description="corners of a polyhedron, in any frame [m]",
        examples=[[[0.0, 0, 0], [0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]]],
    )  # fmt: skip
    file: InputFile | None = Field(
        None,
        description="file of a polyhedron, in place of vertices: STL, or another mesh format",
        examples=["grain.stl"],
    )
    scale: Size | None = Field(None, description="length of a unit of the file [m]; default 1", examples=[0.001])
    rounding: Size | None = Field(
        None, description="radius of the edges of a polyhedron or rounded cylinder [m]", examples=[0.0005]
    )
    contact_radius: Size | None = Field(
        None, description="radius of these four convex shapes in contact laws [m]; default: by their volume",
        examples=[0.002],
    )  # fmt: skip
    segments: Count | None = Field(None, description="number of bonds of a flexible fibre", examples=[20])
    young: Modulus | None = Field(
        None, gt=0, description="Young's modulus of the bonds of a flexible fibre [Pa]", examples=[1e9]
    )
    poisson: Number | None = Field(
        None, ge=0, le=0.5, description="Poisson's ratio of the bonds of a flexible fibre", examples=[0.3]
    )
    damping: Number | None = Field(
        None, ge=0, le=1, description="damping of the bonds, over critical damping", examples=[0.05]
    )
    strength: Modulus | None = Field(None, gt=0, description="tensile stress at which bonds break [Pa]", examples=[5e7])
    shear_strength: Modulus | None = Field(
        None, gt=0, description="shear stress at which bonds break [Pa]", examples=[5e7]
    )
    smooth: bool | None = Field(None, description="whether a flexible fibre consists of capsules", examples=[True])
    curvature: Curvature | None = Field(
        None, description="curvature of a flexible fibre at rest [1/m]", examples=[10.0]
    )

    parameters: dict[str, Any] = Field(
        {}, description="values of a shape of another package", examples=[{"radius": 0.005}]
    )

    TAKES: ClassVar[dict[str, tuple[str, ...]]] = {
        "sphere": ("diameter",),
        "fibre": ("diameter", "aspect_ratio", "spheres", "spacing"),
        "capsule": ("diameter", "aspect_ratio", "length"),
        "clump": ("offsets", "radii"),
        "ellipsoid": ("semi_axes", "contact_radius"),
        "superellipsoid": ("semi_axes", "exponents", "contact_radius"),
        "polyhedron": ("vertices", "file", "scale", "rounding", "contact_radius"),
        "rounded-cylinder": ("diameter", "length", "rounding", "contact_radius"),
        "flexible-fibre": (
            "diameter",
            "aspect_ratio",
            "length",
            "segments",
            "young",
            "poisson",
            "damping",
            "strength",
            "shear_strength",
            "smooth",
            "curvature",
        ),
    }

    @model_validator(mode="after")
    def _fits(self) -> ShapeTable:
        """Refuse keys of other shapes, and contradictory sizes."""
        given, takes = self._values().keys(), self.TAKES.get(self.type, ("parameters",))
        diameter = self.type == "capsule" or self.type.endswith("fibre")
        needed = {"diameter"} if diameter else set(takes) - {"contact_radius", "scale", "parameters"}
        if self.type == "polyhedron":
            needed.remove("vertices" if "file" in given else "file")
        twice = {"vertices", "file"} <= given or ("scale" in given and "file" not in given)
        if self.type == "polyhedron" and twice:
            takes = "vertices, or a file and its scale, rounding, contact_radius"
            raise ValueError(f"a polyhedron takes {takes}, got {', '.join(sorted(given))}")
        if message := wrong_keys(self.type, takes, given, needed):
            raise ValueError(message)
        self.build()
        return self

    def _values(self) -> dict[str, Any]:
        """Values of the shape that the file gives."""
        return {key: value for key, value in self.given().items() if key != "type" and value != {}}

    def build(self) -> Shape:
        """Make the shape."""
        if self.type not in SHAPES:
            return build_declared(GROUP, "type", self.type, self.parameters)
        sizes = self._values()
        if "file" in sizes:
            return Polyhedron.from_mesh(sizes.pop("file"), **sizes)
        return SHAPES[self.type](**sizes)
