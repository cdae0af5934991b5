"""Law components for users: normal forces, damping, rolling and twisting resistance, adhesion.

`dem.kernels.laws` has their formulae.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dem.base import checks
from dem.base.user_classes import hinted
from dem.model.contact import restitution
from dem.model.contact.law_component import LawPart, choice, flag, kind, number

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from dem.model.contact.law_component import LawTables

STIFFNESS = 2.25  # of rolling, over μ_r², of spheres: J. Ai et al., Powder Technol. 206 (2011) 269, eq. (20)
TANGENTIAL = 2 / 7  # of the normal stiffness: a slip is then exactly reversed in an undamped impact of spheres
SIDEWAYS = "tangential stiffness over the normal one"


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Hertz(LawPart):
    """Elastic spheres, F = 4/3 E* √(R* δ³); Johnson (1985), eq. (4.22). The default.

    Examples
    --------
    The force of two spheres of R = 5 mm that overlap by 0.1 mm:

    >>> import dem, math
    >>> glass = dem.Material(young=5e6, poisson=0.3, density=2500.0, normal=Hertz())
    >>> balls = dem.Particles(dem.Sphere(diameter=0.01), glass, position=[[0, 0, 0], [0.0099, 0, 0]])
    >>> force = dem.Simulation(balls, gravity=(0, 0, 0), time_step=1e-5).contact_forces().force[0, 0]
    >>> round(float(-force), 9) == round(4 / 3 * glass.effective_modulus(glass) * math.sqrt(0.0025 * 1e-4**3), 9)
    True
    """

    SLOT, TABLES = "normal", "hertz.Hertz"
    type: str = kind("hertz")

    def shear(self, mindlin: float) -> float:
        """Tangential stiffness over normal force over overlap, 6 G*/E*."""
        return mindlin

    def alpha(self, wanted: float) -> float:
        """α of Tsuji et al. (1992) for a wanted restitution."""
        return restitution.damping(wanted)

    def dashpot(self, shear: float) -> float:
        """Tangential dashpot over the normal one, √(2/3 shear)."""
        return math.sqrt(2 / 3 * shear)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Linear(LawPart):
    """Linear spring, F = k δ, whose contacts last equally long at any speed (Cundall & Strack 1979).

    Parameters
    ----------
    stiffness : float, optional
        k [N/m]; or else one of:
    collision_time : float, optional
        Duration of an impact of two bodies [s], damping included; k is then proportional to their reduced mass.
    overlap, speed : float, optional
        Largest overlap [m] of an undamped impact at a speed [m/s]; k is proportional to the reduced mass as well.
        A speed alone: the overlap is that of Hertz's law, so that k follows from Young's modulus, radius and mass,
        16/15 E* √R* (15 m* v²/(16 E* √R*))^(1/5), the "characteristic velocity" of LIGGGHTS.
    tension : bool
        Whether contacts end when the surfaces part, having pulled at each other (LAMMPS, MercuryDPM), instead of when
        the force vanishes.
    tangential : float
        Tangential stiffness over k.

    Raises
    ------
    ValueError, TypeError
        If k is given more or less than once, or a value is out of range.

    Examples
    --------
    >>> Linear(stiffness=1000.0)
    Linear(stiffness=1000.0, tension=False, tangential=0.2857142857142857)
    >>> round(Linear(collision_time=1e-3).rate(wanted=1.0), 3)  # k/m* = (π/t)², without losses
    9869604.401
    """

    SLOT, TABLES = "normal", "linear.Linear"
    type: str = kind("linear")
    stiffness: float | None = number("k", unit="N/m", above=0, default=None, example=1000.0)
    collision_time: float | None = number(
        "duration of an impact, in place of k", unit="s", above=0, default=None, example=1e-4
    )
    overlap: float | None = number(
        "largest one of an impact at `speed`, in place of k", unit="m", above=0, default=None, example=1e-5
    )
    speed: float | None = number(
        "of that impact; alone: its overlap is Hertz's", unit="m/s", above=0, default=None, example=1.0
    )
    tension: bool = flag("whether surfaces pull before they part")
    tangential: float = number(SIDEWAYS, above=0, default=TANGENTIAL, example=TANGENTIAL)

    def _fits(self) -> None:
        """Refuse a stiffness that is given twice or not at all."""
        ways = ("stiffness", "collision_time", "overlap", "speed")
        given = tuple(name for name in ways if getattr(self, name) is not None)
        if given not in (("stiffness",), ("collision_time",), ("overlap", "speed"), ("speed",)):
            raise ValueError(
                f"dem.Linear has {' and '.join(given) or 'no stiffness'}, expected stiffness, or collision_time, or "
                "overlap and speed, or speed alone"
            )

    def tables(self, pairs: LawTables) -> tuple:
        """Tables of stiffnesses, or of rates from which the mass of a pair makes stiffnesses."""
        from dem.kernels.laws import Linear as Tables  # noqa: PLC0415

        return Tables(
            stiffness=pairs.values("normal", "stiffness"),
            rate=pairs(lambda contact, *_: contact.normal.rate(contact.restitution)),
            pulls=pairs.values("normal", "tension"),
            speed=pairs(lambda contact, *_: 0.0 if contact.normal.overlap else contact.normal.speed or 0.0),
        )

    def alpha(self, wanted: float) -> float:
        """α of a wanted restitution: twice the damping ratio."""
        return 2 * restitution.ratio(wanted, tension=self.tension)

    def rate(self, wanted: float) -> float:
        """Stiffness over reduced mass [1/s²], from a given collision time or overlap; 0 without these."""
        if self.collision_time:
            return (restitution.duration(self.alpha(wanted) / 2, tension=self.tension) / self.collision_time) ** 2
        return (self.speed / self.overlap) ** 2 if self.overlap else 0.0


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Hysteretic(LawPart):
    """Plastic contacts: springs that are stiffer when they unload (Walton & Braun 1986; Luding 2008).

    Restitution follows from the stiffnesses, and is the same at any speed unless there is a depth.

    Parameters
    ----------
    loading : float
        k_1 [N/m].
    unloading : float
        k_2 [N/m], no less than k_1; with a depth that of the deepest contacts, k_p.
    cohesion : float
        k_c [N/m], not negative: contacts pull by k_c δ at most before surfaces part.
    depth : float, optional
        φ_f: the plastic overlap of the deepest contacts, over 2 R*; k_2 then goes from k_1 to k_p as contacts get
        deeper. Default: the same k_2 at any overlap.
    tangential : float
        Tangential stiffness over k_1.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> spring = Hysteretic(loading=1000.0, unloading=1600.0, cohesion=400.0)
    >>> round(spring.restitution(), 12), spring.sticks()
    (0.761577310586, False)
    """

    SLOT, TABLES = "normal", "hysteretic.Hysteretic"
    type: str = kind("hysteretic")
    loading: float = number("stiffness k_1", unit="N/m", above=0, example=1000.0)
    unloading: float = number("stiffness k_2, no less", unit="N/m", above=0, example=1600.0)
    cohesion: float = number("largest pull over overlap", unit="N/m", least=0, default=0.0, example=400.0)
    depth: float | None = number("largest plastic overlap over 2 R*", above=0, default=None, example=0.05)
    tangential: float = number(SIDEWAYS, above=0, default=TANGENTIAL, example=TANGENTIAL)

    ELASTIC: ClassVar[bool] = False

    def _fits(self) -> None:
        """Refuse springs that are softer when they unload, and a depth without a difference."""
        checks.number("unloading", self.unloading, least=self.loading, unit="N/m")
        if self.depth and self.unloading == self.loading:
            raise ValueError(f"depth is {self.depth}, which needs unloading ({self.unloading}) above loading")

    def tables(self, pairs: LawTables) -> tuple:
        """Tables of stiffnesses, and of the overlap beyond which contacts are elastic."""
        from dem.kernels.laws import Hysteretic as Tables  # noqa: PLC0415

        values = (pairs.values("normal", name) for name in ("loading", "unloading", "cohesion"))
        return Tables(*values, depth=pairs(lambda contact, *_: contact.normal.elastic_beyond()))

    def elastic_beyond(self) -> float:
        """Overlap beyond which contacts are elastic, over R*; 0 if none are."""
        return 2 * self.depth * self.unloading / (self.unloading - self.loading) if self.depth else 0.0

    def restitution(self) -> float:
        """Coefficient of restitution of an impact without other losses, 0 if the particles stick.

        e² = k_1/k_2 - k_c (k_2 - k_1)²/(k_1 k_2 (k_2 + k_c)).

        Raises
        ------
        ValueError
            If there is a depth: it then depends on speed.
        """
        if self.depth:
            raise ValueError(f"the restitution of {self} depends on speed")
        k_1, k_2, k_c = self.loading, self.unloading, self.cohesion
        return math.sqrt(max(k_1 / k_2 - k_c * (k_2 - k_1) ** 2 / (k_1 * k_2 * (k_2 + k_c)), 0.0))

    def sticks(self) -> bool:
        """Whether two particles stick after an impact of any speed: k_2 > 2 k_1 and k_c ≥ k_1²/(k_2 - 2 k_1).

        Raises
        ------
        ValueError
            If there is a depth: it then depends on speed.
        """
        return self.restitution() == 0


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class EEPA(LawPart):
    """Plastic contacts that stick the more, the harder they were pressed (Thakur et al. 2014), for cohesive powders.

    The Edinburgh elasto-plastic adhesive law: loading F = k_1 δ^n, unloading and reloading F = k_2 (δ^n - δ_p^n) with
    k_2 = k_1/(1 - λ) and the plastic overlap δ_p = λ^(1/n) δ_max, but not less than the adhesive limit -k_a δ^χ. Its
    largest pull is 3/2 π Δγ √(2 R* δ_p), and ½ k_2 δ_p^n at most. Friction goes by F + k_a δ^χ. A constant pull at
    touching, f_0 of the source, is `DMT` as the adhesion.

    Parameters
    ----------
    plasticity : float
        λ = 1 - k_1/k_2, a ratio from 0 to below 1.
    surface_energy : float
        Δγ [J/m²], not negative; it needs a plasticity.
    exponent : float
        n, at least 1.
    adhesive_exponent : float
        χ, at least 1.
    stiffness : float, optional
        k_1 [N/m^n]. Default, for n = 1.5 only: that of Hertz's law, 4/3 E* √R*.
    tangential : float, optional
        Tangential stiffness over F/δ of loading. Default: Mindlin's with Hertz's stiffness, else 2/7.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or no stiffness follows from Young's moduli.

    Examples
    --------
    >>> EEPA(plasticity=0.5, surface_energy=0.2)
    EEPA(plasticity=0.5, surface_energy=0.2, exponent=1.5, adhesive_exponent=1.5)
    >>> round(EEPA(plasticity=0.5).restitution(), 6)
    0.667039
    """

    SLOT, TABLES = "normal", "eepa.EEPA"
    type: str = kind("eepa")
    plasticity: float = number("1 - k_1/k_2, below 1", least=0, default=0.5, example=0.5)
    surface_energy: float = number("of adhesion, Δγ", unit="J/m2", least=0, default=0.0, example=0.2)
    exponent: float = number("of loading and unloading, n", least=1, default=1.5, example=1.5)
    adhesive_exponent: float = number("of the adhesive limit, χ", least=1, default=1.5, example=1.5)
    stiffness: float | None = number("k_1, if not that of Hertz", unit="N/m^n", above=0, default=None, example=1e6)
    tangential: float | None = number(SIDEWAYS, above=0, default=None, example=TANGENTIAL)

    ALIKE: ClassVar[tuple[str, ...]] = ("exponent", "adhesive_exponent")
    ELASTIC: ClassVar[bool] = False

    def _fits(self) -> None:
        """Refuse ideal plasticity, adhesion of elastic contacts, and an exponent that asks for a stiffness."""
        if self.plasticity >= 1:
            raise ValueError(f"plasticity is {self.plasticity}, expected less than 1: contacts return some energy")
        if self.surface_energy and not self.plasticity:
            raise ValueError(
                f"surface_energy is {self.surface_energy} J/m2 with plasticity 0, which leaves no patch to adhere: "
                "give plasticity, or take dem.JKR"
            )
        if self.stiffness is None and self.exponent != 1.5:
            raise ValueError(f"exponent is {self.exponent}, and Hertz's stiffness is of 1.5: give stiffness [N/m^n]")

    def shear(self, mindlin: float) -> float:
        """Tangential stiffness over normal force over overlap: Mindlin's with Hertz's stiffness."""
        return self.tangential or (mindlin if self.stiffness is None else TANGENTIAL)

    def dashpot(self, shear: float) -> float:
        """Tangential dashpot over the normal one, √(shear/n), as for Hertz's law."""
        return math.sqrt(shear / self.exponent)

    def restitution(self) -> float:
        """Coefficient of restitution of an impact without other losses, e² = (1 - (n+1) λ + n λ^((n+1)/n))/(1 - λ).

        Raises
        ------
        ValueError
            With a surface energy: it then depends on speed.
        """
        if self.surface_energy:
            raise ValueError(f"the restitution of {self} depends on speed")
        n, ratio = self.exponent, self.plasticity
        return math.sqrt((1 - (n + 1) * ratio + n * ratio ** ((n + 1) / n)) / (1 - ratio))

    def pull_off(self, radius: float, overlap: float, modulus: float = 0.0) -> float:
        """Largest pull of a contact that was pressed to an overlap.

        Parameters
        ----------
        radius : float
            Effective radius R* [m].
        overlap : float
            Largest overlap δ_max [m].
        modulus : float
            Effective modulus E* [Pa], needed if k_1 is that of Hertz's law.

        Returns
        -------
        float
            [N].

        Raises
        ------
        ValueError, TypeError
            For values below zero, or if k_1 is that of Hertz's law and there is no modulus.
        """
        radius = checks.number("radius", radius, least=0, unit="m")
        overlap = checks.number("overlap", overlap, least=0, unit="m")
        modulus = checks.number("modulus", modulus, least=0, unit="Pa")
        if self.stiffness is None and not modulus > 0:
            raise ValueError(f"modulus is {modulus:g} Pa, expected E* of the two bodies, of which {self} makes k_1")
        k_1 = self.stiffness or 4 / 3 * modulus * math.sqrt(radius)
        plastic = self.plasticity ** (1 / self.exponent) * overlap
        free = 1.5 * math.pi * self.surface_energy * math.sqrt(2 * radius * plastic)
        return min(free, 0.5 * k_1 / (1 - self.plasticity) * plastic**self.exponent)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class PowerLaw(LawPart):
    """A spring F = k δ^n.

    Parameters
    ----------
    stiffness : float
        k [N/m^n].
    exponent : float
        n, at least 1.
    tangential : float
        Tangential stiffness over F/δ.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> PowerLaw(stiffness=1e7, exponent=2)
    PowerLaw(stiffness=10000000.0, exponent=2.0, tangential=0.2857142857142857)
    >>> round(PowerLaw(stiffness=1e7, exponent=1.5).alpha(wanted=0.5), 9) == round(Hertz().alpha(wanted=0.5), 9)
    True
    """

    SLOT, TABLES = "normal", "power.Power"
    type: str = kind("power")
    stiffness: float = number("k", unit="N/m^n", above=0, example=1000.0)
    exponent: float = number("n", least=1, example=1.5)
    tangential: float = number(SIDEWAYS, above=0, default=TANGENTIAL, example=TANGENTIAL)

    ALIKE: ClassVar[tuple[str, ...]] = ("exponent",)

    def alpha(self, wanted: float) -> float:
        """√(2 (n + 1)) times the damping ratio, see `dem.kernels.laws.power`."""
        return restitution.ratio(wanted) * math.sqrt(2 * (self.exponent + 1))

    def dashpot(self, shear: float) -> float:
        """Tangential dashpot over the normal one, √(shear/n), as for Hertz's law."""
        return math.sqrt(shear / self.exponent)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Viscoelastic(LawPart):
    """Viscoelastic spheres, whose restitution falls with speed (Brilliantov et al. 1996); with Hertz's force or JKR.

    F = K (δ^(3/2) + 3/2 A √δ δ').

    Parameters
    ----------
    time : float
        A [s], not negative.

    Raises
    ------
    ValueError, TypeError
        If it is out of range.

    Examples
    --------
    >>> Viscoelastic(time=1e-6)
    Viscoelastic(time=1e-06)
    """

    SLOT, TABLES = "damping", "viscoelastic.Viscoelastic"
    type: str = kind("viscoelastic")
    time: float = number("of relaxation, A", unit="s", least=0, example=1e-6)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Dashpot(LawPart):
    """A dashpot of constant coefficient, F = F_el + c δ'.

    Parameters
    ----------
    coefficient : float
        c [N s/m], not negative.

    Raises
    ------
    ValueError, TypeError
        If it is out of range.

    Examples
    --------
    >>> Dashpot(coefficient=0.01)
    Dashpot(coefficient=0.01)
    """

    SLOT, TABLES = "damping", "dashpot.Dashpot"
    type: str = kind("dashpot")
    coefficient: float = number("force over normal speed", unit="N s/m", least=0, example=0.01)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Rolling(LawPart):
    """Resistance to rolling: a couple up to μ_r R* F_n, like friction's force (Luding 2008; Ai et al. 2011, type C).

    Parameters
    ----------
    friction : float
        μ_r, of the effective radius R*, not negative: a sphere stays at rest on a slope of up to atan μ_r.
    model : "spring" or "constant"
        With a spring, whose couple grows with the angle rolled and holds particles at rest; or a couple that is the
        same at any angle (Ai et al., type A) and does not hold them at rest.
    stiffness : float, optional
        Stiffness of the spring, over F_n/δ; default 2.25 μ_r² (Ai et al. 2011, eq. (20)).
    damping : float
        Damping of the spring, over critical damping.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> Rolling(friction=0.1)
    Rolling(friction=0.1, model='spring', damping=0.3)
    >>> round(Rolling(friction=0.1).spring(), 9)  # 2.25 μ_r²
    0.0225
    """

    SLOT = "rolling"
    type: str = kind("rolling")
    friction: float = number("largest couple over R* F_n", least=0, example=0.1)
    model: str = choice("of the couple", "spring", "constant")
    stiffness: float | None = number(
        "of the spring over F_n/δ; default: 2.25 times friction squared", above=0, default=None, example=0.0225
    )
    damping: float = number("of the spring over critical damping", least=0, default=0.3, example=0.3)

    def tables(self, pairs: LawTables) -> tuple:
        """Tables of friction, and of the spring if there is one."""
        from dem.kernels import laws  # noqa: PLC0415

        friction = pairs.values("rolling", "friction")
        if self.model == "constant":
            return laws.ConstantTorque(friction)
        stiffness = pairs(lambda contact, *_: contact.rolling.spring() if contact.rolling else 0.0)
        return laws.Rolling(friction, stiffness, pairs.values("rolling", "damping"))

    def spring(self) -> float:
        """Stiffness of the spring over normal force over overlap."""
        return self.stiffness or STIFFNESS * self.friction**2


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Twisting(LawPart):
    """Resistance to twisting about the normal, from the same friction as sliding.

    Parameters
    ----------
    model : "hertz" or "marshall"
        Stiffness 8/3 G a³ (two equal spheres, Lubkin 1951) and largest couple 3π/16 μ a F_n, exact under Hertz's
        pressure; or k_t a²/2 and 2/3 μ a F_n (Marshall 2009).

    Raises
    ------
    ValueError
        For an unknown model.

    Examples
    --------
    >>> Twisting()
    Twisting(model='hertz')
    """

    SLOT = "twisting"
    type: str = kind("twisting")
    model: str = choice("of stiffness and largest couple", "hertz", "marshall")

    def tables(self, pairs: LawTables) -> tuple:
        """Tables of friction, and of the stiffness and dashpot of friction."""
        from dem.kernels import laws  # noqa: PLC0415

        exact = self.model == "hertz"
        share = 3 * math.pi / 16 if exact else 2 / 3

        def of_shear(contact: Any, one: Any, other: Any) -> float:  # noqa: ANN401, a Contact and two Materials
            if not contact.twisting:
                return 0.0
            if exact:  # 8/3 G of two equal materials
                whole = 16 / 3 / sum(2 * (1 + m.poisson) / m.young for m in (one, other))
                return whole / (8 * one.effective_shear_modulus(other))
            return 0.5

        slides = pairs(lambda contact, *_: share * contact.friction if contact.twisting else 0.0)
        return laws.Twisting(slides, pairs.shear * pairs(of_shear), pairs.dashpot)


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

    SLOT, TABLES = "adhesion", "dmt.DMTAdhesion"
    type: str = kind("dmt")
    work: float = number("of adhesion", unit="J/m2", least=0, example=0.05)

    def pull_off(self, radius: float) -> float:
        """Largest pull [N] of a contact of this effective radius R* [m]; raises ValueError if it is negative."""
        radius = checks.number("radius", radius, least=0, unit="m")
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
        """Largest pull [N] of a contact of this effective radius R* [m]; raises ValueError if it is negative."""
        radius = checks.number("radius", radius, least=0, unit="m")
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
            raise ValueError(f"angle is {self.angle:g} rad, expected less than π/2: beyond, a bridge pushes")

    def tables(self, pairs: LawTables) -> tuple:
        """Tables of volumes, strengths and rupture distances."""
        from dem.kernels.laws import Bridge as Tables  # noqa: PLC0415

        def table(value: Callable[[Bridge], float]) -> np.ndarray:
            return pairs(lambda contact, *_: value(contact.adhesion) if contact.adhesion else 0.0)

        return Tables(
            volume=table(lambda bridge: bridge.volume),
            tension=table(lambda bridge: bridge.tension * math.cos(bridge.angle)),
            length=table(lambda bridge: (1 + bridge.angle / 2) * bridge.volume ** (1 / 3)),
            more=table(
                lambda bridge: (bridge.rupture == "willett") * (1 + bridge.angle / 2) * 0.1 * bridge.volume ** (2 / 3)
            ),
        )

    def pull_off(self, radius: float) -> float:
        """Largest pull [N] of a contact of this effective radius R* [m]; raises ValueError if it is negative."""
        radius = checks.number("radius", radius, least=0, unit="m")
        return 4 * math.pi * radius * self.tension * math.cos(self.angle)
