"""Element tests: grains in a periodic cell are compressed to a pressure, then loaded as in a laboratory.

Each test starts from a dense packing: spheres at random places are compressed isotropically, with a friction of their
own, which decides how dense the packing becomes. Strain rates are those of the loading.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

import dem

LOOSE = 0.3  # solid fraction at which grains are placed
COMPRESSION_RATE = 2.0  # largest rate of isotropic compression [1/s]
AT_REST = 0.01  # unbalanced force, over the mean force in a contact, at which a packing counts as at rest
STEPS, ROUNDS = 2000, 100  # between two looks at the packing, and looks at most


class ElementTest(dem.Case):
    """Base of element tests: randomly placed spheres, compressed to a pressure in a periodic cell."""

    observable_names = (
        "void_ratio_at_first", "void_ratio", "pressure_Pa", "deviatoric_stress_Pa", "peak_friction_angle_deg",
        "friction_angle_deg", "coordination",
    )  # fmt: skip

    time_step: dem.TimeStep = Field("auto", description="time step [s], or auto")
    gravity: tuple[float, float, float] = Field(
        (0.0, 0.0, 0.0), description="acceleration by gravity [m/s2]; a deforming cell has none"
    )
    frames: PositiveInt = Field(60, description="frames written after the first")
    n: PositiveInt = Field(500, description="number of grains")
    diameter: PositiveFloat = Field(5e-3, description="mean diameter of the grains [m]")
    spread: float = Field(
        0.2, ge=0, lt=1, description="half width of the uniform distribution of diameters, over the mean diameter"
    )
    young: PositiveFloat = Field(5e7, description="Young's modulus [Pa]")
    density: PositiveFloat = Field(2500.0, description="density of the grains [kg/m3]")
    restitution: float = Field(0.5, gt=0, le=1, description="coefficient of restitution")
    friction: NonNegativeFloat = Field(0.5, description="coefficient of friction")
    pressure: PositiveFloat = Field(1e4, description="pressure of the initial compression [Pa]")
    seed: int = Field(1, ge=0, description="seed of the random initial positions")

    def material(self) -> dem.Material:
        """Material of the grains."""
        return dem.Material(young=self.young, poisson=0.3, density=self.density, name="grain")

    def contacts(self) -> dem.Contacts:
        """Contact laws of grains during the test."""
        return self.contacts_with(self.friction)

    def contacts_with(self, friction: float) -> dem.Contacts:
        """Contact laws of grains with a given coefficient of friction."""
        grain = self.material()
        return dem.Contacts({(grain, grain): dem.Contact(restitution=self.restitution, friction=friction)})

    def build(self) -> tuple[dem.Particles, dem.Cell]:
        """Grains at random places without overlap, in a cell that will be compressed to the pressure."""
        edge = self.diameter * (self.n * math.pi / 6 * (1 + self.spread**2) / LOOSE) ** (1 / 3)
        cell = dem.Cell.isotropic((edge,) * 3, pressure=self.pressure, fastest=COMPRESSION_RATE)
        return dem.pack(
            dem.Sphere(diameter=self.diameter), self.material(), cell, number=self.n, seed=self.seed, name="grain",
            scale=(1 - self.spread, 1 + self.spread) if self.spread else None,
        ), cell  # fmt: skip

    def simulation_of(self, grains: dem.Particles, cell: dem.Cell, friction: float, **more: dict) -> dem.Simulation:
        """Simulation of grains in a cell with a given coefficient of friction."""
        return dem.Simulation(
            grains, cell, gravity=self.gravity, time_step=self.time_step, integrator=self.integrator,
            threads=self.threads, contacts=self.contacts_with(friction), **more,
        )  # fmt: skip

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Void ratios, the largest mobilised angle of friction, and stress and contacts at the end."""
        cell = run.cell
        major, _, minor = dem.statistics.principal_stresses(cell.stress.total).T
        sine = np.clip((major - minor) / np.maximum(major + minor, 1e-300), 0, 1)  # of the mobilised angle of friction
        sine[cell.stress.pressure < 0.05 * cell.stress.pressure.max()] = 0.0  # in a powder that is not compressed yet
        return {
            "void_ratio_at_first": float(cell.void_ratio[0]), "void_ratio": float(cell.void_ratio[-1]),
            "pressure_Pa": float(cell.stress.pressure[-1]), "deviatoric_stress_Pa": float(cell.deviatoric_stress[-1]),
            "peak_friction_angle_deg": math.degrees(math.asin(sine.max())),
            "friction_angle_deg": math.degrees(math.asin(sine[-1])),
            "coordination": float(cell.coordination[-1]),
        }  # fmt: skip


class IsotropicCompression(ElementTest):
    """A powder is compressed isotropically to a pressure, which is then kept constant."""

    name = "isotropic-compression"
    frames: PositiveInt = Field(150, description="frames written after the first")
    duration: PositiveFloat = Field(0.3, description="simulated time [s]")


