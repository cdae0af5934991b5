"""Rough walls: the normal of the flat wall is tilted at random for each contact of a particle.

M. Sommerfeld, N. Huber, Experimental analysis and modelling of particle-wall collisions, Int. J. Multiphase Flow 25
(1999) 1457-1489, sec. 4. The inclination γ of the wall in the plane of incidence is normally distributed with the
standard deviation σ; a particle that comes in at the angle α to the flat wall meets a part of it in proportion to how
much of that part it sees, and none that faces away (the shadow effect):

    p(γ | α) ∝ exp(-γ²/2σ²) max(sin(α + γ), 0)/sin α,    |γ| < π/2

Positive γ faces the particle. Across the plane of incidence the wall is inclined by an independent normal angle.
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.random import standard_normals, uniforms
from dem.kernels.numerics.vector import add_scaled, cross, dot, scale

MAX_INCLINATION = 0.5 * math.pi
# An attempt to draw γ fails with probability 0.27 at most for σ up to 20°, 0.52 for σ up to 60°; all of them with 1e-36
# and 1e-18. The wall is flat then, as it is where rounding leaves a wall that the particle could not hit.
ATTEMPTS = 64


@inline
def tilted_normal(n, v, sigma, seed, particle, contact):
    """Unit normal m of the wall that is hit, with v · m < 0.

    n is the flat wall's unit normal, into the domain; v the velocity of the particle's contact point relative to the
    wall, v · n < 0 (else m = n); sigma [rad] the standard deviation of the inclination, from 0 (then m = n exactly) to
    60°. The integers say which random numbers to take.
    """
    largest = max(abs(v[0]), abs(v[1]), abs(v[2]))
    if not (sigma > 0.0 and dot(v, n) < 0.0):
        return n
    v = (v[0] / largest, v[1] / largest, v[2] / largest)  # squares neither overflow nor vanish
    speed = math.sqrt(dot(v, v))
    t = tangent(n, v)
    sine, cosine = -dot(v, n) / speed, max(0.0, dot(v, t) / speed)
    in_plane = draw_inclination(sine, cosine, sigma, seed, particle, contact)
    across = draw_transverse_inclination(sigma, seed, particle, contact)
    m = add_scaled(scale(math.cos(in_plane), n), -math.sin(in_plane), t)
    m = add_scaled(scale(math.cos(across), m), math.sin(across), cross(n, t))  # v · m shrinks by cos and keeps its sign
    return m if dot(v, m) < 0.0 else n


@inline
def tangent(n, v):
    """Unit vector along the part of v across n; where there is none, a fixed one across n."""
    t = add_scaled(v, -dot(v, n), n)
    if dot(t, t) <= 1e-24 * dot(v, v):
        t = perpendicular(n)
    t = add_scaled(t, -dot(t, n), n)  # a second time, for what the difference of nearly equal vectors left along n
    return scale(1.0 / math.sqrt(dot(t, t)), t)


@inline
def perpendicular(n):
    """Unit vector across the unit vector n (Duff et al., J. Comput. Graph. Tech. 6 (2017) no. 1, 1-8, listing 3)."""
    sign = math.copysign(1.0, n[2])
    return 1.0 - n[0] * n[0] / (1.0 + sign * n[2]), -n[0] * n[1] / (1.0 + sign * n[2]), -sign * n[0]


@inline
def draw_inclination(sine, cosine, sigma, seed, particle, contact):
    """Angle γ [rad] in the plane of incidence, from the effective distribution; sine and cosine are those of α.

    Together +g and -g have the density φ(g) (sin(α + g) + max(sin(α - g), 0)) <= φ(g) (2 sin α + g cos α), the sum of
    a half-normal and a Rayleigh distribution, which are a normal number and the length of two. g is drawn from this
    sum; one further number accepts +g, accepts -g or rejects both. Each attempt takes one draw.
    """
    rayleigh = sigma * cosine
    total_weight = rayleigh + math.sqrt(2.0 * math.pi) * sine
    for attempt in range(ATTEMPTS):
        u = uniforms(seed, particle, contact, attempt)
        g = sigma * math.sqrt(-2.0 * math.log(u[0]))
        if u[1] * total_weight >= rayleigh:
            g *= abs(math.cos(2.0 * math.pi * u[2]))
        choice = u[3] * (2.0 * sine + g * cosine)
        facing = sine * math.cos(g) + cosine * math.sin(g)
        away = max(0.0, sine * math.cos(g) - cosine * math.sin(g))
        if g < MAX_INCLINATION and choice < facing + away:
            return g if choice < facing else -g
    return 0.0


@inline
def draw_transverse_inclination(sigma, seed, particle, contact):
    """Normally distributed angle [rad] below π/2 across the plane of incidence, from draws not used in the plane."""
    for attempt in range(ATTEMPTS):
        angle = sigma * standard_normals(seed, particle, contact, ATTEMPTS + attempt)[0]
        if abs(angle) < MAX_INCLINATION:
            return angle
    return 0.0
