"""Particles of one material in a box with walls of another, and fibres: as in Zhao & van Wachem (2013), Table 1."""

from __future__ import annotations

from dem.cases.shared.grains import rolling_resistance
from pydantic import Field, PositiveFloat, PositiveInt

import dem


class OneMaterial(dem.Case):
    """Particles of one material in a box."""

    density: PositiveFloat = Field(1100.0, description="density of the particles [kg/m3]")
    young: PositiveFloat = Field(5e7, description="Young's modulus of particles and walls [Pa]")
    poisson: float = Field(0.35, gt=-1, le=0.5, description="Poisson's ratio of the particles")
    wall_poisson: float = Field(0.23, gt=-1, le=0.5, description="Poisson's ratio of the walls")
    restitution: float = Field(1.0, gt=0, le=1, description="coefficient of restitution")
    friction: float = Field(0.0, ge=0, description="coefficient of friction between particles")
    wall_friction: float | None = Field(
        None, ge=0, description="coefficient of friction at walls; default: as between particles"
    )
    rolling_friction: float = Field(0.0, ge=0, description="coefficient of rolling friction; needs friction")

    def material(self) -> dem.Material:
        """Material of the particles."""
        return dem.Material(
            young=self.young, poisson=self.poisson, density=self.density,
            restitution=self.restitution, friction=self.friction, rolling=self.rolling(self.friction), name="grain",
        )  # fmt: skip

    def rolling(self, friction: float) -> dem.Rolling | None:
        """Rolling resistance, or None without rolling friction or sliding friction."""
        return rolling_resistance(self.rolling_friction, friction)

    def wall(self) -> dem.Material:
        """Material of the walls."""
        friction = self.friction if self.wall_friction is None else self.wall_friction
        return dem.Material(
            young=self.young, poisson=self.wall_poisson, restitution=self.restitution, friction=friction, name="wall"
        )

    def contacts(self) -> dem.Contacts:
        """Contact laws with the given friction at walls, which may differ from that between particles."""
        friction = self.wall().friction
        pair = dem.Contact(restitution=self.restitution, friction=friction, rolling=self.rolling(friction))
        return dem.Contacts({(self.material(), self.wall()): pair})

    def box(self, *size: float) -> dem.Box:
        """Box with its lower corner at the origin."""
        return dem.Box((0, 0, 0), size, material=self.wall())


class OneShape(dem.Case):
    """Sphere-clustered fibres of one shape."""

    diameter: PositiveFloat = Field(0.01, description="fibre diameter [m]")
    aspect_ratio: float = Field(3.0, ge=1, description="fibre length over diameter")
    spheres: PositiveInt = Field(
        5, description="number of spheres in a fibre; the volume of 5 is the published one within 0.13 %"
    )

    smooth: bool = Field(False, description="use capsules instead of chains of spheres")

    def fibre(self) -> dem.Fibre | dem.Capsule:
        """Shape of the fibres."""
        if self.smooth:
            return dem.Capsule(diameter=self.diameter, aspect_ratio=self.aspect_ratio)
        return dem.Fibre(diameter=self.diameter, aspect_ratio=self.aspect_ratio, spheres=self.spheres)


class FallingFibres(OneMaterial, OneShape):
    """Sphere-clustered fibres in a box."""
