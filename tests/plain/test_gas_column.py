"""The gas column of the case fluidised-bed: pressure drop of a fixed bed, and resumed runs."""

import math

import numpy as np
import pytest
from dem.cases.fluidised_bed import FluidisedBed
from dem.cases.gas_column import GasColumn, pressure_drop

import dem

SAND = dem.Material(young=1e6, poisson=0.22, density=2500.0)
D, STEP, U = 1e-3, 1.05e-3, 0.4
RHO, MU = 1.2, 1.8e-5


def lattice(dt=1e-10, drag="gidaspow"):
    """A bed on a lattice that fills its box, in a time too short to move."""
    x, y, z = (axis.ravel() for axis in np.meshgrid(*[(np.arange(n) + 0.5) * STEP for n in (3, 3, 6)], indexing="ij"))
    bed = dem.Particles(dem.Sphere(diameter=D), SAND, position=np.column_stack([x, y, z]))
    box = dem.Box((0, 0, 0), (3 * STEP, 3 * STEP, 6 * STEP), SAND, periodic=["x", "y"])
    fluid = dem.Fluid(
        density=RHO, viscosity=MU, drag=drag, rotation=None, added_mass=False,
        cells=dem.Cells(number=(1, 1, 3), every=1),
        coupling=dem.Coupling(function=GasColumn(start=U, end=U), implicit=True),
    )  # fmt: skip
    sim = dem.Simulation(bed, box, fluid=fluid, time_step=dt)
    sim.step(3)
    return sim


def test_a_fixed_bed_costs_what_ergun_says():
    """150 (1-ε)² μ U/(ε³ d²) + 1.75 (1-ε) ρ U²/(ε³ d); what is off is how far spheres moved in 3e-10 s."""
    told = lattice().exchange()
    e = 1 - math.pi / 6 * D**3 / STEP**3
    assert told.voidage == pytest.approx(np.full((1, 1, 3), e), rel=1e-9)
    ergun = 150 * (1 - e) ** 2 * MU * U / (e**3 * D**2) + 1.75 * (1 - e) * RHO * U**2 / (e**3 * D)
    assert pressure_drop(told) == pytest.approx(ergun * 6 * STEP, rel=1e-7)


@pytest.mark.parametrize("drag", ["di-felice", "gidaspow", "huilin-gidaspow", "beetstra"])
@pytest.mark.few(1)
def test_the_pressure_drop_is_what_the_particles_feel(drag):
    """Of all forces of the fluid what is not the buoyancy of the solid, over the cross-section."""
    solver, told = [], GasColumn(start=U, end=U)

    def listening(exchange):
        solver.append(exchange)
        return told(exchange)

    sim = lattice(drag=drag)
    fluid = dem.Fluid(**{**vars_of(sim.fluid), "coupling": dem.Coupling(function=listening, implicit=True)})
    again = dem.Simulation(sim.particles, sim.box, fluid=fluid, time_step=1e-10)
    again.step(4)
    felt = -solver[-1].momentum[..., 2].sum() / solver[-1].interval
    weight = 54 * math.pi / 6 * D**3 * RHO * 9.81
    assert felt - weight == pytest.approx(pressure_drop(solver[-1]) * (3 * STEP) ** 2, rel=1e-6)


def vars_of(fluid):
    names = ("density", "viscosity", "drag", "rotation", "added_mass", "cells")
    return {name: getattr(fluid, name) for name in names}


def test_the_case_goes_on_from_a_file_to_the_same_bytes(tmp_path):
    """The gas is a dataclass that goes by what it is told: nothing has to be given again."""
    case = FluidisedBed(n=20, width=4, delay=0.0, ramp=1e-3, every=4)
    whole, cut = case.simulation(), case.simulation()
    whole.step(20)
    cut.step(9)
    cut.save(tmp_path / "bed.h5")
    cut = dem.Simulation.load(tmp_path / "bed.h5")
    cut.step(11)
    assert (cut.particles.velocity == whole.particles.velocity).all()
    assert whole.exchange().fluid_velocity[..., 2].max() > 0


def test_the_gas_of_a_column_grows_as_told():
    gas = GasColumn(start=0.1, end=0.5, delay=1.0, ramp=2.0)
    assert [gas.superficial(t) for t in (0, 1, 2, 3, 9)] == pytest.approx([0.1, 0.1, 0.3, 0.5, 0.5])
    assert [GasColumn(start=0.1, end=0.5, delay=1.0).superficial(t) for t in (0, 1)] == [0.1, 0.5]
