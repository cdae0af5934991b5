"""The fields of a trajectory: their names on disk, widths and units, and what they mean to readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dem.model.bodies import body_axis
from dem.model.energy import Energy

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

FORMAT = 2  # of what is ours: parameters, names of observables
# name -> width, unit attribute in H5MD's spelling, further attributes
FIELDS = {
    "position": (3, None, {"si_unit": "m"}),
    "velocity": (3, "m s-1", {}),
    "orientation": (4, None, {"component_order": "w x y z", "frame": "body_to_world"}),
    "angular_velocity": (3, "rad s-1", {"frame": "world"}),
}
ENERGIES = (*Energy._fields, "total")
PARTICLES = "particles/trajectory"


class Meaning(NamedTuple):
    """What a field is, for those who read tables of it."""

    text: str
    unit: str
    columns: tuple[str, ...]  # of its components in tables
    stored: str  # field on disk that it comes from
    derive: Callable[[np.ndarray], np.ndarray] | None = None


MEANINGS = {
    "position": Meaning("centres of mass, going on beyond periodic faces", "m", ("x", "y", "z"), "position"),
    "velocity": Meaning("velocities of the centres of mass", "m/s", ("v_x", "v_y", "v_z"), "velocity"),
    "orientation": Meaning("unit quaternions, body to world", "1", ("q_w", "q_x", "q_y", "q_z"), "orientation"),
    "angular_velocity": Meaning(
        "angular velocities, world frame", "rad/s", ("omega_x", "omega_y", "omega_z"), "angular_velocity"
    ),
    "axis": Meaning(
        "directions of the body x axes, a fibre's own", "1", ("p_x", "p_y", "p_z"), "orientation", body_axis
    ),
}