class LoadedTest(ElementTest):
    """Base of loading tests: the cell deforms a packing at rest under a pressure; subclasses define the loading."""

    friction_while_packed: NonNegativeFloat = Field(
        0.0, description="coefficient of friction during the initial compression; 0 makes dense packings"
    )
    rate: PositiveFloat = Field(0.3, description="strain rate [1/s]")

    def simulation(self) -> dem.Simulation:
        """The test, ready to run: a compressed packing in the cell that loads it.

        Raises
        ------
        RuntimeError
            If the grains do not come to rest under the pressure.
        """
        grains, edges = self.packing()
        about = {"case": self.name, "parameters": self.model_dump(mode="json")}
        return self.simulation_of(grains, self.loaded(edges), self.friction, description=about)

    def packing(self) -> tuple[dem.Particles, tuple]:
        """Grains at rest under the pressure, and the edges of their cell [m]; raises RuntimeError without rest."""
        press = self.simulation_of(*self.build(), self.friction_while_packed)
        for _ in range(ROUNDS):
            press.step(STEPS)
            state = press.cell
            if abs(state.stress.pressure / self.pressure - 1) < AT_REST and state.unbalanced < AT_REST:
                return press.particles, press.box.edges
        message = (
            f"the packing is not at rest after {ROUNDS * STEPS} steps: its pressure is {state.stress.pressure:.4g} Pa "
            f"of {self.pressure:g} Pa, the unbalanced force {state.unbalanced:.2g}: raise n or pressure"
        )
        raise RuntimeError(message)

    def loaded(self, edges: tuple) -> dem.Cell:
        """The cell of the test, given the edges of the cell of the packing [m]."""
        raise NotImplementedError


class Oedometer(LoadedTest):
    """A packing is compressed along z at zero lateral strain, then unloaded by a third of that strain."""

    name = "oedometer"
    observable_names = (*LoadedTest.observable_names, "K0")
    duration: PositiveFloat = Field(0.1, description="simulated time [s]; the last quarter of it is unloading")

    def loaded(self, edges: tuple) -> dem.Cell:
        """Cell that shortens along z only, then lengthens again."""
        down, up = (0.0, 0.0, -self.rate), (0.0, 0.0, self.rate)
        return dem.Cell(edges, rate=down, rate_changes=[(0.75 * self.duration, up)])

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Observables of all loading tests, and K₀, the ratio of lateral to axial stress, at the end of loading."""
        stress = run.cell.stress.total[int(np.abs(run.time - 0.75 * self.duration).argmin())]
        return super().observables(run) | {"K0": float(0.5 * (stress[0, 0] + stress[1, 1]) / stress[2, 2])}


class Triaxial(LoadedTest):
    """A packing is compressed along z at constant lateral stress (drained) or constant volume (undrained)."""

    name = "triaxial"
    duration: PositiveFloat = Field(0.7, description="simulated time [s]")
    drainage: Literal["drained", "undrained"] = Field("drained", description="drained or undrained")

    def loaded(self, edges: tuple) -> dem.Cell:
        """Cell that shortens along z."""
        if self.drainage == "undrained":
            return dem.Cell(edges, rate=(0.5 * self.rate, 0.5 * self.rate, -self.rate))
        return dem.Cell.triaxial(edges, axial_rate=self.rate, confinement=self.pressure, fastest=10 * self.rate)


class SimpleShear(LoadedTest):
    """A packing is sheared along x at constant normal stress on the shear planes or at constant volume."""

    name = "simple-shear"
    duration: PositiveFloat = Field(2.0, description="simulated time [s]; default at constant volume: 1")
    constant: Literal["stress", "volume"] = Field(
        "stress", description="what is constant: the stress along y, or the volume"
    )

    @model_validator(mode="before")
    @classmethod
    def _end_sooner(cls, given: dict) -> dict:
        """Shorten the default duration at constant volume, where the pressure of a dense packing rises tenfold."""
        return {"duration": 1.0} | given if given.get("constant") == "volume" else given

    def loaded(self, edges: tuple) -> dem.Cell:
        """Cell in simple shear: planes normal to y move along x."""
        if self.constant == "volume":
            return dem.Cell.shear(edges, rate=self.rate)
        return dem.Cell.shear(edges, rate=self.rate, pressure=self.pressure, fastest=10 * self.rate)


class CyclicShear(LoadedTest):
    """A packing is sheared back and forth at constant volume; the pressure of a loose packing falls (liquefaction)."""

    name = "cyclic-shear"
    frames: PositiveInt = Field(300, description="frames written after the first")
    duration: PositiveFloat = Field(2.0, description="simulated time [s]")
    amplitude: PositiveFloat = Field(0.02, description="largest shear strain, in either direction")

    def loaded(self, edges: tuple) -> dem.Cell:
        """Cell in cyclic shear: the shear rate changes its sign at both ends of a cycle."""
        forth = np.array([[0.0, self.rate, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        quarter = self.amplitude / self.rate
        turns = np.arange(quarter, self.duration, 2 * quarter)
        changes = [(float(time), -forth if k % 2 == 0 else forth) for k, time in enumerate(turns)]
        return dem.Cell(edges, rate=forth, rate_changes=changes)
