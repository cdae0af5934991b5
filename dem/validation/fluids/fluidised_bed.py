"""Bed of spheres in a gas of increasing velocity: pressure drop and minimum fluidisation velocity."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import dem
from dem.case import case
from dem.validation.report import Report, curves

G = 9.81
LOOK = 400  # steps between looks
SOURCE = (
    "Problem: spheres settle in a column, then gas is blown through them upwards, the velocity growing slowly. The "
    "drag is Gidaspow's, whose dense part is Ergun's equation (S. Ergun, Chem. Eng. Prog. 48 (1952) 89), the gas that "
    "of the case fluidised-bed, one-dimensional and incompressible, coupled in both directions. Evidence: Ergun's "
    "equation at the voidage that the bed has inside, away from floor and surface, when it lifts, and the weight of "
    "the bed. At the surface cells show less than there is, so that shallow beds lift later. Beside it the minimum "
    "fluidisation velocity of C. Y. Wen, Y. H. Yu, AIChE J. 12 (1966) 610, Re = √(33.7² + 0.0408 Ar) - 33.7, which "
    "knows no voidage and scatters by a third."
)


class FluidisingGas(NamedTuple):
    """A gas and the diameter of the spheres in it."""

    density: float  # [kg/m³]
    viscosity: float  # [Pa s]
    diameter: float  # of the spheres [m]

    def ergun(self, velocity: float | np.ndarray, voidage: float | np.ndarray) -> float | np.ndarray:
        """Pressure gradient of a fixed bed [Pa/m] at a superficial velocity [m/s]."""
        linear = 150 * (1 - voidage) ** 2 * self.viscosity * velocity / (voidage**3 * self.diameter**2)
        return linear + 1.75 * (1 - voidage) * self.density * velocity**2 / (voidage**3 * self.diameter)

    def lifting(self, voidage: float, solid: float) -> float:
        """Superficial velocity at which Ergun's gradient balances the weight of a bed of spheres of a density [m/s]."""
        weight = (1 - voidage) * (solid - self.density) * G
        linear = self.ergun(1.0, voidage) - self.quadratic(voidage)
        return (-linear + math.sqrt(linear**2 + 4 * self.quadratic(voidage) * weight)) / (2 * self.quadratic(voidage))

    def quadratic(self, voidage: float) -> float:
        """Coefficient of the quadratic term of Ergun's gradient."""
        return 1.75 * (1 - voidage) * self.density / (voidage**3 * self.diameter)

    def wen_yu(self, solid: float) -> float:
        """Minimum fluidisation velocity by Wen and Yu [m/s]."""
        archimedes = self.density * (solid - self.density) * G * self.diameter**3 / self.viscosity**2
        reynolds = math.sqrt(33.7**2 + 0.0408 * archimedes) - 33.7
        return reynolds * self.viscosity / (self.density * self.diameter)


class BedState(NamedTuple):
    """State of a bed at a time."""

    velocity: float  # superficial [m/s]
    drop: float  # of pressure, over the weight of the bed
    gradient: float  # inside the bed, over Ergun's
    voidage: float  # there
    height: float  # mean of the spheres [m]


def bed_state(exchange: dem.Exchange, velocity: float, gas: FluidisingGas, weight: float) -> BedState:
    """State of a bed from an exchange; weight: of the bed without buoyancy, per cross-section [Pa]."""
    pressing = exchange.density * exchange.gravity[2] - exchange.pressure_gradient[0, 0, :, 2]
    top, cell = float(np.quantile(exchange.position[:, 2], 0.95)), exchange.cells.spacing[2]
    inside = slice(1, max(2, math.floor(top / cell - 1.0)))
    voidage, gradient = exchange.voidage[0, 0, inside], pressing[inside]
    ergun = gas.ergun(velocity, voidage)
    share = float((gradient / ergun).mean()) if velocity > 0 else math.nan
    return BedState(
        velocity, float(pressing.sum() * cell / weight), share, float(voidage.mean()), exchange.position[:, 2].mean()
    )


def blow(sim: dem.Simulation, superficial: object, gas: FluidisingGas, duration: float) -> list[BedState]:
    """Simulate a bed up to a time [s], and record its state at intervals."""
    box, mass = sim.box, sim.exchange().mass.sum()
    weight = mass * (1 - gas.density / sim.particles.variants[0][1].density) * G / (box.size[0] * box.size[1])
    seen = []
    while sim.time < duration:
        sim.step(LOOK)
        exchange = sim.exchange()
        seen.append(bed_state(exchange, superficial(exchange.time), gas, weight))
    return seen


def fluidisation(*, quick: bool = False) -> Report:
    """Pressure drop and minimum fluidisation velocity."""
    report = Report("fluidised-bed", "Pressure drop of a bed, and the velocity that fluidises it")
    delay, ramp, hold = (0.1, 0.12, 0.0) if quick else (0.12, 0.25, 0.08)
    bed = case("fluidised-bed")(n=400 if quick else 600, width=4.5, velocity=1.0, delay=delay, ramp=ramp)
    gas, solid = FluidisingGas(bed.gas_density, bed.gas_viscosity, bed.diameter), bed.density
    sim = bed.simulation()
    seen = blow(sim, bed.gas().superficial, gas, delay + ramp + hold)
    velocity, drop = np.array([each.velocity for each in seen]), np.array([each.drop for each in seen])
    lifts = int(np.argmax(drop >= 1.0))
    between = (1 - drop[lifts - 1]) / (drop[lifts] - drop[lifts - 1])
    found = velocity[lifts - 1] + between * (velocity[lifts] - velocity[lifts - 1])
    settled = seen[lifts - 1].voidage  # a little looser than at rest
    expected, others = gas.lifting(settled, solid), gas.wen_yu(solid)
    fixed = [each.gradient for each in seen if 0.2 * expected < each.velocity < 0.8 * expected]
    report.near(
        "pressure gradient inside the fixed bed, over Ergun's", float(np.mean(fixed)), 1.0, exact="1", within=0.03
    )
    report.near(
        f"minimum fluidisation velocity, voidage {settled:.3f} [m/s]", found, expected, within=0.1,
        published=f"Wen & Yu {others:.3f}", exact=f"Ergun {expected:.3f}",
    )  # fmt: skip
    if hold:
        held = [each.drop for each in seen if each.velocity >= bed.velocity]
        report.near(
            "pressure drop of the fluidised bed, over its weight", float(np.mean(held)), 1.0, exact="1", within=0.1
        )
    report.statements.append(SOURCE)
    rows = [(each.velocity, each.drop, each.gradient, each.voidage, each.height) for each in seen]
    header = ["superficial_velocity", "pressure_drop_over_weight", "gradient_over_ergun", "voidage", "mean_height"]
    report.tables["ramp"] = (header, rows)
    line = np.minimum(gas.ergun(velocity, settled) / gas.ergun(expected, settled), 1.0)
    report.figures["ramp"] = curves(
        "fluidisation",
        "superficial velocity [m/s]",
        "pressure drop / weight",
        {"coupled": (velocity, drop), "Ergun": (velocity, line)},
    )
    return report
