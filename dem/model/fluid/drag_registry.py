"""Registry of drag laws: names, ranges of validity, and laws of other packages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from dem.base import checks
from dem.base.imports import load_registered

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = "dem.drags"  # entry-point group of modules that register a drag law, by its name; any package may add to it


class Correlation(NamedTuple):
    """A correlation, and its ranges of Reynolds numbers of translation and of rotation.

    And from which voidage: laws that have one are of dense beds.
    """

    most: float = math.inf
    most_turning: float = math.inf
    least: float = 0.0
    least_voidage: float = -math.inf
    law: str = ""  # module and type of a drag law in `dem.kernels.fluid`


DRAGS = {
    "stokes": Correlation(0.1, law="stokes.Stokes"),
    "schiller-naumann": Correlation(2e5, law="schiller_naumann.SchillerNaumann"),  # the boundary layer turns turbulent
    "hoelzer-sommerfeld": Correlation(2e5, law="hoelzer_sommerfeld.HoelzerSommerfeld"),
    "rosendahl": Correlation(1500.0, least=30.0, law="rosendahl.Rosendahl"),  # of the cross-flow principle
    "zastawny": Correlation(300.0, least=1.0, law="zastawny.Zastawny"),  # below, fits miss Stokes' limit
    "di-felice": Correlation(1e4, least_voidage=0.36, law="di_felice.DiFelice"),
    # of Ergun's data, Re ε/(1 - ε) < 2500
    "gidaspow": Correlation(3e3, least_voidage=0.36, law="gidaspow.Gidaspow"),
    "huilin-gidaspow": Correlation(3e3, least_voidage=0.36, law="gidaspow.HuilinGidaspow"),
    "beetstra": Correlation(2e3, least_voidage=0.4, law="beetstra.Beetstra"),  # ε Re < 1000
}
BUILT_IN = tuple(DRAGS)
REGISTERED: dict[str, Callable[[list], tuple]] = {}  # laws of other packages: what makes one of bodies, by name


def is_dense(drag: str) -> bool:
    """Whether a drag law is for dense beds and depends on the voidage."""
    return DRAGS[drag].least_voidage > -math.inf


def register_drag(
    name: str, law: type, formula: Callable, *, reynolds: tuple[float, float] = (0.0, math.inf),
    least_voidage: float | None = None, of_bodies: Callable[[list], tuple] | None = None,
) -> None:  # fmt: skip
    """Register a drag law for `Fluid`, case files, files of runs and the kernels.

    Register a law where its module defines it. An entry point of the group of drags, with this name and the module,
    lets case files and the command line find it, see ``dem guide own``.

    Parameters
    ----------
    name : str
        Name of the law in `Fluid` and case files.
    law : type
        A NamedTuple of numbers that the formula reads; without fields if it needs none.
    formula : function
        Compiled by `dem.kernels.compiler.jit.inline`. Of few particles, ``drag(part, medium, g, reynolds, slip)``: the
        resistance along the three body axes of variant g [N s/m], with slip = u - v in the body frame [m/s]. Of dense
        beds, ``factor(part, reynolds, voidage)``: drag over that of Stokes, for the velocity relative to the fluid.
    reynolds : (2,) floats
        From which to which Reynolds number the law holds; verdicts warn outside.
    least_voidage : float, optional
        Of a law of dense beds, the least voidage, a volume fraction, for which it holds. The first field of the law is
        then ``whole``: 1 if the pressure gradient that drag causes is counted with it, else 0.
    of_bodies : function, optional
        What makes the law, of the pairs (shape, spheroid) of all variants; default: the law without arguments. Not of
        dense beds.

    Raises
    ------
    ValueError, TypeError
        If the name is taken, or a value out of range.

    Examples
    --------
    >>> import dem
    >>> from typing import NamedTuple
    >>> from dem.kernels.compiler.jit import inline
    >>> from dem.kernels.numerics.vector import load, scale
    >>> class Oseen(NamedTuple):
    ...     "Selects Oseen's correction, C_D = 24/Re (1 + 3/16 Re)."
    >>> @inline
    ... def drag(part, medium, g, reynolds, slip):
    ...     return scale(medium.viscosity * (1.0 + 0.1875 * reynolds), load(medium.translation, g))
    >>> dem.register_drag("oseen", Oseen, drag, reynolds=(0.0, 5.0))
    >>> dem.Fluid(density=1000.0, viscosity=1e-3, drag="oseen").laws["oseen"].most
    5.0
    >>> unregister_drag("oseen")
    """
    from dem.kernels import fluid as fluids  # noqa: PLC0415, runs are read without numba

    checks.text("name", name)
    least, most = (checks.number("reynolds", value, least=0) if value < math.inf else value for value in reynolds)
    if name in BUILT_IN:
        raise ValueError(f"name of a drag law is {name!r}, which is one of dem: choose another")
    if not (isinstance(law, type) and hasattr(law, "_fields")) or not callable(formula):
        message = f"drag law {name} has the type {law!r} and {formula!r}, expected a NamedTuple and a formula"
        raise TypeError(message)
    dense = least_voidage is not None
    voidage = checks.number("least_voidage", least_voidage, least=0, most=1) if dense else -math.inf
    fluids.add_drag(law, formula, dense=dense)
    DRAGS[name] = Correlation(most, least=least, least_voidage=voidage)
    REGISTERED[name] = law if dense else of_bodies or (lambda _: law())


def unregister_drag(name: str) -> None:
    """Unregister the drag law of this name."""
    del REGISTERED[checks.one_of("registered drag", name, REGISTERED)], DRAGS[name]


def known_drag(name: str) -> str:
    """Check the name of a drag law, and import the package that has it; raises ValueError for unknown names."""
    return load_registered(GROUP, "drag", name, DRAGS, by="register_drag")
