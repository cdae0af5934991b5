"""Statistics of fibres and grains: functions of plain arrays, for frames of a trajectory as for anything else.

Where they are of use to a frame as it is, `dem.Trajectory` frames have methods of the same name.
"""

from dem.model.bodies import Spheres
from dem.statistics.contacts import ContactNumbers, contact_numbers
from dem.statistics.energies import EnergyHistogram, KineticEnergies, energy_histogram, kinetic_energies, maxwellian
from dem.statistics.motion import lags, mean_square_displacement, orientation_correlation, turned
from dem.statistics.orientation import Order, OrientationTensors, order_parameter, orientation_tensors
from dem.statistics.profiles import Profile, height_profile, solid_fraction

__all__ = [
    "ContactNumbers",
    "EnergyHistogram",
    "KineticEnergies",
    "Order",
    "OrientationTensors",
    "Profile",
    "Spheres",
    "contact_numbers",
    "energy_histogram",
    "height_profile",
    "kinetic_energies",
    "lags",
    "maxwellian",
    "mean_square_displacement",
    "order_parameter",
    "orientation_correlation",
    "orientation_tensors",
    "solid_fraction",
    "turned",
]
