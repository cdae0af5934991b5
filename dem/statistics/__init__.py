"""Statistics of fibres and grains: functions of plain arrays, for frames of a trajectory as for anything else.

Where they are of use to a frame as it is, `dem.Trajectory` frames have methods of the same name.
"""

from dem.model.bodies import Spheres
from dem.model.contact_forces import ContactForces
from dem.statistics.contacts import ContactNumbers, contact_numbers
from dem.statistics.energies import EnergyHistogram, KineticEnergies, energy_histogram, kinetic_energies, maxwellian
from dem.statistics.forces import (
    Loads,
    Stress,
    StressProfile,
    body_loads,
    coordination_numbers,
    stress,
    stress_profile,
    wall_loads,
)
from dem.statistics.motion import lags, mean_square_displacement, orientation_correlation, turned
from dem.statistics.orientation import Order, OrientationTensors, order_parameter, orientation_tensors
from dem.statistics.profiles import Profile, height_profile, solid_fraction
from dem.statistics.slabs import VelocityProfile, granular_temperature, velocity_profile

__all__ = [
    "ContactForces",
    "ContactNumbers",
    "EnergyHistogram",
    "KineticEnergies",
    "Loads",
    "Order",
    "OrientationTensors",
    "Profile",
    "Spheres",
    "Stress",
    "StressProfile",
    "VelocityProfile",
    "body_loads",
    "contact_numbers",
    "coordination_numbers",
    "energy_histogram",
    "granular_temperature",
    "height_profile",
    "kinetic_energies",
    "lags",
    "maxwellian",
    "mean_square_displacement",
    "order_parameter",
    "orientation_correlation",
    "orientation_tensors",
    "solid_fraction",
    "stress",
    "stress_profile",
    "turned",
    "velocity_profile",
    "wall_loads",
]
