"""Damping coefficients from coefficients of restitution."""

from __future__ import annotations

import math


def of_ratio(zeta: float) -> float:
    """Coefficient of restitution of a damped linear contact that ends when its force vanishes, for damping ratio ζ.

    e = exp(-2 ζ acos(ζ)/√(1 - ζ²)); beyond ζ = 1 with acosh and √(ζ² - 1). T. Schwager, T. Pöschel, Granul. Matter 9
    (2007) 465, eq. (21), of which this is both branches, with half angles in their arctangents.
    """
    if abs(zeta - 1.0) < 1e-6:
        return math.exp(-2.0 * (1.0 + 2.0 * zeta) / 3.0)  # both branches to first order in ζ - 1
    if zeta < 1.0:
        return math.exp(-2.0 * zeta * math.acos(zeta) / math.sqrt(1.0 - zeta * zeta))
    return math.exp(-2.0 * zeta * math.acosh(zeta) / math.sqrt(zeta * zeta - 1.0))


def restitution(damping: float) -> float:
    """Coefficient of restitution of the damped Hertz contact without tension, from its coefficient α.

    That of a damped oscillator with ζ = α/√5, see `dem.kernels.laws.damping`.

    Examples
    --------
    >>> round(restitution(0.2), 4)
    0.7664
    """
    return of_ratio(damping / math.sqrt(5.0))


def damping(wanted: float) -> float:
    """Coefficient α that gives a coefficient of restitution in (0, 1], by bisection to rounding."""
    low, high = 0.0, 1.0
    while restitution(high) > wanted:
        high *= 2.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if restitution(middle) > wanted else (low, middle)
    return low if wanted < 1.0 else 0.0


def ratio(wanted: float, *, tension: bool = False) -> float:
    """Damping ratio ζ of the linear contact with this restitution.

    With tension, contacts end when surfaces part: e = exp(-π ζ/√(1 - ζ²)).

    Examples
    --------
    >>> round(ratio(0.9), 10), round(ratio(0.9, tension=True), 10)
    (0.0342652041, 0.0335184491)
    """
    if not tension:
        return damping(wanted) / math.sqrt(5.0)
    decrement = -math.log(wanted)
    return decrement / math.hypot(math.pi, decrement)


def duration(zeta: float, *, tension: bool = False) -> float:
    """Duration of an impact of the linear contact times its undamped angular frequency √(k/m*).

    Examples
    --------
    >>> duration(0.0) == duration(0.0, tension=True) == math.pi
    True
    """
    if tension:
        return math.pi / math.sqrt(1 - zeta * zeta)
    if abs(zeta - 1.0) < 1e-6:
        return 2.0 * (1.0 - (zeta - 1.0) / 3.0)
    if zeta < 1.0:
        return 2.0 * math.acos(zeta) / math.sqrt(1.0 - zeta * zeta)
    return 2.0 * math.acosh(zeta) / math.sqrt(zeta * zeta - 1.0)
