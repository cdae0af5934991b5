"""Hard spheres by brute force in numpy: all pairs and walls are searched anew after every impact.

Shares no code with the engine: quadratics by the textbook formula, impulses from a linear system for the velocity of
the contact point.
"""

import itertools

import numpy as np


def impulse(n, q, compliance, rolling, e, xi, mu, most=None):
    """Impulse J that takes the contact velocity q to q + K J, K = compliance + rolling (1 - n n).

    With `most`, impulses that slide keep the energy, by a restitution of so much at most."""
    k = compliance * np.eye(3) + rolling * (np.eye(3) - np.outer(n, n))
    q_n = (q @ n) * n
    sticking = np.linalg.solve(k, -e * q_n - xi * (q - q_n) - q)
    along = (sticking @ n) * n
    across = sticking - along
    if np.linalg.norm(across) <= mu * np.linalg.norm(along):
        return sticking
    if most is not None:
        edge = n + mu * across / np.linalg.norm(across)  # the energy after J = y edge: y edge·q + y²/2 edge·K·edge more
        y = min(-2 * (edge @ q) / (edge @ k @ edge), -(1 + most) * (q @ n) / compliance)
        return y * edge
    return along + mu * np.linalg.norm(along) * across / np.linalg.norm(across)


class BruteForce:
    """N spheres in a box or periodic space, all at the same time."""

    def __init__(self, x, v, omega, radius, mass, *, lower, upper, periodic=False, gravity=(0, 0, 0),
                 pair=(1.0, -1.0, np.inf), wall=(1.0, -1.0, np.inf), contact_time=1e-5):  # fmt: skip
        self.x, self.v, self.omega = (np.array(a, dtype=float) for a in (x, v, omega))
        self.radius, self.mass, self.g = np.array(radius), np.array(mass), np.array(gravity, dtype=float)
        self.inertia = 0.4 * self.mass * self.radius**2
        self.lower, self.upper, self.periodic = np.array(lower), np.array(upper), periodic
        self.pair, self.wall, self.contact_time = pair, wall, contact_time
        self.t, self.last, self.lasting = 0.0, np.full(len(self.x), -np.inf), 0
        self.i, self.j = np.triu_indices(len(self.x), 1)

    def separation(self):
        r = self.x[self.i] - self.x[self.j]
        if self.periodic:
            size = self.upper - self.lower
            r -= size * np.round(r / size)
        return r

    def next_pair(self):
        """Wait and pair, over all images next door."""
        u = self.v[self.i] - self.v[self.j]
        best = (np.inf, None)
        for shift in itertools.product((-1, 0, 1), repeat=3) if self.periodic else [(0, 0, 0)]:
            r = self.x[self.i] - self.x[self.j] + np.multiply(shift, self.upper - self.lower)
            b, a = (r * u).sum(1), (u * u).sum(1)
            c = (r * r).sum(1) - (self.radius[self.i] + self.radius[self.j]) ** 2
            d = b * b - a * c
            with np.errstate(invalid="ignore", divide="ignore"):
                wait = np.where((b < 0) & (d >= 0), np.maximum(0, (-b - np.sqrt(d)) / a), np.inf)
            k = wait.argmin()
            if wait[k] < best[0]:
                best = (wait[k], (self.i[k], self.j[k]))
        return best

    def next_wall(self):
        best = (np.inf, None)
        for axis in range(0 if self.periodic else 3):
            for side, plane in ((1, self.lower[axis]), (-1, self.upper[axis])):
                gap = np.maximum(0.0, side * (self.x[:, axis] - plane) - self.radius)
                speed, a = side * self.v[:, axis], side * self.g[axis]
                for n in range(len(gap)):
                    roots = np.roots([a / 2, speed[n], gap[n]]) if a or speed[n] else np.array([])
                    real = roots[np.abs(roots.imag) <= 0].real
                    down = [t for t in real if speed[n] + a * t < 0 and t > -1e-12]  # comes down, not up, to the plane
                    if down and max(0.0, min(down)) < best[0]:
                        best = (max(0.0, min(down)), (n, -1 - 2 * axis - (side < 0)))
        return best

    def step(self):
        """Carry out the next impact; returns its time and partners."""
        wait, partners = min(self.next_pair(), self.next_wall(), key=lambda event: event[0])
        self.x += self.v * wait + 0.5 * self.g * wait**2
        self.v += self.g * wait
        self.t += wait
        if self.periodic:
            self.x = self.lower + (self.x - self.lower) % (self.upper - self.lower)
        i, j = partners
        since = self.t - (max(self.last[i], self.last[j]) if j >= 0 else self.last[i])
        e, xi, mu = self.pair if j >= 0 else self.wall
        most = None
        if since < self.contact_time:
            self.lasting += 1
            e, xi, most = 1.0, (1.0 if xi > -1 else -1.0), self.contact_time / max(since, 1e-9 * self.contact_time)
        m, moment, radius = self.mass, self.inertia, self.radius
        if j >= 0:
            n = self.separation()[(self.i == i) & (self.j == j)][0]
            n /= np.linalg.norm(n)
            q = self.v[i] - self.v[j] - np.cross(radius[i] * self.omega[i] + radius[j] * self.omega[j], n)
            roll = radius[i] ** 2 / moment[i] + radius[j] ** 2 / moment[j]
            push = impulse(n, q, 1 / m[i] + 1 / m[j], roll, e, xi, mu, most)
            self.v[j] -= push / m[j]
            self.omega[j] += np.cross(radius[j] * n, -push) / moment[j]
            self.last[j] = self.t
        else:
            n = np.zeros(3)
            n[(-1 - j) // 2] = 1 - 2 * ((-1 - j) % 2)
            q = self.v[i] - np.cross(radius[i] * self.omega[i], n)
            push = impulse(n, q, 1 / m[i], radius[i] ** 2 / moment[i], e, xi, mu, most)
        self.v[i] += push / m[i]
        self.omega[i] += np.cross(-radius[i] * n, push) / moment[i]
        self.last[i] = self.t
        return self.t, partners
