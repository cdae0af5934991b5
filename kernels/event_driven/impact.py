"""Impacts of hard spheres with each other and with flat walls: times of impact, impulses, energy losses.

Impacts are binary and instantaneous (Hoomans et al., Chem. Eng. Sci. 51 (1996) 99; Foerster et al., Phys. Fluids 6
(1994) 1108). With the normal n from 2 to 1, the relative velocity at the contact is

q = v1 - v2 - (R1 ω1 + R2 ω2) × n,

and the impulse J on 1 makes n·q' = -e n·q and, where the surfaces stick, n × q' = -ξ n × q. If sticking takes more
than μ times the normal impulse, the surfaces slide, and the tangential impulse is μ times the normal one. Both spins
change by -(R/I) n × J. A wall is a partner of infinite mass that does not turn.

Lasting contacts (TC model, Luding & McNamara, Granular Matter 1 (1998) 113). Inelastic spheres can collide infinitely
often in finite time, such as a ball bouncing on a floor, or spheres in clusters. The model therefore has a contact time
t_c: an impact that comes τ < t_c after the last one of either partner belongs to a lasting contact and loses no energy.
For smooth spheres this means e = 1. For rough ones e = 1 is not enough: sticking with ξ < 1 and sliding take energy
from the bouncing too, so that spheres lying on each other would collide arbitrarily often. The rules within t_c are:

- Where surfaces stick, ξ = 1: the tangential velocity is reversed, as the normal one is. A contact with tangential
  bounces then neither loses energy nor creeps. Smooth spheres, ξ = -1, stay smooth.
- Where surfaces slide, e = 1 would lose energy. Instead the impulse lies on the edge of the friction cone,
  J ∝ n - μ q_t/|q_t|, and is so large that the energy is conserved: sliding sustains the bouncing, e > 1.
- This e is at most t_c/τ, so that no bounce lasts longer than t_c: the duration of a bounce is proportional to its
  initial speed. At this limit the rest of the energy is lost. So a ball that slides along a floor does not hop, and
  friction slows it down.

A bounce shorter than t_c loses energy only if it slides (t_c/τ)² times as fast as it bounces. So contacts at rest
consist of impacts about t_c apart, and normal and tangential impulses obey Coulomb's law at each impact. Simpler rules
fail: without friction within t_c a ball slides along a floor for ever, since all its impacts are elastic; ξ = 1 without
a limit reverses sliding; and with e = 1 and the friction of other impacts, spheres never come to rest.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, scale, subtract

ROUNDING = 2.0**-49  # 8 units in the last place: an approach slower than that, of spheres that touch, is none
AT_ONCE = 1e-9  # of the contact time: impacts that follow each other faster count as that fast


class ImpactLaw(NamedTuple):
    """Coefficients of restitution and friction of impacts."""

    restitution: float  # e, of the normal relative velocity
    tangential: float  # ξ, of the tangential one while sticking
    friction: float  # μ, tangential over normal impulse while sliding; infinite: always sticking


@inline
def will_collide(r, v1, v2, reach):
    """Whether two spheres in free flight, r apart, will touch: they approach, and pass at less than R1 + R2.

    Gravity accelerates both equally and drops out. Spheres that touch, or overlap by rounding, collide if they
    approach.
    Written without branches, which would be mispredicted: half of all neighbours approach, a tenth collide.
    """
    v = subtract(v1, v2)
    b, c = dot(r, v), dot(r, r) - reach * reach
    w = cross(r, v)
    passes = dot(w, w) <= dot(v, v) * reach * reach
    noise = ROUNDING * ROUNDING * dot(r, r) * (dot(v1, v1) + dot(v2, v2))
    return (b < 0.0) & (passes | (c <= 0.0)) & ((c > 0.0) | (b * b > noise))


@inline
def pair_time(r, v1, v2, reach):
    """Time until two spheres that will collide touch.

    The smaller root of |r + v t| = R1 + R2 as c/(-b + √(v² (R1 + R2)² - |r × v|²)), without cancellation near
    contact or for small spheres far apart.
    """
    v = subtract(v1, v2)
    b, c = dot(r, v), dot(r, r) - reach * reach
    w = cross(r, v)
    d = dot(v, v) * reach * reach - dot(w, w)
    return max(c, 0.0) / (math.sqrt(max(d, 0.0)) - b)


@inline
def plane_time(gap, speed, acceleration):
    """Time until a point at height `gap` above a plane comes down to it; infinite if it does not.

    First t >= 0 at which gap + speed t + acceleration t²/2 goes through zero downwards. A gap that rounding has made
    negative counts as none. What rests on the plane and is pressed against it comes down at once.
    """
    gap = max(gap, 0.0)
    if acceleration >= 0.0:
        if not speed < 0.0:
            return math.inf
        d = speed * speed - 2.0 * acceleration * gap
        return 2.0 * gap / (math.sqrt(d) - speed) if d >= 0.0 else math.inf
    d = speed * speed - 2.0 * acceleration * gap
    if speed < 0.0:
        return 2.0 * gap / (math.sqrt(d) - speed)
    return (math.sqrt(d) + speed) / -acceleration


@inline
def contact_velocity(n, v1, v2, arm1, omega1, arm2, omega2):
    """Relative velocity q of the surfaces at the contact point; arms are the radii, 0 for a wall."""
    surface = add(scale(arm1, omega1), scale(arm2, omega2))
    return subtract(subtract(v1, v2), cross(surface, n))


@inline
def law_after(since, law, contact_time):
    """Impact law by the time since the last impact of either partner, and the largest e that friction may produce."""
    if since >= contact_time:
        return law, law.restitution
    rough = 1.0 if law.tangential > -1.0 else -1.0
    return ImpactLaw(1.0, rough, law.friction), contact_time / max(since, AT_ONCE * contact_time)


@inline
def impulse(n, q, inverse_mass, inverse_inertia, law, most):
    """Normal and tangential impulse on particle 1, and the energy lost in the impact.

    n·J = -(1 + e) n·q/a and J_t = -(1 + ξ) q_t/b, with a = 1/m1 + 1/m2 and b = a + R1²/I1 + R2²/I2; or, if J_t were
    larger than μ n·J, μ n·J against q_t with the smaller of n·J = -(1 + `most`) n·q/a and the one that takes no energy,
    2 (μ |q_t| - n·q)/(a + μ² b). For solid spheres, I = 2/5 m R², b is 7/2 a. Energy: -J·(q + q')/2.

    n, q: unit normal from 2 to 1; relative velocity at the contact [m/s], approaching: n·q < 0.
    inverse_mass: a [1/kg].
    inverse_inertia: R1²/I1 + R2²/I2 [1/kg].
    law, most: see `law_after`.
    """
    approach = dot(n, q)
    slip = add_scaled(q, -approach, n)
    speed = math.sqrt(dot(slip, slip))
    inverse = inverse_mass + inverse_inertia
    e, mu = law.restitution, law.friction
    normal = -(1.0 + e) * approach / inverse_mass
    sticking = (1.0 + law.tangential) / inverse
    if sticking * speed > mu * normal:
        elastic = 2.0 * (mu * speed - approach) / (inverse_mass + mu * mu * inverse)
        e = min(elastic * inverse_mass / -approach - 1.0, most)
        normal = -(1.0 + e) * approach / inverse_mass
        sticking = mu * normal / speed
    lost = 0.5 * (1.0 - e * e) * approach * approach / inverse_mass
    lost += sticking * (1.0 - 0.5 * sticking * inverse) * speed * speed
    return scale(normal, n), scale(-sticking, slip), lost
