"""Names of datasets in a trajectory, and the attributes of fields."""

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
    """Names of the energies in a trajectory; that of the fluid only if there is a fluid, and so on."""
    return tuple(name for name in ENERGIES if name not in OPTIONAL or f"{name}_energy" in file["/observables"])


def energies_of(*, fluid: bool, insertion: bool) -> list[str]:
    """Names of the energies to store, by whether there is a fluid and whether particles are inserted or removed."""
    here = {"fluid": fluid, "inserted": insertion, "removed": insertion}
    return [name for name in ENERGIES if here.get(name, True)]


def variants_in(file: h5py.File) -> tuple[h5py.Dataset, h5py.Group]:
    """Variant of each particle (N,), and the tables of all variants."""
    group, parameters = file[PARTICLES], file["parameters"]
    return (group["variant"], parameters["variants"]) if "variant" in group else (group["species"], parameters["kinds"])


def _inverse(unit: str) -> str:
    """Unit of a denominator with negative exponents: ``s-1``, ``m-3``."""
    return f"{unit[:-1]}-{unit[-1]}" if unit[-1].isdigit() else f"{unit}-1"


def attributes(name: str) -> dict[str, str]:
    """Attributes of a field in a file; units are written as in H5MD, such as ``m s-1``."""
    unit = STATE[name].unit
    over, *under = unit.split("/")
    spelt = {} if unit == "1" or name == "position" else {"unit": " ".join([over, *map(_inverse, under)])}
    return spelt | FURTHER.get(name, {})
