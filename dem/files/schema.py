"""Names in a trajectory, and what is written next to the numbers of a field."""

from __future__ import annotations

from dem.model.energy import Energy
from dem.model.fields import STATE

FORMAT = 2  # of what is ours: parameters, names of observables
PARTICLES = "particles/trajectory"
ENERGIES = (*Energy._fields, "total")
FURTHER = {
    "position": {"si_unit": "m"},  # not the unit of H5MD, whose readers multiply by it and know no metre
    "orientation": {"component_order": "w x y z", "frame": "body_to_world"},
    "angular_velocity": {"frame": "world"},
}


def attributes(name: str) -> dict[str, str]:
    """Attributes of a field on disk; units are spelt as H5MD has them, ``m s-1``."""
    unit = STATE[name].unit
    spelt = {} if unit == "1" or name == "position" else {"unit": unit.replace("/", " ") + "-1"}
    return spelt | FURTHER.get(name, {})
