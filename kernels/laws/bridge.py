"""Liquid bridges: they form when surfaces touch, pull beyond touch, and rupture.

C. D. Willett, M. J. Adams, S. A. Johnson, J. P. K. Seville, Langmuir 16 (2000) 9396, in the form of S. Herminghaus,
Adv. Phys. 54 (2005) 221: with R̄ = 2 R* (the radius of equal spheres, twice the radius at a wall), volume V, surface
tension γ, contact angle θ, gap S and Ŝ = S √(R̄/V)

    F = -2π R̄ γ cos θ/(1 + 1.05 Ŝ + 2.5 Ŝ²)

and F(0) while surfaces overlap; for V/R̄³ < 0.1 and θ < 50°. Bridges rupture at S_c = (1 + θ/2) V^(1/3) (G. Lian,
C. Thornton, M. J. Adams, J. Colloid Interface Sci. 161 (1993) 138), or at (1 + θ/2) (V^(1/3) + 0.1 V^(2/3)/R̄) (Willett
et al.). The energy is that of pulling a bridge to its rupture, where it is zero; a bridge that forms loses all of it
at once. The force begins and ends with a jump; the weights of ``first_step`` keep impacts of second order.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.first_step import (
    constant_weight,
    end_correction_of_constant,
    first_step_fraction,
    last_step_fraction,
)
from dem.kernels.laws.interface import PARTS, AdhesionForce, law_component

TINY = 1e-300  # m³, of pairs without liquid
ROOT = math.sqrt(10.0 - 1.05 * 1.05)


class Bridge(NamedTuple):
    """Liquid bridges between surfaces of two materials: volume, tension and rupture length."""

    volume: np.ndarray  # (A, A) V of two materials [m³]
    tension: np.ndarray  # (A, A) γ cos θ [N/m]
    length: np.ndarray  # (A, A) (1 + θ/2) V^(1/3) [m]
    more: np.ndarray  # (A, A) (1 + θ/2) 0.1 V^(2/3) [m²], or 0: rupture is at length + more/R̄


@inline
def cutoff(part, i, j, modulus, radius):
    """Gap S_c at which a bridge ruptures [m]."""
    return part.length[i, j] + 0.5 * part.more[i, j] / radius


@inline
def pull(part, i, j, radius):
    """Pull of a bridge at touch, 2π R̄ γ cos θ [N]."""
    return 2.0 * math.pi * (2.0 * radius) * part.tension[i, j]


@inline
def force(strength, scaled):
    """Pull of a bridge [N]: strength 2π R̄ γ cos θ, gap Ŝ."""
    return strength / (1.0 + 1.05 * scaled + 2.5 * scaled * scaled)


@inline
def work(strength, stretch, scaled, end):
    """Work that pulls a bridge from the gap Ŝ to its end [J]; `stretch` is √(V/R̄) [m]."""
    angle = math.atan((5.0 * end + 1.05) / ROOT) - math.atan((5.0 * scaled + 1.05) / ROOT)
    return 2.0 / ROOT * strength * stretch * angle


@inline
def bind(part, i, j, contact, normal_force, normal_velocity, dt, was_in_contact):
    """Normal force of a bridge.

    part, i, j, contact, normal_force, normal_velocity, dt: see `dem.kernels.laws`.
    was_in_contact: 1 if the bridge existed at the last step, else 0.
    Returns `AdhesionForce`, memory.
    """
    volume, radius = part.volume[i, j], 2.0 * contact.radius
    end = cutoff(part, i, j, 0.0, contact.radius)
    remaining = end + contact.overlap
    strength, stretch = pull(part, i, j, contact.radius), math.sqrt(max(volume, TINY) / radius)
    if remaining <= 0.0:  # it has ruptured in the last step
        correction = end_correction_of_constant(last_step_fraction(-remaining, normal_velocity, dt))
        return AdhesionForce(
            force=-correction * force(strength, end / stretch), energy=0.0, instantaneous_dissipation=0.0, holds=False
        ), 1.0
    gap = max(-contact.overlap, 0.0) / stretch
    weight = 1.0 if was_in_contact > 0.0 else constant_weight(first_step_fraction(contact, normal_velocity, dt))
    return AdhesionForce(
        force=-weight * force(strength, gap),
        energy=-work(strength, stretch, gap, end / stretch) - strength * max(contact.overlap, 0.0),
        instantaneous_dissipation=0.0 if was_in_contact > 0.0 else work(strength, stretch, 0.0, end / stretch),
        holds=True,
    ), 1.0  # fmt: skip


PARTS[Bridge] = law_component(bind, history=1, cutoff=cutoff, pull=pull)
