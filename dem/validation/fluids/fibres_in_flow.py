"""Fibres in a flow: Jeffery's orbits, sheared suspensions, a cellular flow; spheroids that represent fibres."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.case import case
from dem.model.shapes.spheroid import Spheroid, resistance
from dem.statistics.fibres import orientation_tensors
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RATE, RATIO = 10.0, 5.0
FREE = {"fluid_density": 1.0, "pressure": False, "added_mass": False}  # a fluid that drags, and nothing else
PERIODS = {0.01: 32.671790125, 0.1: 32.593632482, 1.0: 18.823272271}  # γ̇T by γ̇τ, by other means
BINS = 12
WAYS = ("along", "across", "tumbling")
CHOICES = {  # half axes along and across a cylinder of length 2 and diameter 2/p
    "equal volume and ratio": lambda p: (1.5 ** (1 / 3), 1.5 ** (1 / 3) / p),
    "equal length and volume": lambda p: (1.0, math.sqrt(1.5) / p),
    "equal length and diameter": lambda p: (1.0, 1.0 / p),
}
USED = "equal volume and ratio"


def axes(orientation: np.ndarray) -> np.ndarray:
    """Axes of fibres (N, 3): where their quaternions (N, 4) turn x."""
    w, x, y, z = orientation.T
    return np.column_stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])


def jeffery_rate(p: np.ndarray, gradient: np.ndarray, shape: float) -> np.ndarray:
    """Rates of axes (N, 3) in velocity gradients (N, 3, 3) [1/s] (Jeffery 1922): Ω × p + Λ (E p - (p·E p) p)."""
    strain, spin = 0.5 * (gradient + gradient.swapaxes(1, 2)), 0.5 * (gradient - gradient.swapaxes(1, 2))
    pulled = np.einsum("nij,nj->ni", strain, p)
    return np.einsum("nij,nj->ni", spin, p) + shape * (pulled - (p * pulled).sum(1)[:, None] * p)


def settled_period(stokes_number: float, step: float = 2e-3) -> float:
    """Settled period γ̇T of φ̈ = (φ̇_J(φ) - φ̇)/τ by the Runge-Kutta method; times in 1/γ̇, φ from y towards x."""

    def slope(phi: float, rate: float) -> tuple[float, float]:
        still = (RATIO**2 * math.cos(phi) ** 2 + math.sin(phi) ** 2) / (RATIO**2 + 1)
        return rate, (still - rate) / stokes_number

    phi, rate, time, passed = 0.0, RATIO**2 / (RATIO**2 + 1), 0.0, [0.0]
    while len(passed) < 6:
        before = phi
        k1 = slope(phi, rate)
        k2 = slope(phi + 0.5 * step * k1[0], rate + 0.5 * step * k1[1])
        k3 = slope(phi + 0.5 * step * k2[0], rate + 0.5 * step * k2[1])
        k4 = slope(phi + step * k3[0], rate + step * k3[1])
        change, turned = ((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        phi, rate, time = phi + step * change, rate + step * turned, time + step
        goal = math.pi * len(passed)
        if phi >= goal:
            passed.append(time - (phi - goal) / (phi - before) * step)  # where it is nearly at its fastest
    return 2 * (passed[-1] - passed[-2])


def viscosity_for(stokes_number: float) -> float:
    """Viscosity [Pa s] for a given Stokes number γ̇τ of the fibre, τ = I/(8πμa³Y^C)."""
    shape, material = case("jeffery-orbit")().build()[0].variants[0]
    properties = shape.mass_properties(material.density)
    body = Spheroid.of(shape, properties)
    return float(properties.inertia[1] * RATE / (stokes_number * body.rotation[1]))


def orbit(stokes_number: float, dt: float, turns: int) -> tuple[float, list[tuple[float, float]]]:
    """Period γ̇T from the last of several half turns, by cubic interpolation, and the angle by time."""
    made = case("jeffery-orbit")(viscosity=viscosity_for(stokes_number), time_step=dt, **FREE)
    sim = made.simulation()
    path, passed, angle = [(0.0, 0.0)], [], 0.0
    while len(passed) < turns:
        sim.step()
        x, y, _ = axes(np.array(sim.particles.orientation))[0]
        angle += (math.atan2(x, y) - angle + math.pi / 2) % math.pi - math.pi / 2
        path.append((len(path) * dt, angle))
        goal = math.pi * (len(passed) + 1)
        if len(path) > 3 and path[-2][1] >= goal:
            at, phi = np.array(path[-4:]).T
            past = phi - goal
            shares = [np.prod([past[j] / (past[j] - past[i]) for j in range(4) if j != i]) for i in range(4)]
            passed.append(float(at @ shares))
    return 2 * RATE * (passed[-1] - passed[-2]), path


def jeffery(*, quick: bool) -> Report:
    """Periods of a fibre that tumbles in shear, without and with inertia."""
    report, rows, lines = Report("jeffery", "Jeffery's orbits, without and with inertia"), [], {}
    free = 2 * math.pi * (RATIO + 1 / RATIO)
    for stokes_number in (1e-4, *PERIODS):
        expected = PERIODS.get(stokes_number, free)
        n = {0.01: 1600, 1.0: 400}.get(stokes_number, 200) * (1 if quick else 2)
        turns = 4 if stokes_number == 1.0 else 2
        (coarse, _), (fine, path) = (orbit(stokes_number, expected / RATE / m, turns) for m in (n, 2 * n))
        found, own = fine + (fine - coarse) / 3, settled_period(max(stokes_number, 1e-3))
        rows.append((stokes_number, coarse, fine, found, expected))
        published = f"{free:.8g} (Jeffery 1922)" if stokes_number == 1e-4 else ""
        report.near(f"γτ = {stokes_number:g}: γT", found, expected, published=published, exact=f"{expected:.11g}",
                    within=1e-5, digits=9)  # fmt: skip
        if stokes_number in PERIODS:
            report.near(f"γτ = {stokes_number:g}: γT of the equation itself", own, expected, exact=f"{expected:.11g}",
                        within=1e-6, digits=9)  # fmt: skip
        lines[f"γτ = {stokes_number:g}"] = tuple(zip(*((RATE * t, phi / math.pi) for t, phi in path), strict=True))
    report.tables["periods"] = (["gamma_tau", "coarse", "fine", "extrapolated", "exact"], rows)
    report.figures["angles"] = curves("a fibre of r = 5 in shear", "γt", "angle from y towards x, over π", lines)
    report.statements += [
        "Without inertia γT = 2π (r + 1/r) (Jeffery 1922); with it a fibre follows φ̈ = (φ̇_J(φ) - φ̇)/τ, τ = "
        "I/(8πμa³Y^C), whose period once it repeats was found by other means to eleven digits, and here again by Runge "
        "and Kutta's method. It tends to 4π for great inertia.",
        "Ours: two runs of second order, with steps of down to a thousandth and up to a thousand τ, extrapolated.",
    ]
    return report


def sheared(*, quick: bool) -> Report:
    """Orientations of many fibres in shear: without contacts as by Jeffery's equation, and with contacts."""
    report = Report("sheared-fibres", "Fibres in shear that meet, and that do not")
    n, period = (64 if quick else 512), 2 * math.pi * (RATIO + 1 / RATIO) / RATE
    samples, found, rows = 24, {}, []
    for name, spacing in (("apart", 1.2), ("crowded", 0.6)):
        made = case("sheared-fibres")(n=n, spacing=spacing, time_step=2e-5 if spacing < 1 else 2e-4, threads=1)
        sim = made.simulation()
        p, met = [axes(np.array(sim.particles.orientation))], 0
        for _ in range(samples):
            steps = round(period / samples / sim.time_step)
            for _ in range(5):
                sim.step(steps // 5)
                met += sim.contact_count
            p.append(axes(np.array(sim.particles.orientation)))
        found[name] = np.array(p), met
        for k, a2 in enumerate(orientation_tensors(np.array(p)).a2):
            rows.append((name, RATE * k * period / samples, a2[0, 0], a2[1, 1], a2[2, 2]))
    exact = jeffery_orbits(found["apart"][0][0], samples, period)
    apart, crowded = found["apart"][0], found["crowded"][0]
    off = float(np.linalg.norm(apart - exact, axis=2).max())
    report.below("apart: contacts seen", found["apart"][1], 0, exact="0")
    report.below("apart: axes off Jeffery's orbits, at any time", off, 0.05, exact="0")
    for name, k in (("a_xx", 0), ("a_yy", 1)):
        mean, theory = (float((each[:, :, k] ** 2).mean()) for each in (apart, exact))
        report.near(f"apart: mean {name} over a period", mean, theory, exact=f"{theory:.4g}", within=0.01)
    back = [float(((each[0] * each[-1]).sum(1) ** 2).mean()) for each in (apart, crowded)]
    report.near("apart: mean cos² between the axes a period ago and now", back[0], 1.0, exact="1", within=0.01)
    report.below("crowded: the same, of fibres that have met", back[1], 0.8, exact="1 without contacts")
    report.statements += [
        "Closed form without contacts: each fibre follows Jeffery's orbit (1922) with r = 5, and is back after γT = "
        "2π (r + 1/r); for the others that meet there is none, only that they are not back.",
        f"A lattice of 1.2 and of 0.6 lengths, isotropic at the start; {found['crowded'][1]} contacts were seen in "
        "120 looks at the crowded ones. No hydrodynamic interaction, no lubrication: contacts alone.",
    ]
    report.tables["tensors"] = (["spacing", "gamma_t", "a_xx", "a_yy", "a_zz"], rows)
    report.figures["angles"] = _distribution({"apart": apart, "crowded": crowded})
    return report


def jeffery_orbits(p: np.ndarray, samples: int, period: float) -> np.ndarray:
    """Axes (samples + 1, N, 3) in shear from axes (N, 3): p ~ exp(G' t) p, with G' = Ω + Λ E, exactly."""
    shape = (RATIO**2 - 1) / (RATIO**2 + 1)
    along, across = RATE * 0.5 * (shape + 1), RATE * 0.5 * (shape - 1)  # of x by y, and of y by x
    omega = math.sqrt(-along * across)
    found = []
    for t in np.arange(samples + 1) * period / samples:
        c, s = math.cos(omega * t), math.sin(omega * t) / omega
        q = np.column_stack([c * p[:, 0] + along * s * p[:, 1], c * p[:, 1] + across * s * p[:, 0], p[:, 2]])
        found.append(q / np.linalg.norm(q, axis=1)[:, None])
    return np.array(found)


def _distribution(found: dict[str, np.ndarray]) -> object:
    """Figure of the distribution of angles in the plane of the flow, next to Jeffery's."""

    def draw(ax: Axes) -> None:
        edges = np.linspace(-90, 90, 2 * BINS + 1)
        for name, p in found.items():
            angle = np.degrees(np.arctan(p[..., 1] / p[..., 0])).ravel()
            share, _ = np.histogram(angle, edges, density=True)
            ax.stairs(share, edges, label=name)
        phi = np.radians(np.linspace(-90, 90, 181))
        ax.plot(np.degrees(phi), RATIO / (RATIO**2 * np.sin(phi) ** 2 + np.cos(phi) ** 2) / 180, "k--", label="Jeffery")
        ax.set(xlabel="angle from the flow [°]", ylabel="probability a degree", title="over a period of Jeffery's")
        ax.legend()

    return draw


def cellular(*, quick: bool) -> Report:
    """Rotation rates of fibres in Taylor-Green vortices."""
    report, rows = Report("cellular", "Rotation rates of fibres in a cellular flow (Taylor-Green)"), []
    made = case("cellular-fibres")(n=64 if quick else 512, time_step=2.5e-5, threads=1)
    shape = (made.aspect_ratio**2 - 1) / (made.aspect_ratio**2 + 1)
    sim, kappa = made.simulation(), made.wavenumber
    unit = kappa * made.speed
    x, p = np.array(sim.particles.position), axes(np.array(sim.particles.orientation))
    many = _squared_rotation_rates(*_random_fibres(2000, kappa), made, shape).mean()
    theory = (1 / 6 + shape**2 / 10) * unit**2
    report.near("mean square of rates, axes and places at random, over (kU)²", float(many) / unit**2,
                1 / 6 + shape**2 / 10, published="1/6 + Λ²/10 (Parsa et al. 2012)",
                exact=f"{theory / unit**2:.4g}", within=0.08)  # fmt: skip
    for _ in range(10):
        span = 0.025 if quick else 0.05
        for _ in range(50):
            x, p = _advected(x, p, made, shape, span / 50)
        sim.step(round(span / sim.time_step))
        q, omega = axes(np.array(sim.particles.orientation)), np.array(sim.particles.angular_velocity)
        found = float((np.cross(omega, q) ** 2).sum(1).mean()) / unit**2
        exact = float(_squared_rotation_rates(x, p, made, shape).mean()) / unit**2
        rows.append((unit * sim.time, found, exact, float(np.linalg.norm(q - p, axis=1).max())))
    for t, found, exact, _ in rows[1::4]:
        report.near(
            f"mean square of rates at kUt = {t:.3g}, over (kU)²", found, exact, exact=f"{exact:.4g}", within=0.01
        )
    report.below("axes off those that were followed apart", rows[-1][3], 0.05)
    report.tables["rates"] = (["time_kU", "mean_square_rate", "independent", "largest_difference_of_axes"], rows)
    time, found, exact, _ = zip(*rows, strict=True)
    report.figures["rates"] = curves(
        "fibres in vortices", "kUt", "mean square rate of rotation of the axes, over (kU)²",
        {"ours": (time, found), "Jeffery's equation, followed apart": (time, exact)}, marker="o",
    )  # fmt: skip
    report.statements += [
        "Closed form for directions at random: <ṗ²> = 2/3 <Ω²> + Λ²/5 <E:E> = (1/6 + Λ²/10) (kU)² here, as in "
        "isotropic turbulence (Parsa et al., Phys. Rev. Lett. 109 (2012) 134501), where the two means go alike.",
        "Exact, later on: places and axes of bodies without inertia, by Runge and Kutta's method. Fibres align with "
        "the vortices' strain, and their rates change. Ours relax in 0.004 of 1/(kU).",
    ]
    return report


def _random_fibres(number: int, kappa: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    p = rng.normal(size=(number, 3))
    return rng.uniform(0, 2 * math.pi / kappa, (number, 3)), p / np.linalg.norm(p, axis=1)[:, None]


def _vortices(x: np.ndarray, made: object) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (N, 3) and velocity gradients (N, 3, 3) of the vortices at positions (N, 3)."""
    k, speed = made.wavenumber, made.speed
    (sx, sy), (cx, cy) = np.sin(k * x[:, :2]).T, np.cos(k * x[:, :2]).T
    velocity = speed * np.column_stack([sx * cy, -cx * sy, np.zeros(len(x))])
    gradient = np.zeros((len(x), 3, 3))
    gradient[:, 0, 0], gradient[:, 0, 1] = k * speed * cx * cy, -k * speed * sx * sy
    gradient[:, 1, 0], gradient[:, 1, 1] = k * speed * sx * sy, -k * speed * cx * cy
    return velocity, gradient


def _squared_rotation_rates(x: np.ndarray, p: np.ndarray, made: object, shape: float) -> np.ndarray:
    """Squared rates of rotation of axes (N,) [1/s²]."""
    return (jeffery_rate(p, _vortices(x, made)[1], shape) ** 2).sum(1)


def _advected(x: np.ndarray, p: np.ndarray, made: object, shape: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions and axes after a step of the Runge-Kutta method."""

    def slope(x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        velocity, gradient = _vortices(x, made)
        return velocity, jeffery_rate(p, gradient, shape)

    a = slope(x, p)
    b = slope(x + 0.5 * h * a[0], p + 0.5 * h * a[1])
    c = slope(x + 0.5 * h * b[0], p + 0.5 * h * b[1])
    d = slope(x + h * c[0], p + h * c[1])
    x, p = (now + h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]) for k, now in enumerate((x, p)))
    return x, p / np.linalg.norm(p, axis=1)[:, None]


def cylinder(p: float) -> tuple[float, float, float]:
    """Resistances over μL, μL and μL³ of cylinders of 2 < p < 30 lengths over diameter.

    M. M. Tirado, J. García de la Torre, J. Chem. Phys. 71 (1979) 2581 and 73 (1980) 1986.
    """
    log = math.log(p)
    return (
        2 * math.pi / (log - 0.207 + 0.980 / p - 0.133 / p**2),
        4 * math.pi / (log + 0.839 + 0.185 / p + 0.233 / p**2),
        math.pi / (3 * (log - 0.662 + 0.917 / p - 0.050 / p**2)),
    )


def slender(p: float) -> tuple[float, float, float]:
    """Resistances of long cylinders by slender-body theory (G. K. Batchelor, J. Fluid Mech. 44 (1970) 419)."""
    log = math.log(2 * p) + math.log(2)
    return 2 * math.pi / (log - 1.5), 4 * math.pi / (log - 0.5), math.pi / (3 * (log - 11 / 6))


def spheroid(choice: str, p: float) -> tuple[float, float, float]:
    """Resistances of the spheroid that represents a cylinder of p lengths over diameter."""
    a, b = CHOICES[choice](p)
    r = resistance(a / b)
    return 3 * math.pi * a * r.x_a, 3 * math.pi * a * r.y_a, math.pi * a**3 * r.y_c


def equivalent(*, quick: bool) -> Report:
    """Resistances of spheroids next to those of cylinders."""
    report = Report("spheroids", "Which spheroid stands for a fibre")
    ratios = (2, 3, 5, 10, 20, 30) if quick else (2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30)
    rows = []
    for p in ratios:
        exact, thin = cylinder(p), slender(p)
        for k, way in enumerate(WAYS):
            off = [spheroid(choice, p)[k] / exact[k] - 1 for choice in CHOICES]
            rows.append((p, way, exact[k], thin[k] / exact[k] - 1, *off))
    for way, expected in zip(WAYS, (-0.023, 0.016, -0.057), strict=True):
        row = next(row for row in rows if row[:2] == (5, way))
        report.near(f"p = 5, {way}: spheroid of {USED}, off the cylinder", row[4], expected, exact=f"{expected}",
                    within=1e-3, relative=False)  # fmt: skip
    for way, most in zip(WAYS, (0.04, 0.06, 0.2), strict=True):
        of_way = [row for row in rows if row[1] == way]
        report.below(f"p = 2 to 30, {way}: off the cylinder by", max(abs(row[4]) for row in of_way), most)
        report.below(f"p = 30, {way}: slender bodies off the cylinder by", abs(of_way[-1][3]), 0.07)
    worst = {c: max(abs(row[4 + k]) for row in rows) for k, c in enumerate(CHOICES)}
    report.statements += [
        "Independent: Tirado & García de la Torre's fits for flat cylinders; slender bodies by Batchelor (1970). A "
        "chain of spheres is neither: round ends and waists.",
        "Largest deviation from p = 2 to 30: "
        + ", ".join(f"{choice}: {100 * off:.0f} %" for choice, off in worst.items())
        + f". The engine takes {USED}: the one whose volume, hence weight and relaxation time, is that of the body.",
        "How a blunt rod turns in shear is another matter: as a spheroid of 1.24 p/√ln p (Cox 1971), 8.2 for p = 10.",
    ]
    columns = ["length_over_diameter", "resistance", "cylinder", "slender", *(c.replace(" ", "_") for c in CHOICES)]
    report.tables["resistances"] = (columns, rows)
    lines = {
        f"{choice}, {way}": (ratios, [100 * row[4 + k] for row in rows if row[1] == way])
        for k, choice in enumerate(CHOICES) for way in WAYS
    }  # fmt: skip
    report.figures["resistances"] = curves(
        "spheroids for cylinders", "length over diameter", "off the cylinder's resistance [%]", lines
    )
    return report
