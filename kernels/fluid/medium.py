"""Properties of the fluid, resistances of each variant of bodies, and the work of the fluid."""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline


class Medium(NamedTuple):
    """Properties of the fluid, and resistances of G variants of bodies; all but spheres count as spheroids."""

    density: float  # ρ [kg/m3]
    viscosity: float  # μ [Pa s]
    has_pressure_force: float  # 1 if the fluid's pressure gradient and the weight it displaces act, else 0
    added: float  # added mass over the mass of displaced fluid: 1/2, or 0
    diameter: np.ndarray  # (G,) d of the sphere of equal volume [m]
    volume: np.ndarray  # (G,) [m3]
    mass_ratio: np.ndarray  # (G,) mass of a body over its mass with added mass
    is_sphere: np.ndarray  # (G,) 1 for spheres, else 0: what lift acts on
    translation: np.ndarray  # (3, G) resistance along the body axes in Stokes flow, over μ [m]
    rotation: np.ndarray  # (3, G) the same against rotation [m3]
    axis: np.ndarray  # (3, G) the spheroid's axis in the body frame
    shape: np.ndarray  # (G,) (r² - 1)/(r² + 1) of its aspect ratio r: weight of the strain rate in its rotation
    interval: int  # steps from one evaluation of the laws to the next
    steps_since_evaluation: np.ndarray  # (1,) int64, steps since the last one
    sampled: np.ndarray  # (C, `rows_of` + `gridded.SCRATCH`, BLOCK) of ``sampling``: scratch of each chunk of bodies
    predicted_motion: np.ndarray  # (C, 6, BLOCK) angular velocities [rad/s] and velocities [m/s] for the laws
    clock: np.ndarray  # (1,) time of the forces [s]
    work: np.ndarray  # (2,) work of the fluid since the start [units of energy], see `energy.accumulate`
    work_half_step: np.ndarray  # (1,) work in the half step after the last forces
    extremes: np.ndarray  # (3,) largest Reynolds number, largest rotational one, 1 if the field was left


class Local(NamedTuple):
    """Properties of a fluid at a position, where density and viscosity vary in space."""

    density: float
    viscosity: float
    has_pressure_force: float
    added: float
    diameter: np.ndarray
    volume: np.ndarray
    is_sphere: np.ndarray
    translation: np.ndarray
    rotation: np.ndarray
    axis: np.ndarray
    shape: np.ndarray


@inline
def at_place(flow, medium):
    """Fluid properties with the density and viscosity of a sample."""
    return Local(
        flow.density, flow.viscosity, medium.has_pressure_force, medium.added, medium.diameter, medium.volume,
        medium.is_sphere, medium.translation, medium.rotation, medium.axis, medium.shape,
    )  # fmt: skip


@inline
def uniform_mass_ratio(flow, fluid, g):
    """Ratio of the mass of a body to its mass with added mass, in a uniform fluid."""
    return fluid.medium.mass_ratio[g]


@inline
def local_mass_ratio(flow, fluid, g):
    """Ratio of the mass of a body to its mass with added mass, for the local fluid density of a sample."""
    mass, medium = fluid.field.mass[g], fluid.medium
    return mass / (mass + medium.added * flow.density * medium.volume[g])


def mass_ratio_of_bodies(mass, added, density, volume):
    """Ratios (G,) of masses to masses with added mass, for bodies of given masses and volumes (G,), see `Medium`."""
    return mass / (mass + added * density * volume)
