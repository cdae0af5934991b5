"""Reference solution of the impact of two spheres, or of a sphere and a flat wall: numpy and scipy, none of the engine.

Hertz's law with damping, tension cut off, and Mindlin's tangential stiffness with damping and Coulomb's limit, as a
system of ordinary differential equations in three dimensions, one smooth piece after the other:

    F_n = max(0, K d^1.5 + η_n d'),   K = 4/3 E* √R*,   η_n = α(e) √(m* K) d^(1/4)
    f' = -k_t v_t, and + f k_t'/k_t while k_t decreases,   k_t = 8 G* √(R* d),   η_t = η_n √(4 G*/E*)
    F_t = f - η_t v_t; where that exceeds µ F_n, it is cut to µ F_n in the same direction, and f is set to it

H. Hertz (1882); R. D. Mindlin, J. Appl. Mech. 16 (1949) 259; T. Schwager, T. Pöschel, Granul. Matter 9 (2007) 465 (when
contact ends); C. Thornton, S. J. Cummins, P. W. Cleary, Powder Technol. 233 (2013) 30 (rescaling of the spring).

The normal n points from sphere 2 to sphere 1, the velocity of the contact is v1 - v2 - (l1 ω1 + l2 ω2) × n with the
levers l = R - d/2. The spring turns with the contact plane and not about the normal.

What stick and slip mean in continuous time: the rules above are those of a time step, whose length goes to zero. Where
η_t > 0, the force of a slipping contact turns at once against v_t, and slip ends when v_t vanishes or when the spring,
just set to the slipping force, helps to move. Where η_t = 0, slip ends when the spring would outgrow µ F_n no more.

Exact to 1e-9: impacts without friction, or with slip from beginning to end (1e-6 if elastic and not planar). To 1e-5:
planar impacts and all impacts at walls; where η_t > 0 and the spring is cut again and again while it lets go, the limit
itself depends on how the time step goes to zero, in the fifth digit of v_t. To a few 1e-3: two spheres, not planar,
η_t > 0, whose slip turns into stick. As their normal turns, the direction of v_t keeps turning while v_t vanishes, and
where the spring is left depends on the speed at which it stops to follow: here 1e-4 to 1e-3 of the largest, in a scheme
a matter of its time step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

RTOL = 1e-12
BLIND = 1e-5  # of the time scale: a spring that was cut is not cut again sooner
STIFFEST = 3e3  # rate at which the force of an undamped contact turns against v_t, times the time scale
SEGMENTS = 20_000


@dataclass(frozen=True)
class Ball:
    """A solid sphere; a wall is one of infinite radius."""

    radius: float
    density: float = 1000.0
    young: float = 1e7
    poisson: float = 0.3

    @property
    def wall(self):
        return math.isinf(self.radius)

    @property
    def mass(self):
        return 4 / 3 * math.pi * self.radius**3 * self.density

    @property
    def inertia(self):
        return 2 / 5 * self.mass * self.radius**2

    @property
    def shear(self):
        return self.young / (2 * (1 + self.poisson))


class Impact(NamedTuple):
    """What an impact leaves behind."""

    velocity: np.ndarray  # (2, 3)
    spin: np.ndarray  # (2, 3)
    overlap: float  # the largest
    duration: float  # until the force vanishes
    separation: float  # until the overlap vanishes, which is later if tension was cut off
    dissipated: float  # kinetic energy lost
    normal: np.ndarray  # (3,) when the force vanishes
    pieces: list  # names of the smooth pieces of the solution, in order


# Closed forms


def restitution(alpha):
    """Coefficient of restitution of x'' + α x^(1/4) x' + x^1.5 = 0, released when x'' = 0.

    With s = √(4/5) x^(5/4) and dτ = x^(1/4) dt this is s'' + α s' + 5/4 s = 0, a linear oscillator with the damping
    ratio ζ = α/√5. s'' vanishes first at Ω τ = 2 arctan(Ω/β), with β = α/2 and Ω² = 5/4 - β², and there s' = -e s'(0):
    e = exp(-2 β/Ω arctan(Ω/β)), which is Schwager & Pöschel's exp(-β/Ω (π - arctan(2 β Ω/(Ω² - β²)))).
    """
    zeta = alpha / math.sqrt(5)
    root = math.sqrt(abs(1 - zeta) * (1 + zeta))
    if root < 1e-4:
        ratio = 1 + (1 - zeta) / 3  # the next term is 2/15 (1 - ζ)²
    else:
        ratio = (math.acos(zeta) if zeta < 1 else math.acosh(zeta)) / root
    return math.exp(-2 * zeta * ratio)


def damping(e):
    """α for the coefficient of restitution e, in (0, 1]."""
    return 0.0 if e == 1 else brentq(lambda alpha: restitution(alpha) - e, 0, math.sqrt(5 / e), xtol=1e-15, rtol=1e-15)


def effective(one, two):
    """R*, m*, E*, G* of a pair."""
    mass = one.mass if two.wall else one.mass * two.mass / (one.mass + two.mass)
    young = 1 / sum((1 - b.poisson**2) / b.young for b in (one, two))
    shear = 1 / sum((2 - b.poisson) / b.shear for b in (one, two))
    return 1 / (1 / one.radius + 1 / two.radius), mass, young, shear


def elastic_overlap(one, two, speed):
    """Largest overlap of an elastic impact, (15 m* v²/(16 E* √R*))^(2/5) (Johnson 1985, 11.21)."""
    radius, mass, young, _ = effective(one, two)
    return (15 * mass * speed**2 / (16 * young * math.sqrt(radius))) ** 0.4


def elastic_duration(one, two, speed):
    """Duration of an elastic impact, 2.868 (m*²/(R* E*² v))^(1/5) (Johnson 1985, 11.24)."""
    radius, mass, young, _ = effective(one, two)
    constant = 2 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9) * (15 / 16) ** 0.4
    return constant * (mass**2 / (radius * young**2 * speed)) ** 0.2


def sliding_impulse(one, two, speed, e, friction):
    """Tangential impulse µ (1 + e) m* v_n of an impact that slides all the time."""
    return friction * (1 + e) * effective(one, two)[1] * speed


# The solution


def impact(one, two, *, velocity, spin=((0, 0, 0), (0, 0, 0)), normal=(0, 0, 1), e=1.0, friction=0.0):
    """Collide two balls that touch, with the given velocities and spins (2, 3); `two` may be a wall at rest."""
    velocity, spin, normal = (np.array(a, dtype=float) for a in (velocity, spin, normal))
    if two.wall and (velocity[1].any() or spin[1].any()):
        message = "walls do not move"
        raise ValueError(message)
    if (velocity[0] - velocity[1]) @ normal >= 0:
        message = "the bodies move apart: the normal points from the second to the first"
        raise ValueError(message)
    contact = _Contact(one, two, normal / np.linalg.norm(normal), velocity[0] - velocity[1], spin, e, friction)
    contact.solve()
    gone = contact.view(contact.y)
    share = 0.0 if two.wall else one.mass / (one.mass + two.mass)  # of the change of velocity, taken by `two`
    change = gone.u - (velocity[0] - velocity[1])
    after = np.array([velocity[0] + (1 - share) * change, velocity[1] - share * change])
    turned = np.array([gone.w1, gone.w2])
    duration = contact.time(contact.theta)
    lost = _kinetic(one, two, velocity, spin) - _kinetic(one, two, after, turned)
    rest = max(gone.d, 0.0) / -gone.rate
    return Impact(after, turned, contact.largest, duration, duration + rest, lost, gone.n, contact.pieces)


def _kinetic(one, two, velocity, spin):
    return sum(
        (b.mass * (v @ v) + b.inertia * (w @ w)) / 2
        for b, v, w in zip((one, two), velocity, spin, strict=True)
        if not b.wall
    )


class _View(NamedTuple):
    """State and what follows from it."""

    d: float  # overlap
    rate: float  # d'
    n: np.ndarray
    turning: np.ndarray  # n'
    u: np.ndarray  # v1 - v2
    w1: np.ndarray
    w2: np.ndarray
    levers: tuple
    v: np.ndarray  # tangential velocity of the contact
    spring: np.ndarray  # f; where an undamped contact slips, its direction
    push: float  # F_n
    eta: float  # η_t
    k: float  # k_t


class _Contact:
    """The pieces: "stick", "slip" and, without friction, "smooth".

    Overlap and normal are states of their own, so that no digits are lost between positions. Time is T θ⁴: with θ for
    the independent variable, the roots of the overlap at first touch become polynomials.
    """

    def __init__(self, one, two, normal, u, spin, e, friction):
        self.one, self.two, self.friction = one, two, friction
        self.radius, self.mass, self.young, self.shear = effective(one, two)
        self.stiffness = 4 / 3 * self.young * math.sqrt(self.radius)
        self.alpha = damping(e)
        self.inverse_inertia = [0.0 if b.wall else 1 / b.inertia for b in (one, two)]
        speed = -u @ normal
        self.deepest = elastic_overlap(one, two, speed)
        self.largest = math.nan
        self.scale = self.deepest / speed
        self.y = np.concatenate([[0.0], normal, u, spin[0], spin[1], np.zeros(3)])
        self.fastest = np.linalg.norm(u) + sum(b.radius * np.linalg.norm(w) for b, w in ((one, spin[0]), (two, spin[1]))
                                               if w.any())  # fmt: skip
        turn = self.fastest / min(one.radius, two.radius)
        force = self.stiffness * self.deepest**1.5
        self.atol = 1e-13 * np.repeat([self.deepest, 1, self.fastest, turn, turn, force], [1, 3, 3, 3, 3, 3])
        self.along, self.until = np.zeros(3), 0.0  # direction of v_t when slip began; to be renewed at this speed
        self.theta = 0.0
        self.lasting = ("release", "turn")  # events of any mode that are still to come
        self.pieces = []

    def time(self, theta):
        return self.scale * theta**4

    def view(self, y):
        d, n, u, w1, w2, spring = y[0], y[1:4], y[4:7], y[7:10], y[10:13], y[13:16]
        depth = max(d, 0.0)
        rate = -(u @ n)
        levers = (self.one.radius - d / 2, 0.0 if self.two.wall else self.two.radius - d / 2)
        across = u + rate * n
        v = across - np.cross(levers[0] * w1 + levers[1] * w2, n)
        eta = self.alpha * math.sqrt(self.mass * self.stiffness) * depth**0.25
        push = max(0.0, self.stiffness * depth**1.5 + eta * rate)
        turning = across / (self.one.radius + self.two.radius - d)
        k = 8 * self.shear * math.sqrt(self.radius * depth)
        return _View(
            d, rate, n, turning, u, w1, w2, levers, v, spring, push, eta * math.sqrt(4 * self.shear / self.young), k
        )

    # Right-hand sides and events

    def slipping(self, s):
        """Direction of the force; smooth where v_t passes through zero, for the search of that event."""
        if self.alpha == 0:
            return s.spring / np.linalg.norm(s.spring)
        length = np.linalg.norm(s.v)
        return -s.v / math.copysign(length, s.v @ self.along) if length > 0 else -self.along

    def tangential_force(self, s, mode):
        if mode == "smooth":
            return np.zeros(3)
        return s.spring - s.eta * s.v if mode == "stick" else self.friction * s.push * self.slipping(s)

    def spring_rate(self, s, mode):
        turned = -s.n * (s.turning @ s.spring)
        if mode == "stick":
            rescaled = s.spring * (min(s.rate, 0.0) / (2 * s.d)) if s.d > 0 else 0.0
            return turned + rescaled - s.k * s.v
        if mode == "slip" and self.alpha == 0:
            force = self.slipping(s)
            sideways = s.v - (s.v @ force) * force
            k = 8 * self.shear * math.sqrt(self.radius) / (self.friction * self.stiffness)  # k_t d/(µ F_n)
            return turned - sideways / (max(s.d, 0) / k + self.scale * np.linalg.norm(s.v) / STIFFEST + 1e-300)
        return np.zeros(3)

    def rates(self, theta, y, mode):
        s = self.view(y)
        force = self.tangential_force(s, mode)
        torque = -np.cross(s.n, force)
        rates = np.concatenate(
            [
                [s.rate],
                s.turning,
                (s.push * s.n + force) / self.mass,
                s.levers[0] * self.inverse_inertia[0] * torque,
                s.levers[1] * self.inverse_inertia[1] * torque,
                self.spring_rate(s, mode),
            ]
        )
        return 4 * self.scale * theta**3 * rates

    def release(self, _, y, __):
        """F_n but for d^(1/4): without a root where d passes through zero."""
        rate = -(y[4:7] @ y[1:4])
        return self.stiffness * math.copysign(abs(y[0]) ** 1.25, y[0]) + self.alpha * rate * math.sqrt(
            self.mass * self.stiffness
        )

    def turn(self, _, y, __):
        return -(y[4:7] @ y[1:4])

    def change(self, _, y, mode):
        """Falls through zero where the mode ends."""
        s = self.view(y)
        if mode == "smooth":
            return 1.0
        if mode == "stick":
            return self.friction * s.push - np.linalg.norm(s.spring - s.eta * s.v)
        if self.alpha > 0:
            return s.v @ self.along - self.until
        return self.excess(s)

    def excess(self, s):
        """By how much the spring of an undamped contact would outgrow µ F_n, times d/F_n to be regular."""
        growth = -8 * self.shear * math.sqrt(self.radius) / self.stiffness * (s.v @ self.slipping(s))
        return growth + self.friction * (min(s.rate, 0.0) / 2 - 1.5 * s.rate)

    # One piece after the other

    def solve(self):
        mode = self.first_mode()
        for _ in range(SEGMENTS):
            self.pieces.append(mode)
            end = self.segment(mode)
            if end == "release":
                return
            if end is None:
                break
            if end == "turn":
                self.largest = self.y[0]
                self.lasting = ("release",)
            else:
                mode = self.next_mode(mode)
        message = "no end of the impact found"
        raise RuntimeError(message)

    def first_mode(self):
        """The limit d -> 0 of trial force and µ F_n; both go with d^(1/4), or with d^1.5 if there is no damping."""
        s = self.view(self.y)
        speed, ratio = np.linalg.norm(s.v), 4 * self.shear / self.young
        if self.friction == 0:
            return "smooth"
        if speed * (ratio if self.alpha == 0 else math.sqrt(ratio)) <= self.friction * s.rate:
            return "stick"
        self.slip_along(s)
        if self.alpha == 0:
            self.y[13:16] = -self.along
        return "slip"

    def slip_along(self, s):
        """Remember the direction of slip, to be renewed often enough to be known when slip ends."""
        speed = np.linalg.norm(s.v)
        self.along = s.v / speed
        self.until = 0.1 * speed if speed > 1e-3 * self.fastest else 0.0

    def segment(self, mode):
        """Integrate until an event; return its name."""
        if mode == "stick" and self.theta > 0:  # the limit of stick is reached at the very start of some pieces
            end = self.advance(mode, self.lasting, (self.theta**4 + BLIND) ** 0.25)
            if end or self.change(0, self.y, mode) <= 0:
                return end or "change"
        return self.advance(mode, (*self.lasting, "change"), 4.0)

    def advance(self, mode, names, until):
        def event(name):
            def function(theta, y, mode):
                return getattr(self, name)(theta, y, mode)

            function.terminal, function.direction = True, -1
            return function

        step = None if self.theta else 1e-3
        run = solve_ivp(self.rates, (self.theta, until), self.y, "DOP853", args=(mode,), rtol=RTOL, atol=self.atol,
                        events=[event(name) for name in names], first_step=step)  # fmt: skip
        self.theta, self.y = run.t[-1], run.y[:, -1].copy()
        return next((name for name, times in zip(names, run.t_events, strict=True) if len(times)), None)

    def next_mode(self, mode):
        """Cut the spring to µ F_n; whether what then follows is stick or slip."""
        s = self.view(self.y)
        limit = self.friction * s.push
        if self.alpha == 0:
            if mode == "slip":
                self.y[13:16] = limit * self.slipping(s)
                return "stick"
            self.y[13:16] = s.spring / np.linalg.norm(s.spring)
            return "slip"
        if mode == "slip" and self.until > 0:
            self.slip_along(s)
            return "slip"
        trial = s.spring - s.eta * s.v if mode == "stick" else -self.along
        spring = limit * trial / np.linalg.norm(trial)
        moves = mode == "stick" and np.linalg.norm(s.v) > 1e-9 * self.fastest
        if moves and np.linalg.norm(spring - s.eta * s.v) > limit:
            self.slip_along(s)
            return "slip"
        self.y[13:16] = spring
        return "stick"
