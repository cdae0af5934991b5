"""Merged contacts with several pieces of a wall: exponent of the overlap, and joint history.

When two contacts of a sphere with one wall become one, the forces of their springs are added. The sum is reduced if the
new spring would store more energy than both springs did. The energy of a spring is f²/2k, and k is proportional to the
root of `NormalForce.contact_area_measure`.
"""

import math
from operator import attrgetter

from dem.kernels import laws
from dem.kernels.compiler.jit import argument, inline, select
from dem.kernels.laws.interface import PARTS
from dem.kernels.numerics.vector import add, dot, scale

TINY = 1e-300  # keeps shares finite


power_of = select("part", PARTS, attrgetter("power"))


@inline
def composite_power(law, i, j):
    """Exponent of the normal force of a composed law, by which the terms of pieces of a wall are summed."""
    return power_of(law.normal, i, j)


exponent = select("law", {laws.Elastic: 1.5, laws.Composite: composite_power})


@inline
def joint_limit(square_a, area_a, square_b, area_b):
    """Largest magnitude of the joint spring of two merged contacts, from their squared springs and area measures."""
    stiff = math.sqrt(max(area_a, area_b))
    return math.sqrt(stiff * (square_a / (math.sqrt(area_a) + TINY) + square_b / (math.sqrt(area_b) + TINY)))


@inline
def join_vector_springs(a, b, area_a, area_b):
    """Join the tangential or rolling springs of two contacts that have merged."""
    total = add(a, b)
    limit = joint_limit(dot(a, a), area_a, dot(b, b), area_b)
    size = math.sqrt(dot(total, total))
    return scale(limit / size, total) if size > limit else total


@inline
def join_torsional_springs(a, b, area_a, area_b):
    """Join the torsional springs of two contacts that have merged: couple about the normal, and stiffness."""
    return (a[0] + b[0], max(a[1], b[1])) if a[0] * b[0] < 0.0 else a


FIRST = argument("a", 0)
# functions of (a, b, area_a, area_b): joint history of two contacts, by its number of columns
JOINED = (FIRST, FIRST, join_torsional_springs, join_vector_springs)
join_of = select("part", laws.rows_of("damping"), lambda row: JOINED[row.width], handed=False)


@inline
def join(law, a, b):
    """Joint history of two contacts that have merged."""
    normal, tangential, rolling, twisting, adhesion, area_measure = a
    g = b[5]
    slip = join_of(law.tangential, tangential, b[1], area_measure, g)
    roll = join_of(law.rolling, rolling, b[2], area_measure, g)
    twist = join_of(law.twisting, twisting, b[3], area_measure, g)
    return normal, slip, roll, twist, adhesion, max(area_measure, g)


@inline
def resistance(law, i, j, contact, history, half):
    """Coefficient of a contact's normal dashpot, η [N s/m]."""
    if contact.overlap <= 0.0:
        return 0.0
    normal_velocity = dot(contact.velocity, contact.normal)
    undamped, _ = laws.normal_force(law.normal, i, j, contact, normal_velocity, 2.0 * half, history[0])
    return laws.dashpot(law.damping, i, j, contact, undamped)
