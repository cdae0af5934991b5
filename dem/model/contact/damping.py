"""Words for normal damping other than by restitution."""

from __future__ import annotations

from dataclasses import dataclass

from dem.base.typo_hints import hinted
from dem.model.contact.law_component import LawPart, kind, number


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Viscoelastic(LawPart):
    """Viscoelastic spheres, whose restitution falls with speed (Brilliantov et al. 1996); with Hertz's force only.

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
