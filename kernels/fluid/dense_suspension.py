"""Fluid in a dense suspension: the voidage by cell, and flows that an external solver computes in cells.

`Bed` is a given flow field with dense particles. `Solved` has velocity and pressure from an external flow solver, and
`Mixture` also density and viscosity. All have the voidage, the fraction of the volume that is fluid, on which drag laws
of dense beds depend. Their drag F_d excludes the pressure gradient that it causes (model A of D. Gidaspow, Multiphase
Flow and Fluidization (1994)), so the force on a particle is F_d - V ∇p. Without a pressure from a solver, the pressure
gradient balances the drag, -∇p = n F_d/ε, besides the weight of the fluid; the force is then F_d/ε and buoyancy (model
B).
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.fluid import gradients
from dem.kernels.fluid.cells import Cells, corner, interpolate_trilinearly, value_at, vector_at
from dem.kernels.numerics.vector import add, add_scaled, load, scale, store, subtract

VOIDAGE, VELOCITY, GRADIENT, PRESSING, ROWS = 0, 1, 4, 13, 16  # rows of `Solved.values`
OF_BED, OF_SOLVED = gradients.ROWS, gradients.ROWS + 1  # rows of samples, after those of `gradients`: voidage, -∇p
OF_MIXTURE = OF_SOLVED + 3  # density and viscosity
ROWS_IN_BED, ROWS_IN_SOLVED, ROWS_IN_MIXTURE = OF_SOLVED, OF_MIXTURE, OF_MIXTURE + 2  # numbers of rows
MIN_VOIDAGE = 0.05  # lower limit of the voidage in laws: overlapping particles may fill a cell


class Bed(NamedTuple):
    """Given flow field in a dense suspension, with the voidage by cell."""

    flow: tuple  # a field: velocity between the particles
    cells: Cells
    values: np.ndarray  # (1, nx, ny, nz) voidage


class Solved(NamedTuple):
    """Flow computed in cells, and the momentum that particles have taken from it since its last update."""

    cells: Cells
    values: np.ndarray  # (16, nx, ny, nz) voidage, velocity [m/s], its gradient [1/s], -∇p [Pa/m]
    taken: np.ndarray  # (3, N) momentum of each particle from the fluid, up to the last forces [N s]
    taking: np.ndarray  # (3, N) momentum in the half step after them [N s]


class Mixture(NamedTuple):
    """Flow computed in cells as `Solved`, with density and viscosity by cell."""

    cells: Cells
    values: np.ndarray
    taken: np.ndarray
    taking: np.ndarray
    properties: np.ndarray  # (2, nx, ny, nz) density [kg/m³], viscosity [Pa s]
    mass: np.ndarray  # (G,) of variants of bodies [kg]


# Samples of these at a position: `gradients.Sample` and the voidage; with the pressure gradient; with the properties
IN_BED = (*gradients.Sample.__annotations__.items(), ("voidage", float))
IN_SOLVED = (*IN_BED, ("pressing", tuple[float, float, float]))  # -∇p [Pa/m]
IN_MIXTURE = (*IN_SOLVED, ("density", float), ("viscosity", float))  # of the place [kg/m³, Pa s]
InBed, InSolved = NamedTuple("InBed", IN_BED), NamedTuple("InSolved", IN_SOLVED)
InMixture = NamedTuple("InMixture", IN_MIXTURE)


@inline
def in_bed(cells, values, x, flow):
    """Add the voidage at position x to a sample of a flow."""
    at = corner(cells, x)
    voidage = 1.0 if at.outside > 0 else max(value_at(values, 0, at), MIN_VOIDAGE)
    return InBed(flow.velocity, flow.gradient, flow.change, max(flow.outside, at.outside), voidage)


@inline
def in_solved(field, t, x):
    """Sample a flow computed in cells at position x; it is constant between updates by the solver."""
    at, values = corner(field.cells, x), field.values
    gradient = (
        value_at(values, GRADIENT, at), value_at(values, GRADIENT + 1, at), value_at(values, GRADIENT + 2, at),
        value_at(values, GRADIENT + 3, at), value_at(values, GRADIENT + 4, at), value_at(values, GRADIENT + 5, at),
        value_at(values, GRADIENT + 6, at), value_at(values, GRADIENT + 7, at), value_at(values, GRADIENT + 8, at),
    )  # fmt: skip
    return InSolved(
        vector_at(values, VELOCITY, at), gradient, (0.0, 0.0, 0.0), at.outside,
        1.0 if at.outside > 0 else max(value_at(values, VOIDAGE, at), MIN_VOIDAGE), vector_at(values, PRESSING, at),
    )  # fmt: skip


@inline
def in_mixture(field, t, x):
    """Sample a mixture at position x; density and viscosity are exact where cells have equal values."""
    flow, at = in_solved(field, t, x), corner(field.cells, x)
    return InMixture(
        flow.velocity, flow.gradient, flow.change, flow.outside, flow.voidage, flow.pressing,
        interpolate_trilinearly(field.properties, 0, at), interpolate_trilinearly(field.properties, 1, at),
    )  # fmt: skip


@inline
def write_in_bed(flow, rows, s):
    """Write sample number s, an `InBed`."""
    gradients.write_sample(flow, rows, s)
    rows[OF_BED, s] = flow.voidage


@inline
def write_in_solved(flow, rows, s):
    """Write sample number s, an `InSolved`."""
    write_in_bed(flow, rows, s)
    gradients.write_three(rows, OF_SOLVED, s, flow.pressing)


@inline
def write_in_mixture(flow, rows, s):
    """Write sample number s, an `InMixture`."""
    write_in_solved(flow, rows, s)
    rows[OF_MIXTURE, s], rows[OF_MIXTURE + 1, s] = flow.density, flow.viscosity


@inline
def read_in_bed(field, rows, s):
    """Read sample number s, an `InBed`."""
    flow = gradients.sample_in(field, rows, s)
    return InBed(flow.velocity, flow.gradient, flow.change, flow.outside, rows[OF_BED, s])


@inline
def read_in_solved(field, rows, s):
    """Read sample number s, an `InSolved`."""
    flow, pressing = gradients.sample_in(field, rows, s), gradients.three(rows, OF_SOLVED, s)
    return InSolved(flow.velocity, flow.gradient, flow.change, flow.outside, rows[OF_BED, s], pressing)


@inline
def read_in_mixture(field, rows, s):
    """Read sample number s, an `InMixture`."""
    flow = read_in_solved(field, rows, s)
    return InMixture(
        flow.velocity, flow.gradient, flow.change, flow.outside, flow.voidage, flow.pressing,
        rows[OF_MIXTURE, s], rows[OF_MIXTURE + 1, s],
    )  # fmt: skip


@inline
def some_fluid(flow):
    """Voidage at the sample."""
    return flow.voidage


@inline
def pressure_force_of_flow(flow, medium, g, displaced, accelerating, gravity):
    """Force of the pressure gradient, buoyancy and added mass in the acceleration of the flow [N].

    flow, medium, g: `gradients.Sample` or `InBed`, `medium.Medium`, variant of the body.
    displaced, accelerating: mass of the fluid in its place [kg], Du/Dt [m/s²].
    gravity: [m/s²].
    Returns the force [N].
    """
    gained = scale(displaced * (medium.has_pressure_force + medium.added), accelerating)
    return add_scaled(gained, -displaced * medium.has_pressure_force, gravity)


@inline
def force_of_given_gradient(flow, medium, g, displaced, accelerating, gravity):
    """Force of a given pressure gradient, and of added mass in the acceleration of the flow [N].

    flow: `InSolved` or `InMixture`.
    medium, g, displaced, accelerating, gravity: see `pressure_force_of_flow`.
    Returns the force [N].
    """
    gained = scale(displaced * medium.added, accelerating)
    return add_scaled(gained, medium.volume[g] * medium.has_pressure_force, flow.pressing)


@inline
def take(field, b, mass, dt, other_accelerations, before, now, later):
    """Record the momentum that particle b takes from the fluid in a step.

    b: the user's number of the particle.
    mass, dt, other_accelerations: of the particle [kg], time step [s], what all other forces accelerate it by [m/s²].
    before, now, later: velocity half a step before the forces, at them, half a step after them [m/s].
    Writes field.taken, field.taking: column b.
    """
    momentum_before = scale(mass, add_scaled(subtract(now, before), -0.5 * dt, other_accelerations))
    store(field.taken, b, add(add(load(field.taken, b), load(field.taking, b)), momentum_before))
    store(field.taking, b, scale(mass, add_scaled(subtract(later, now), -0.5 * dt, other_accelerations)))


@inline
def begin(field, b, mass, dt, other_accelerations, before, later):
    """Record the momentum that particle b takes from the fluid in the first half step of a run.

    b, mass, dt, other_accelerations: see `take`.
    before, later: velocity at the forces, half a step after them [m/s].
    Writes field.taking: column b.
    """
    store(field.taking, b, scale(mass, add_scaled(subtract(later, before), -0.5 * dt, other_accelerations)))
