"""Statistics of grains and fibres: functions of plain arrays, which frames of a trajectory provide.

Frames of `dem.Trajectory` have methods of the same names for many of them.

- contacts: `contacts.py` (coordination, fabric, distribution of forces), `forces.py` (stress, loads), `by_kind.py`,
  `cell_state.py` (element tests in a cell that deforms)
- fibres: `fibres.py` (orientation, chains of bonded bodies, capsules)
- motion: `motion.py` (displacements, correlations), `energies.py`, `mixing.py`, `discharge.py`
- fields: `coarse.py` (coarse graining), `profiles.py` (slabs, surfaces, slopes)
- tests of powders: `images.py` (silhouettes, surfaces in images, heaps), `strength.py` (yield locus, flow
  energy, one particle)

To add one, write a function of arrays with an example that runs, in the file of its group, and its name below, in the
imports and in `__all__`; the table of CONTRIBUTING.md lists what else a statistic touches.
"""

from dem.model.contact.contact_forces import ContactForces
from dem.model.particles.grading import Grading, grading
from dem.model.shapes.bodies import Spheres
from dem.statistics.by_kind import KindContacts, KindEnergies, LossesByKind, contacts_by_kind, energies_by_kind
from dem.statistics.cell_state import CellState, principal_stresses
from dem.statistics.coarse import CoarseFields, FieldAverage, coarse_fields
from dem.statistics.contacts import (
    ContactNumbers,
    Coordination,
    Fabric,
    ForceHistogram,
    contact_numbers,
    coordination,
    fabric,
    force_histogram,
)
from dem.statistics.discharge import MassFlow, bagnold_velocity, beverloo_rate, janssen_stress, mass_flow
from dem.statistics.energies import EnergyHistogram, KineticEnergies, energy_histogram, kinetic_energies, maxwellian
from dem.statistics.fibres import (
    CapsuleContacts,
    Order,
    OrientationTensors,
    capsule_contacts,
    chains,
    contour_length,
    curvature,
    end_to_end,
    entanglement,
    excluded_volume,
    linking,
    order_parameter,
    orientation_tensors,
    persistence_length,
)
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
from dem.statistics.images import (
    HeapShape,
    SurfaceAngles,
    heap_shape,
    image_difference,
    image_surface,
    occupied_area,
    silhouette,
    surface_angles,
)
from dem.statistics.mixing import Mixing, mixing, samples_in_box
from dem.statistics.motion import lags, mean_square_displacement, orientation_correlation, turned
from dem.statistics.profiles import (
    Profile,
    Slope,
    VelocityProfile,
    angle_of_repose,
    cone_profile,
    drum_angle,
    fitted_slope,
    granular_temperature,
    height_profile,
    solid_fraction,
    velocity_profile,
)
from dem.statistics.strength import (
    ShearTest,
    YieldLocus,
    flow_energy,
    incline_friction,
    pendulum_friction,
    rebound_restitution,
    shear_test,
    torsional_stress,
    yield_locus,
)

__all__ = [
    "CapsuleContacts",
    "CellState",
    "CoarseFields",
    "ContactForces",
    "ContactNumbers",
    "Coordination",
    "EnergyHistogram",
    "Fabric",
    "FieldAverage",
    "ForceHistogram",
    "Grading",
    "HeapShape",
    "KindContacts",
    "KindEnergies",
    "KineticEnergies",
    "Loads",
    "LossesByKind",
    "MassFlow",
    "Mixing",
    "Order",
    "OrientationTensors",
    "Profile",
    "ShearTest",
    "Slope",
    "Spheres",
    "Stress",
    "StressProfile",
    "SurfaceAngles",
    "VelocityProfile",
    "YieldLocus",
    "angle_of_repose",
    "bagnold_velocity",
    "beverloo_rate",
    "body_loads",
    "capsule_contacts",
    "chains",
    "coarse_fields",
    "cone_profile",
    "contact_numbers",
    "contacts_by_kind",
    "contour_length",
    "coordination",
    "coordination_numbers",
    "curvature",
    "drum_angle",
    "end_to_end",
    "energies_by_kind",
    "energy_histogram",
    "entanglement",
    "excluded_volume",
    "fabric",
    "fitted_slope",
    "flow_energy",
    "force_histogram",
    "grading",
    "granular_temperature",
    "heap_shape",
    "height_profile",
    "image_difference",
    "image_surface",
    "incline_friction",
    "janssen_stress",
    "kinetic_energies",
    "lags",
    "linking",
    "mass_flow",
    "maxwellian",
    "mean_square_displacement",
    "mixing",
    "occupied_area",
    "order_parameter",
    "orientation_correlation",
    "orientation_tensors",
    "pendulum_friction",
    "persistence_length",
    "principal_stresses",
    "rebound_restitution",
    "samples_in_box",
    "shear_test",
    "silhouette",
    "solid_fraction",
    "stress",
    "stress_profile",
    "surface_angles",
    "torsional_stress",
    "turned",
    "velocity_profile",
    "wall_loads",
    "yield_locus",
]
