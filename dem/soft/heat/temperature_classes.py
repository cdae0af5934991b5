"""Contact properties by temperature: particles change between variants, each of which stands for a temperature.

Radii and the tables of contact laws are by shape and material. A material whose restitution or friction depends on
temperature has `CLASSES` further variants for the engine, at equal distances from the first temperature of its tables
to the last one; spheres that expand have one for each kelvin. After each exchange of heat a particle gets the class
that is nearest to its temperature.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.laws import Hertz, NoComponent
from dem.model.contact.contacts import Contacts
from dem.model.heat import Heat
from dem.model.materials import CONTACT_TABLES
from dem.model.particles.kinds import is_fixed, variant_of
from dem.model.particles.particles import Particles
from dem.model.shapes.shape import Sphere, kind_of_shape

if TYPE_CHECKING:
    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape

CLASSES = 33  # of a material with tables
MAX_SIZES = 20  # of spheres that expand, each of which has as many variants
REFERENCE = 293.15  # temperature at which spheres have their size [K]
COLDEST, HOTTEST = REFERENCE - 200.0, REFERENCE + 1800.0  # that spheres which expand may have [K]


class TemperatureClasses(NamedTuple):
    """Variants of particles by temperature class; the variants of the input come first."""

    variants: list[tuple[Shape, Material]]
    user_variant: np.ndarray  # (G',) variant of the user of each
    expands: bool  # some of them differ in size
    first: np.ndarray  # (G,) by variant of the user: its first class, or itself
    number: np.ndarray  # (G,) of classes
    low: np.ndarray  # (G,) temperature of the first class [K]
    per_kelvin: np.ndarray  # (G,) classes a kelvin

    @classmethod
    def of(cls, particles: Particles) -> TemperatureClasses | None:
        """Classes of the materials of these particles; None if no contact property depends on temperature."""
        variants = list(particles.variants)
        if not any(_tables(material) or material.expansion for _, material in variants):
            return None
        own, first, number, low, per_kelvin = list(range(len(variants))), [], [], [], []
        for g, variant in enumerate(particles.variants):
            shape, material = variant
            at = _expanding(material) if material.expansion else _temperatures(material)
            first.append(len(variants) if at.size else g)
            number.append(max(at.size, 1))
            low.append(at[0] if at.size else 0.0)
            per_kelvin.append((at.size - 1) / (at[-1] - at[0]) if at.size else 0.0)
            if material.expansion:
                factors = (1 + material.expansion * (at - REFERENCE)).tolist()
                pairs = [(shape.expanded(factor), material) for factor in factors]
            else:
                pairs = [(shape, each) for each in _classes(material)]
            variants += [variant_of(*pair, fixed=is_fixed(variant)) for pair in pairs]
            own += [g] * at.size
        columns = (np.array(first), np.array(number), np.array(low), np.array(per_kelvin))
        return cls(variants, np.array(own), any(material.expansion for _, material in variants), *columns)

    def variant_at(self, variant: np.ndarray, temperature: np.ndarray) -> np.ndarray:
        """Variants (N,) of particles of these variants, of any class, at temperatures (N,) [K]."""
        g = self.user_variant[variant]
        index = np.rint((temperature - self.low[g]) * self.per_kelvin[g])
        return self.first[g] + np.clip(index, 0, self.number[g] - 1).astype(np.int64)

    def out_of_range(self, temperature: np.ndarray) -> np.ndarray:
        """Indices of temperatures (N,) that are beyond those of spheres which expand."""
        outside = ~((temperature >= COLDEST) & (temperature <= HOTTEST))
        return np.flatnonzero(outside) if self.expands else np.zeros(0, np.int64)

    def particles(self, given: Particles) -> Particles:
        """The particles, of the variants at their temperatures; raises ValueError where there is none."""
        beyond = self.out_of_range(given.temperature)
        if beyond.size:
            message = f"temperature of particle {beyond[0]} is {given.temperature[beyond[0]]:g} K, {EXPECTED}"
            raise ValueError(message)
        variant = self.variant_at(given.variant, given.temperature)
        state = {name: given.field(name) for name in given.fields}
        return Particles.from_checked(
            self.variants, variant.astype(given.variant.dtype), given.kinds, given.kind, state
        )

    def contacts(self, given: Contacts) -> Contacts:
        """Contacts in which an entry for a material is one for its classes, too."""
        materials = dict.fromkeys(material for _, material in self.variants)
        both = {one: [one, *_classes(one)] for one in materials}
        table = {
            (a, b): contact
            for one, other, contact in given for a in both.get(one, [one]) for b in both.get(other, [other])
        }  # fmt: skip
        return Contacts(table, rule=given.rule, damped=given.damped)


EXPECTED = f"expected {COLDEST:g} to {HOTTEST:g} K of particles that expand (Material.expansion)"


def check(particles: Particles, heat: object, *, varies: bool, bonded: bool) -> None:
    """Raise ValueError for temperature-dependent properties without heat, or without the data they need."""
    sizes = sum(bool(material.expansion) for _, material in particles.variants)
    if sizes > MAX_SIZES:
        message = f"particles that expand have {sizes} sizes and materials, expected {MAX_SIZES} at most: take fewer"
        raise ValueError(message)
    for shape, material in particles.variants:
        tables = _tables(material)
        if material.expansion and (tables or bonded or type(shape) is not Sphere):
            other = tables[0] if tables else "bonds" if bonded else kind_of_shape(shape)
            message = (
                f"expansion of {material.label} with {other}, expected single spheres without tables and bonds: "
                "leave one of them out"
            )
            raise ValueError(message)
        for name in [*tables, *(["expansion"] if material.expansion else [])]:
            if not isinstance(heat, Heat):
                message = f"{name} of {material.label} in a run without heat: add heat=dem.Heat(), or leave it out"
                raise ValueError(message)
            if varies:
                message = (
                    f"{name} of {material.label} in a run with inserters, outlets or added particles, expected "
                    "particles that stay: leave one of them out"
                )
                raise ValueError(message)


def check_law(law: tuple) -> None:
    """Raise ValueError for laws other than Hertz's without adhesion: the work of expansion is known for these alone."""
    parts = [type(part) for part in (getattr(law, "normal", Hertz()), getattr(law, "adhesion", NoComponent()))]
    if parts != [Hertz, NoComponent]:
        message = (
            "expansion of particles with adhesion or another normal law, expected Hertz's (dem.Material without them), "
            "whose work is known: leave one of them out"
        )
        raise ValueError(message)


def _expanding(material: Material) -> np.ndarray:
    """Temperatures of the classes of a material that expands [K]."""
    return REFERENCE + np.arange(round(COLDEST - REFERENCE), round(HOTTEST - REFERENCE) + 1)


def _tables(material: Material) -> list[str]:
    """Names of the contact properties that depend on temperature."""
    return [name for name in CONTACT_TABLES if getattr(material, name) is not None]


def _temperatures(material: Material) -> np.ndarray:
    """Temperatures of the classes of a material [K]; none if nothing depends on temperature."""
    rows = [t for name in _tables(material) for t, _ in getattr(material, name)]
    return np.linspace(min(rows), max(rows), CLASSES) if rows else np.zeros(0)


def _classes(material: Material) -> list[Material]:
    """The material at the temperature of each of its classes."""
    at, values = _temperatures(material), {}
    for name in _tables(material):
        known, numbers = np.array(getattr(material, name)).T
        values[CONTACT_TABLES[name]] = np.interp(at, known, numbers).tolist()
    nothing = dict.fromkeys(CONTACT_TABLES)
    return [
        replace(material, **nothing, **{name: numbers[k] for name, numbers in values.items()}) for k in range(at.size)
    ]
