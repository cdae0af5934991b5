"""Base of cases of particles in a fluid."""

from __future__ import annotations

from pydantic import Field, NonNegativeFloat, PositiveFloat

import dem


class Immersed(dem.Case):
    """Particles of one material in a fluid that acts on them (one-way coupling)."""

    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    frames: int = Field(100, ge=1, description="frames written after the first")
    density: PositiveFloat = Field(2500.0, description="density of the particles [kg/m3]")
    young: PositiveFloat = Field(1e6, description="Young's modulus [Pa]")
    poisson: float = Field(0.3, gt=-1, le=0.5, description="Poisson's ratio")
    restitution: float = Field(1.0, gt=0, le=1, description="coefficient of restitution")
    friction: NonNegativeFloat = Field(0.0, description="coefficient of friction")
    fluid_density: PositiveFloat = Field(1000.0, description="density of the fluid [kg/m3]")
    viscosity: PositiveFloat = Field(1e-3, description="dynamic viscosity of the fluid [Pa s]")
    drag: str = Field("schiller-naumann", description="drag law")
    rotation: str = Field("dennis", description="law of the torque that resists rotation")
    pressure: bool = Field(True, description="whether the pressure gradient of the flow and buoyancy act on particles")
    added_mass: bool = Field(True, description="whether the added mass of the fluid acts on particles")

    def material(self) -> dem.Material:
        """Material of the particles, and of walls."""
        return dem.Material(
            young=self.young, poisson=self.poisson, density=self.density, restitution=self.restitution,
            friction=self.friction, name="grain",
        )  # fmt: skip

    def flow(self) -> dem.UniformFlow | dem.ShearFlow | dem.TaylorGreenFlow:
        """Flow of the fluid; by default the fluid is at rest."""
        return dem.UniformFlow()

    def fluid(self) -> dem.Fluid:
        """The fluid."""
        return dem.Fluid(
            density=self.fluid_density, viscosity=self.viscosity, velocity=self.flow(), drag=self.drag,
            rotation=self.rotation, pressure=self.pressure, added_mass=self.added_mass,
        )  # fmt: skip


class ImmersedFibres(Immersed):
    """Fibres of one shape in a fluid."""

    diameter: PositiveFloat = Field(1e-4, description="diameter of a fibre [m]")
    aspect_ratio: float = Field(5.0, ge=1, description="fibre length over diameter")

    def fibre(self) -> dem.Fibre:
        """Shape of the fibres."""
        return dem.Fibre(diameter=self.diameter, aspect_ratio=self.aspect_ratio)
