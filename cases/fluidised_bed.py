"""A bed of spheres is fluidised by a gas of increasing upward velocity."""

from __future__ import annotations

import math

from dem.cases.gas_column import GasColumn
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class FluidisedBed(dem.Case):
    """Spheres settle in a column and are fluidised by gas of increasing velocity (two-way coupling)."""

    name = "fluidised-bed"

    duration: PositiveFloat = Field(0.25, description="simulated time [s]")
    time_step: dem.TimeStep = Field(1e-5, description="time step [s], or auto")
    frames: PositiveInt = Field(50, description="frames written after the first")
    n: PositiveInt = Field(400, description="number of spheres")
    diameter: PositiveFloat = Field(1e-3, description="diameter of the spheres [m]")
    density: PositiveFloat = Field(2500.0, description="density of the spheres [kg/m3]")
    young: PositiveFloat = Field(1e6, description="Young's modulus, lower than that of glass, for speed [Pa]")
    restitution: float = Field(0.8, gt=0, le=1, description="coefficient of restitution of two spheres")
    friction: NonNegativeFloat = Field(0.3, description="coefficient of friction of two spheres")
    width: PositiveFloat = Field(
        8.0, ge=3, description="width of the column, which is periodic in x and y, in diameters"
    )
    layer: PositiveFloat = Field(2.0, ge=1, description="height of the cells of the gas, in particle diameters")
    gas_density: PositiveFloat = Field(1.2, description="density of the gas [kg/m3]")
    gas_viscosity: PositiveFloat = Field(1.8e-5, description="dynamic viscosity of the gas [Pa s]")
    drag: str = Field("gidaspow", description="drag law for dense beds")
    velocity: NonNegativeFloat = Field(1.2, description="final superficial velocity of the gas [m/s]")
    start: NonNegativeFloat = Field(0.0, description="initial superficial velocity of the gas [m/s]")
    delay: NonNegativeFloat = Field(0.08, description="time before the gas velocity increases [s]")
    ramp: NonNegativeFloat = Field(0.05, description="time in which the gas velocity increases [s]")
    every: PositiveInt = Field(20, description="time steps between two exchanges with the gas")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Build spheres in the lower half of a column, loosely at random."""
        d, width = self.diameter, self.width * self.diameter
        stuff = dem.Material(
            young=self.young, poisson=0.22, density=self.density, restitution=self.restitution, friction=self.friction
        )
        loose = d + self.n * math.pi / 6 * d**3 / (0.3 * width**2)
        room = dem.Box((0, 0, 0), (width, width, loose), stuff, periodic=["x", "y"])
        spheres = dem.pack(dem.Sphere(diameter=d), stuff, room, number=self.n, seed=self.seed)
        cell = self.layer * d
        box = dem.Box((0, 0, 0), (width, width, cell * math.ceil(1.6 * loose / cell)), stuff, periodic=["x", "y"])
        return spheres, box

    def fluid(self) -> dem.Fluid:
        """The gas, in one column of cells."""
        _, box = self.build()
        layers = round(box.size[2] / (self.layer * self.diameter))
        return dem.Fluid(
            density=self.gas_density,
            viscosity=self.gas_viscosity,
            drag=self.drag,
            rotation=None,
            cells=dem.Cells(number=(1, 1, layers), every=self.every),
            coupling=dem.Coupling(function=self.gas(), implicit=True),
        )

    def gas(self) -> GasColumn:
        """Flow solver of the gas."""
        return GasColumn(self.start, self.velocity, self.delay, self.ramp)
