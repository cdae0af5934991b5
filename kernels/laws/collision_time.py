"""Duration and maximum overlap of impacts, for Python.

Nothing of this is compiled. The elastic force is k d^p, and an attraction beside it, or in its place, is h d^q. Here d
is the overlap; of JKR contacts, which are wider, d is the overlap of a Hertz contact with the same contact radius.
"""

import math
from typing import NamedTuple

import numpy as np

# Damping ratio up to which 50 steps a contact keep the energy error of an impact below 1 %: restitution 0.3
MILD_DAMPING = 0.56
_gamma = np.vectorize(math.gamma, otypes=[float])


def duration(power):
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


class ContactPairProperties(NamedTuple):
    """Properties of a pair on which a normal force may depend, besides materials; numbers or arrays."""

    modulus: np.ndarray  # E* [Pa]
    radius: np.ndarray  # R* [m]
    reduced: np.ndarray  # 1/(1/m_i + 1/m_j) of the bodies as wholes [kg]


class Spring(NamedTuple):
    """F = k δ^p of some contacts; numbers or arrays."""

    stiffness: np.ndarray  # k [N m^-p], the largest if there are several
    power: float | np.ndarray  # p
    loading: np.ndarray | None = None  # k while the contact is pressed in for the first time, if that is another one
    pull: float | np.ndarray = 0.0  # h [N m^-q]
    pull_power: float = 0.0  # q
    effective_overlap: object = None  # function of the overlap that returns d, if d is not the overlap
    damping_ratio: object = None  # function of m* [kg] and S [N/m] that returns η/(2 √(m* S)), if there is a dashpot

    def energy(self, overlap):
        """Elastic energy [J] of an overlap [m]."""
        return self.stiffness * overlap ** (self.power + 1) / (self.power + 1)

    def overlap(self, energy):
        """Overlap [m] of an elastic energy [J]."""
        stiffness = self.stiffness if self.loading is None else self.loading
        return ((self.power + 1) * energy / stiffness) ** (1 / (self.power + 1))

    def equilibrium_overlap(self):
        """d where pull and elastic force are in balance [m]; 0 where nothing pulls."""
        return (self.pull / self.stiffness) ** (1 / (self.power - self.pull_power))

    def time(self, mass, overlap):
        """Duration [s] of the elastic impact of an effective mass [kg] with this largest overlap [m].

        This is nearly half a period of small oscillations about that overlap, so it holds for a contact under load as
        well. Surfaces that attract each other count as pressed at least to the overlap of their equilibrium.
        """
        with np.errstate(divide="ignore"):
            time = duration(self.power) * np.sqrt(mass / self.secant(overlap))
        return np.minimum(time, self.time_at_rest(mass))

    def damping_factor(self, mass, overlap):
        """Factor by which the damping of an impact shortens time steps: ζ/`MILD_DAMPING`, at least 1; see `time`.

        A dashpot of the damping ratio ζ relaxes velocities in m*/η, which may be less than the duration of the contact.
        """
        if self.damping_ratio is None:
            return 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.damping_ratio(mass, self.secant(overlap))
        return np.where(overlap > 0, np.maximum(ratio / MILD_DAMPING, 1.0), 1.0)

    def secant(self, overlap):
        """k d^(p - 1) [N/m] at an overlap [m], or where pull and elastic force are in balance if d is less there."""
        deep = overlap if self.effective_overlap is None else self.effective_overlap(overlap)
        return self.stiffness * np.maximum(deep, self.equilibrium_overlap()) ** (self.power - 1)

    def slope(self, overlap):
        """Stiffness k p d^(p - 1) of the elastic force [N/m] at an overlap [m], as `secant`."""
        return self.power * self.secant(overlap)

    def time_at_rest(self, mass):
        """Upper bound of half a period of small oscillations about the balance of pull and elastic force [s]."""
        with np.errstate(divide="ignore"):
            balance = self.equilibrium_overlap()  # d is no wider
            slope = (self.power - self.pull_power) * self.stiffness * balance ** (self.power - 1)
            return np.where(np.asarray(self.pull) > 0, math.pi * np.sqrt(mass / slope), np.inf)

    def force_of_time(self, mass, time):
        """Largest repulsive force [N] under which contacts of an effective mass [kg] take at least a time [s]; or 0."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            secant = mass * (duration(self.power) / time) ** 2  # of the elastic force, at which they take that
            share, more = secant / self.stiffness, np.asarray(self.power) - 1  # share = d^more
            deep = share ** (1 / np.where(more == 0, 1, more))
            net = np.maximum(secant * deep - self.pull * deep**self.pull_power, 0.0)
            net = np.where(self.time_at_rest(mass) < time, 0.0, net)
            return np.where(more == 0, np.where(share >= 1, np.inf, 0.0), net)  # a linear spring's is its own


def hertz(modulus, radius):
    """Spring of Hertz's law, K = 4/3 E* √R*, as `dem.kernels.laws.hertz.stiffness`, of arrays."""
    return Spring(4 / 3 * modulus * np.sqrt(radius), 1.5)
