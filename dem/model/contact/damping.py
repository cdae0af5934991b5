"""Words for normal damping other than by restitution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dem.base.typo_hints import hinted
from dem.model.contact.law_component import Part, kind, number

if TYPE_CHECKING:
    from dem.model.contact.law_component import Table


class Damping(Part):
    """What damps normal motion, in place of a restitution."""

    SLOT: ClassVar[str] = "damping"

    def tables(self, table: Table) -> tuple:
        """What kernels go by, for all pairs."""
        raise NotImplementedError


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Viscoelastic(Damping):
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

    type: str = kind("viscoelastic")
    time: float = number("of relaxation, A", unit="s", least=0, example=1e-6)

    def tables(self, table: Table) -> tuple:
        """Of times."""
        from dem.kernels.laws import Viscoelastic as Tables  # noqa: PLC0415

        return Tables(table(lambda contact, *_: contact.damping.time if contact.damping else 0.0))


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Dashpot(Damping):
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

    type: str = kind("dashpot")
    coefficient: float = number("force over normal speed", unit="N s/m", least=0, example=0.01)

    def tables(self, table: Table) -> tuple:
        """Of coefficients."""
        from dem.kernels.laws import Dashpot as Tables  # noqa: PLC0415

        return Tables(table(lambda contact, *_: contact.damping.coefficient if contact.damping else 0.0))
