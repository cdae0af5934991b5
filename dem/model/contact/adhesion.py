"""Words for what attracts surfaces, see `dem.kernels.laws`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dem.base.typo_hints import hinted
from dem.model.contact.law_component import LawPart, choice, kind, number

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from dem.model.contact.law_component import LawTables


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class DMT(LawPart):
    """Adhesion of small, stiff spheres: a pull of 2π w R* while they touch (Derjaguin, Muller & Toporov 1975).

    For Tabor numbers below 0.1, see `JKR`. Friction goes by the force of the solids, as if the pull pressed from
    outside: its limit is μ (F + 2π w R*) with F the sum of both (Derjaguin 1934).

    Parameters
    ----------
    work : float
        Work of adhesion w [J/m²], not negative: twice the surface energy of equal materials.

    Raises
    ------
    ValueError
        If it is out of range.

    Examples
    --------
    >>> round(DMT(work=0.05).pull_off(0.0005), 10)  # [N]
    0.0001570796
    """

    SLOT, TABLES = "adhesion", "dmt.Adhesion"
    type: str = kind("dmt")
    work: float = number("of adhesion", unit="J/m2", least=0, example=0.05)

    def pull_off(self, radius: float) -> float:
        """Largest pull of a contact of this effective radius [m], in N."""
        return 2.0 * math.pi * self.work * radius


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class JKR(LawPart):
    """Adhesion of soft or large spheres, which stick until they are torn apart (Johnson, Kendall & Roberts 1971).

    In place of Hertz's force. Contacts begin where surfaces touch, pull by up to 3/2 π w R*, and live until they are
    3/4 (π² w² R*/E*²)^(1/3) apart; making and breaking one takes 7.09 (w⁵ R*⁴/E*²)^(1/3) of energy. For Tabor numbers
    (R* w²/(E*² z³))^(1/3) above 5, with the range z = 0.3 nm of molecular forces; below 0.1 take `DMT`. If E* is
    lowered for speed, contacts and their energies grow: w ∝ E*^(2/5) keeps the energy. Damping is that of the
    restitution, for the stiffness that such a wide contact has without adhesion; the limit of friction is
    μ |F + 3π w R*| (Thornton 1991).

    Parameters
    ----------
    work : float
        Work of adhesion w [J/m²], not negative: twice the surface energy of equal materials; usual are 0.01 to 0.1.

    Raises
    ------
    ValueError
        If it is out of range.

    Examples
    --------
    >>> round(JKR(work=0.05).pull_off(0.0005), 10)  # [N]
    0.0001178097
    """

    SLOT, ACTS_AS, TABLES = "adhesion", "normal", "jkr.JKR"
    type: str = kind("jkr")
    work: float = number("of adhesion", unit="J/m2", least=0, example=0.05)

    def pull_off(self, radius: float) -> float:
        """Largest pull of a contact of this effective radius [m], in N."""
        return 1.5 * math.pi * self.work * radius


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Bridge(LawPart):
    """Liquid bridge: forms where surfaces touch, pulls until it ruptures (Willett et al. 2000).

    With R̄ = 2 R*, which is the radius of equal spheres, the pull is 2π R̄ γ cos θ while surfaces overlap, and less over
    a gap. A bridge that forms loses the energy that pulling it apart will take. Each contact has a bridge of the same
    volume; friction goes by the force of the solids.

    Parameters
    ----------
    volume : float
        V [m³], positive; the formula is for V/R̄³ below 0.1.
    tension : float
        Surface tension γ [N/m], positive.
    angle : float
        Contact angle θ [rad], at least 0 and below π/2; the formula is for less than 50°.
    rupture : "lian" or "willett"
        At the gap (1 + θ/2) V^(1/3) (Lian et al. 1993), or (1 + θ/2) (V^(1/3) + 0.1 V^(2/3)/R̄) (Willett et al. 2000).

    Raises
    ------
    ValueError, TypeError
        If a value is out of range or missing.

    Examples
    --------
    >>> water = Bridge(volume=1.25e-13, tension=0.0728)
    >>> round(water.pull_off(0.00025), 10)  # [N]
    0.0002287079
    """

    SLOT, TABLES = "adhesion", "bridge.Bridge"
    type: str = kind("bridge")
    volume: float = number("of the liquid", unit="m3", above=0, example=1e-13)
    tension: float = number("of its surface", unit="N/m", above=0, example=0.0728)
    angle: float = number("of contact", unit="rad", least=0, default=0.0, example=0.5)
    rupture: str = choice("source of the rupture distance", "lian", "willett")

    def _fits(self) -> None:
        """Refuse a liquid that does not wet."""
        if self.angle >= math.pi / 2:
            message = f"angle is {self.angle:g} rad, expected less than π/2: beyond, a bridge pushes"
            raise ValueError(message)

    def tables(self, pairs: LawTables) -> tuple:
        """Of volumes, and what angle and rupture make of them."""
        from dem.kernels.laws import Bridge as Tables  # noqa: PLC0415

        def table(value: Callable[[Bridge], float]) -> np.ndarray:
            return pairs(lambda contact, *_: value(contact.adhesion) if contact.adhesion else 0.0)

        return Tables(
            volume=table(lambda word: word.volume),
            tension=table(lambda word: word.tension * math.cos(word.angle)),
            length=table(lambda word: (1 + word.angle / 2) * word.volume ** (1 / 3)),
            more=table(lambda word: (word.rupture == "willett") * (1 + word.angle / 2) * 0.1 * word.volume ** (2 / 3)),
        )

    def pull_off(self, radius: float) -> float:
        """Largest pull of a contact of this effective radius [m], in N."""
        return 4 * math.pi * radius * self.tension * math.cos(self.angle)
