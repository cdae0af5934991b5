"""Names in a trajectory, and what is written next to the numbers of a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.model.energy import Energy
from dem.model.particles.fields import STATE

if TYPE_CHECKING:
    import h5py

FORMAT = 3  # of what is ours: parameters, names of observables; 2 had no variants, each size was a kind
PARTICLES = "particles/trajectory"
ENERGIES = (*Energy._fields, "total")
OPTIONAL = ("fluid", "inserted", "removed")
FURTHER = {
    "position": {"si_unit": "m"},  # not H5MD's attribute `unit`: its readers convert by it and do not know the metre
    "orientation": {"component_order": "w x y z", "frame": "body_to_world"},
    "angular_velocity": {"frame": "world"},
}


def energies_in(file: h5py.File | h5py.Group) -> tuple[str, ...]:
    """Energies that a trajectory holds, by name: the fluid's only if there was one, and so on."""
    return tuple(name for name in ENERGIES if name not in OPTIONAL or f"{name}_energy" in file["/observables"])


def energies_of(*, fluid: bool, traffic: bool) -> list[str]:
    """Energies that a trajectory is to hold, where there is a fluid, or particles come and go."""
    here = {"fluid": fluid, "inserted": traffic, "removed": traffic}
    return [name for name in ENERGIES if here.get(name, True)]


def variants_in(file: h5py.File) -> tuple[h5py.Dataset, h5py.Group]:
    """Number of each particle's variant (N,), and the tables of all variants."""
    group, parameters = file[PARTICLES], file["parameters"]
    return (group["variant"], parameters["variants"]) if "variant" in group else (group["species"], parameters["kinds"])


def _inverse(unit: str) -> str:
    """A unit below a fraction's line: ``s-1``, ``m-3``."""
    return f"{unit[:-1]}-{unit[-1]}" if unit[-1].isdigit() else f"{unit}-1"


def attributes(name: str) -> dict[str, str]:
    """Attributes of a field on disk; units are spelt as H5MD has them, ``m s-1``."""
    unit = STATE[name].unit
    over, *under = unit.split("/")
    spelt = {} if unit == "1" or name == "position" else {"unit": " ".join([over, *map(_inverse, under)])}
    return spelt | FURTHER.get(name, {})
