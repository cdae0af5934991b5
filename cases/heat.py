"""Heat: a row between plates, a packed bed, a hot drum, a bed fluidised by hot gas, and a gas that heats itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from dem.cases.fluidised_bed import FluidisedBed
from dem.cases.rotating_drum import RotatingDrum
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

import dem


class HeatedRow(dem.Case):
    """A row of spheres between a hot and a cold plate; the temperature profile becomes linear."""

    name = "heated-row"

    duration: PositiveFloat = Field(1e-5, description="simulated time of motion [s]")
    frames: PositiveInt = Field(40, description="frames written after the first")
    time_step: dem.TimeStep = Field(1e-8, description="time step [s], or auto")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, 0.0), description="acceleration by gravity [m/s2]")
    n: PositiveInt = Field(10, description="number of spheres")
    diameter: PositiveFloat = Field(0.01, description="diameter of the spheres [m]")
    overlap: PositiveFloat = Field(1e-3, description="overlap of neighbours over their diameter")
    hot: PositiveFloat = Field(373.15, description="temperature of the lower plate [K]")
    cold: PositiveFloat = Field(293.15, description="temperature of the upper plate, and initially of the spheres [K]")
    time_factor: PositiveFloat = Field(1e9, description="seconds of heat exchange per second of motion")

    def material(self) -> dem.Material:
        """Material of spheres and plates."""
        return dem.Material(
            young=1e7, poisson=0.3, density=7800.0, conductivity=45.0, heat_capacity=460.0, name="steel"
        )

    @property
    def pitch(self) -> float:
        """Distance between the centres of neighbouring spheres [m]."""
        return (1 - self.overlap) * self.diameter

    def walls(self) -> list[dem.Plane]:
        """The plates; their contacts conduct like contacts of two spheres."""
        steel, top = self.material(), self.n * self.pitch
        return [
            dem.Plane((0, 0, 0), (0, 0, 1), material=steel, temperature=self.hot, name="hot plate"),
            dem.Plane((0, 0, top), (0, 0, -1), material=steel, temperature=self.cold, name="cold plate"),
        ]

    def heat(self) -> dem.Heat:
        """Heat conduction, computed with spheres that hardly move."""
        return dem.Heat(every=1, time_factor=self.time_factor)

    def build(self) -> tuple[dem.Particles, None]:
        """The spheres, one above the other."""
        places = [[0, 0, (k + 0.5) * self.pitch] for k in range(self.n)]
        ball = dem.Sphere(diameter=self.diameter)
        return dem.Particles(ball, self.material(), position=places, temperature=self.cold), None


class HeatedBed(dem.Case):
    """A packed bed of steel beads in air, heated by a plate (Beaulieu 2020).

    The experiment heats from above, a bed filled against the plate. Here the plate is the floor.
    """

    name = "heated-bed"
    observable_names = (
        *(f"temperature_at_{at:.0f}_mm_{when}_K" for when in ("half_time", "end") for at in (40, 60, 73)),
        "solid_fraction",
    )

    duration: PositiveFloat = Field(4e-3, description="simulated time of motion [s]")
    frames: PositiveInt = Field(40, description="frames written after the first")
    time_step: dem.TimeStep = Field(1e-5, description="time step [s], or auto")
    n: PositiveInt = Field(500, description="number of beads")
    width: PositiveFloat = Field(4.5, description="width of the column, which is periodic in x and y, in diameters")
    diameter: PositiveFloat = Field(6.4e-3, description="diameter of the beads [m]")
    young: PositiveFloat = Field(5e7, description="Young's modulus [Pa]; lower than that of steel, for speed")
    friction: NonNegativeFloat = Field(0.7, description="coefficient of friction")
    rolling_friction: NonNegativeFloat = Field(0.02, description="coefficient of rolling friction")
    hot: PositiveFloat = Field(326.15, description="temperature of the plate [K]")
    cold: PositiveFloat = Field(293.15, description="initial temperature of the bed [K]")
    gas_conductivity: PositiveFloat = Field(0.027, description="conductivity of the air between the beads [W/(m K)]")
    gas_range: NonNegativeFloat = Field(0.5, description="largest gap across which the gas conducts, over the diameter")
    time_factor: PositiveFloat = Field(1e6, description="seconds of heat exchange per second of motion")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def material(self) -> dem.Material:
        """Material of the beads: stainless steel."""
        return dem.Material(
            young=self.young, poisson=0.29, density=7747.0, restitution=0.5, friction=self.friction,
            rolling=dem.Rolling(friction=self.rolling_friction), conductivity=42.0, heat_capacity=464.0,
            real_young=2e11, name="steel",
        )  # fmt: skip

    def heat(self) -> dem.Heat:
        """Heat conduction through contacts, and through the air in the gaps between close surfaces."""
        return dem.Heat(
            every=1, time_factor=self.time_factor, faces={"z-": self.hot}, gas_conductivity=self.gas_conductivity,
            gas_range=self.gas_range * self.diameter,
        )  # fmt: skip

    def box(self) -> dem.Box:
        """A column that is periodic along x and y, on the plate."""
        plate = dem.Material(young=self.young, poisson=0.33, conductivity=250.0, real_young=1e11, name="plate")
        edge, height = self.width * self.diameter, 3.0 * self.n / self.width**2 * self.diameter
        return dem.Box((0, 0, 0), (edge, edge, height), plate, periodic=("x", "y"), open=("z+",))

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Beads at rest."""
        rng, d, box, steel = np.random.default_rng(self.seed), self.diameter, self.box(), self.material()
        across, k, ball = int(self.width / 1.1), np.arange(self.n), dem.Sphere(diameter=d)
        site = np.column_stack([k % across, k // across % across, k // across**2]) + 0.5
        start = d * self.width / across * (site + rng.uniform(-0.04, 0.04, (self.n, 3)))

        def falling(_: object, places: np.ndarray) -> dem.Simulation:
            beads = dem.Particles(ball, steel, position=places)
            return dem.Simulation(beads, box, time_step=self.time_step, gravity=self.gravity)

        inputs = {"young", "diameter", "width", "seed", "friction", "rolling_friction"}
        known = {"case": self.name, **self.model_dump(mode="json", include=inputs)}
        bed = dem.settled(falling, [str(self.time_step)], start, size=d, recipe=known)
        return dem.Particles(ball, steel, position=bed, temperature=self.cold, name="bead"), box

    def profile(self, height: np.ndarray, temperature: np.ndarray, depths: tuple[float, ...]) -> list[float]:
        """Mean temperatures [K] of beads within one diameter of given distances from the plate [m]."""
        return [float(temperature[abs(height - at) < self.diameter].mean()) for at in depths]

    def solid_fraction(self, height: np.ndarray) -> float:
        """Solid fraction of the bed, except within three diameters of either end."""
        low, high = 3 * self.diameter, float(height.max()) - 3 * self.diameter
        inside = int(((height > low) & (height < high)).sum())
        return np.pi / 6 * self.diameter**3 * inside / ((high - low) * (self.width * self.diameter) ** 2)

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Temperatures at the measured depths, halfway through the run and at its end."""
        depths, found = (0.04, 0.06, 0.073), {}
        for when, frame in (("half_time", run[len(run) // 2]), ("end", run[-1])):
            values = self.profile(frame.position[:, 2], frame.temperature[:, 0], depths)
            found |= {f"temperature_at_{1000 * at:.0f}_mm_{when}_K": v for at, v in zip(depths, values, strict=True)}
        return found | {"solid_fraction": self.solid_fraction(run.position[-1][:, 2])}


class HeatedDrum(RotatingDrum):
    """Cold grains are heated in a rotating drum with a hot shell."""

    name = "heated-drum"

    hot: PositiveFloat = Field(373.15, description="temperature of the drum [K]")
    cold: PositiveFloat = Field(293.15, description="initial temperature of the grains [K]")
    conductivity: PositiveFloat = Field(20.0, description="conductivity of grains and drum [W/(m K)]")
    heat_capacity: PositiveFloat = Field(800.0, description="heat capacity of the grains [J/(kg K)]")
    time_factor: PositiveFloat = Field(10.0, description="seconds of heat exchange per second of motion")

    def material(self) -> dem.Material:
        """Material of grains and drum."""
        own = RotatingDrum.material(self)
        return dem.Material(
            young=own.young, poisson=own.poisson, density=own.density, restitution=own.restitution,
            friction=own.friction, rolling=own.rolling, name=own.name, conductivity=self.conductivity,
            heat_capacity=self.heat_capacity,
        )  # fmt: skip

    def walls(self) -> list[dem.Cylinder]:
        """The drum, which is hot."""
        turning, half = dem.Motion(axis=(0, 1, 0), rate=self.rate), 0.5 * self.length
        return [
            dem.Cylinder(
                (0, -half, 0), (0, half, 0), self.radius, ends="both", material=self.material(), motion=turning,
                temperature=self.hot, name="drum",
            )
        ]  # fmt: skip

    def heat(self) -> dem.Heat:
        """Heat conduction while the drum rotates."""
        return dem.Heat(every=20, time_factor=self.time_factor)

    def build(self) -> tuple[dem.Particles, None]:
        """Cold grains in the lower half of the drum."""
        grains, box = super().build()
        grains.temperature = self.cold
        return grains, box


class HotFluidisedBed(FluidisedBed):
    """Cold spheres are fluidised and heated by hot gas, which cools on its way up."""

    name = "hot-fluidised-bed"

    hot: PositiveFloat = Field(573.15, description="temperature of the gas at the inlet, and initially everywhere [K]")
    cold: PositiveFloat = Field(293.15, description="initial temperature of the spheres [K]")
    gas_density: PositiveFloat = Field(0.616, description="density of air at 300 degC [kg/m3]")
    gas_viscosity: PositiveFloat = Field(2.95e-5, description="dynamic viscosity of air at 300 degC [Pa s]")
    gas_conductivity: PositiveFloat = Field(0.045, description="conductivity of air at 300 degC [W/(m K)]")
    gas_heat_capacity: PositiveFloat = Field(1045.0, description="heat capacity of air at 300 degC [J/(kg K)]")
    conductivity: PositiveFloat = Field(1.0, description="conductivity of the spheres [W/(m K)]")
    heat_capacity: PositiveFloat = Field(800.0, description="heat capacity of the spheres [J/(kg K)]")
    time_factor: PositiveFloat = Field(20.0, description="seconds of heat exchange per second of motion")

    def heat(self) -> dem.Heat:
        """Conduction, and convection by Gunn's law with gas that cools."""
        gas = dem.Convection(
            temperature=self.hot, conductivity=self.gas_conductivity, heat_capacity=self.gas_heat_capacity, law="gunn",
            cells=True,
        )  # fmt: skip
        return dem.Heat(every=self.every, time_factor=self.time_factor, convection=gas)

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Cold spheres in the lower half of a column."""
        spheres, box = super().build()
        (shape, glass), *_ = spheres.variants
        warming = replace(glass, conductivity=self.conductivity, heat_capacity=self.heat_capacity)
        cold = dem.Particles(shape, warming, position=spheres.position, temperature=self.cold)
        return cold, box


class SelfHeatingGas(dem.Case):
    """Granular gas that heats itself: collisions turn kinetic energy into heat of the grains."""

    name = "self-heating-gas"

    duration: PositiveFloat = Field(0.05, description="simulated time [s]")
    frames: PositiveInt = Field(50, description="frames written after the first")
    time_step: dem.TimeStep = Field(5e-6, description="time step [s], or auto")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, 0.0), description="acceleration by gravity [m/s2]")
    n: PositiveInt = Field(512, description="number of grains")
    diameter: PositiveFloat = Field(0.005, description="diameter of the grains [m]")
    speed: PositiveFloat = Field(3.0, description="initial root mean square velocity [m/s]")
    restitution: float = Field(0.7, gt=0, le=1, description="coefficient of restitution")
    friction: NonNegativeFloat = Field(0.3, description="coefficient of friction")
    seed: int = Field(1, ge=0, description="seed of the random numbers")

    def heat(self) -> dem.Heat:
        """Heat that contacts dissipate and conduct."""
        return dem.Heat(every=20, dissipation=True)

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Grains on a lattice in a periodic box, at random velocities without drift."""
        sand = dem.Material(
            young=5e7, poisson=0.25, density=2500.0, restitution=self.restitution, friction=self.friction,
            conductivity=1.0, heat_capacity=800.0, name="sand",
        )  # fmt: skip
        k, pitch = int(np.ceil(round(self.n ** (1 / 3), 9))), 1.4 * self.diameter
        site = np.stack(np.meshgrid(*[np.arange(k)] * 3, indexing="ij"), -1).reshape(-1, 3)[: self.n] + 0.5
        velocity = dem.random_velocities(self.n, self.speed, np.random.default_rng(self.seed))
        grains = dem.Particles(
            dem.Sphere(diameter=self.diameter), sand, position=pitch * site, velocity=velocity, temperature=293.15
        )
        return grains, dem.Box((0, 0, 0), (k * pitch,) * 3, sand, periodic=("x", "y", "z"))
