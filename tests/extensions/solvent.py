"""Solvent that wet particles hand on where they touch: a scalar field and its exchange, by one file."""

from dataclasses import dataclass

import dem

dem.register_field("solvent", "kg/m3", meaning="solvent in a particle's pores")


@dataclass(frozen=True, kw_only=True)
class Solvent(dem.ScalarExchange):
    """V dc/dt = Σ_j D a (c_j - c), where D is the diffusivity of the material of either."""

    FIELD = "solvent"
    diffusivity: float = 1e-9  # [m²/s]

    def capacity(self, shape, material):
        """Volume of a particle [m³]."""
        return shape.mass_properties(material.density).volume

    def conductance(self, pairs):
        """D √(R* δ) of each contact [m³/s]."""
        return self.diffusivity * (pairs.radius * pairs.overlap) ** 0.5
