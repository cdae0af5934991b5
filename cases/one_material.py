"""Particles of one material in a box with walls of another, as the cases of Zhao & van Wachem (2013), Table 1."""

from __future__ import annotations

from pydantic import Field, PositiveFloat

import dem


class OneMaterial(dem.Case):
    """Particles of one material in a box."""

    density: PositiveFloat = Field(1100.0, description="[kg/m3]")
    young: PositiveFloat = Field(5e7, description="Young's modulus of particles and walls [Pa]")
    poisson: float = Field(0.35, gt=-1, le=0.5, description="Poisson's ratio of the particles")
    wall_poisson: float = Field(0.23, gt=-1, le=0.5, description="Poisson's ratio of the walls")
    restitution: float = Field(1.0, gt=0, le=1, description="coefficient of restitution")
    friction: float = Field(0.0, ge=0, description="Coulomb's coefficient between particles")
    wall_friction: float | None = Field(None, ge=0, description="Coulomb's coefficient at walls; default: the same")

    def material(self) -> dem.Material:
        """Material of the particles."""
        return dem.Material(
            young=self.young, poisson=self.poisson, density=self.density,
            restitution=self.restitution, friction=self.friction, name="grain",
        )  # fmt: skip

    def wall(self) -> dem.Material:
        """Material of the walls."""
        friction = self.friction if self.wall_friction is None else self.wall_friction
        return dem.Material(
            young=self.young, poisson=self.wall_poisson, restitution=self.restitution, friction=friction, name="wall"
        )

    def contacts(self) -> dem.Contacts:
        """Friction at walls as it was given, whatever the particles'."""
        pair = dem.Contact(restitution=self.restitution, friction=self.wall().friction)
        return dem.Contacts({(self.material(), self.wall()): pair})

    def box(self, *size: float) -> dem.Box:
        """Box from the origin."""
        return dem.Box((0, 0, 0), size, material=self.wall())
