"""The normal forces of contacts as powers of the overlap, F = k δ^p: how deep impacts go, and how long they last."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels import laws

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.soft.state import Kinds

_gamma = np.vectorize(math.gamma, otypes=[float])


def duration(power: float | np.ndarray) -> np.ndarray:
    """Duration of an elastic impact over √(m* δ/F) at its deepest.

    With δ(t) from ½ m* δ'² + k δ^(p+1)/(p+1) = const it is √(2 (p+1)) ∫₀¹ du/√(1 - u^(p+1)), and the integral is
    √π Γ(1 + 1/(p+1))/Γ(1/2 + 1/(p+1)): 3.291 for Hertz's law, half a period, π, for linear springs.

    Examples
    --------
    >>> round(float(duration(1.5)), 4), float(duration(1.0)) == math.pi
    (3.2907, True)
    """
    part = 1 / (np.asarray(power) + 1)
    return np.sqrt(2 / part) * (math.sqrt(math.pi) * _gamma(1 + part) / _gamma(0.5 + part))


class Spring(NamedTuple):
    """F = k δ^p of some contacts; numbers or arrays."""

    stiffness: np.ndarray  # k [N m^-p], the largest if there are several
    power: float | np.ndarray  # p
    loading: np.ndarray | None = None  # k while the contact is pressed in for the first time, if that is another one

    def energy(self, overlap: np.ndarray) -> np.ndarray:
        """Elastic energy [J] of an overlap [m]."""
        return self.stiffness * overlap ** (self.power + 1) / (self.power + 1)

    def overlap(self, energy: np.ndarray) -> np.ndarray:
        """Overlap [m] of an elastic energy [J]."""
        stiffness = self.stiffness if self.loading is None else self.loading
        return ((self.power + 1) * energy / stiffness) ** (1 / (self.power + 1))

    def time(self, mass: np.ndarray, overlap: np.ndarray) -> np.ndarray:
        """Duration of the elastic impact of an effective mass [kg] that is as deep as this at its deepest [s].

        Half a period, nearly, of small oscillations about that depth: what it says holds for a contact under load as
        well.
        """
        with np.errstate(divide="ignore"):
            return duration(self.power) * np.sqrt(mass / (self.stiffness * overlap ** (self.power - 1)))


def hertz(modulus: np.ndarray, radius: np.ndarray) -> Spring:
    """Of Hertz's law, K = 4/3 E* √R*, as `kernels.laws.hertz.stiffness`, of arrays."""
    return Spring(4 / 3 * modulus * np.sqrt(radius), 1.5)


def _hertz(part: laws.Hertz, i: np.ndarray, j: np.ndarray, contact: Contact) -> Spring:
    return hertz(contact.modulus, contact.radius)


def _hysteretic(part: laws.Hysteretic, i: np.ndarray, j: np.ndarray, contact: Contact) -> Spring:
    return Spring(part.unloading[i, j], 1.0, part.loading[i, j])


def _power(part: laws.Power, i: np.ndarray, j: np.ndarray, contact: Contact) -> Spring:
    return Spring(part.stiffness[i, j], part.exponent[i, j])


def _jkr(part: laws.JKR, i: np.ndarray, j: np.ndarray, contact: Contact) -> Spring:
    return hertz(contact.modulus, contact.radius)  # what adhesion adds, see `dem.soft.adhesion`


def _linear(part: laws.Linear, i: np.ndarray, j: np.ndarray, contact: Contact) -> Spring:
    return Spring(part.stiffness[i, j] + part.rate[i, j] * contact.reduced, 1.0)


FORMS: dict[type, Callable] = {  # by normal part
    laws.Hertz: _hertz,
    laws.Linear: _linear,
    laws.Hysteretic: _hysteretic,
    laws.Power: _power,
    laws.JKR: _jkr,
}


class Contact(NamedTuple):
    """What a normal force may depend on, beside materials; numbers or arrays."""

    modulus: np.ndarray  # E* [Pa]
    radius: np.ndarray  # R* [m]
    reduced: np.ndarray  # 1/(1/m_i + 1/m_j) of the bodies as wholes [kg]


class Springs:
    """Of all materials in a run, and the wall, which comes after the last of them."""

    def __init__(self, kinds: Kinds, law: tuple) -> None:
        self.normal = getattr(law, "normal", laws.Hertz())
        self.modulus = np.vstack([kinds.modulus, kinds.wall_modulus])  # (A + 1, A)
        self.wall = kinds.modulus.shape[0]

    def between(self, i: np.ndarray, j: np.ndarray, radius: np.ndarray, reduced: np.ndarray) -> Spring:
        """Spring of contacts of material i and material, or wall, j, of these R* and reduced masses."""
        contact = Contact(self.modulus[j, i], radius, reduced)
        return FORMS[type(self.normal)](self.normal, i, j, contact)
