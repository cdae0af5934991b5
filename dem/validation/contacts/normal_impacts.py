"""Normal impacts: Chung & Ooi (2011), tests 1 to 3."""

from __future__ import annotations

import numpy as np

import dem
from dem.validation.contacts.collisions import collide, start
from dem.validation.contacts.reference_solution import ReferenceBall, hertz_impact, reduced_mass, stiffness
from dem.validation.report import Report, curves

GLASS = dem.Material(young=4.8e10, poisson=0.2, density=2800)
LIMESTONE = dem.Material(young=2e10, poisson=0.25, density=2500)
ALUMINIUM = dem.Material(young=7e10, poisson=0.3, density=2699)
MAGNESIUM = dem.Material(young=4e10, poisson=0.35, density=1800)
OXIDE = dem.Material(young=3.8e11, poisson=0.23, density=4000)
IRON = dem.Material(young=1e11, poisson=0.25, density=7000)
ELASTIC = dem.Contact(restitution=1, friction=0)
SOURCE = (
    "Problems: Y. C. Chung, J. Y. Ooi, Granul. Matter 13 (2011) 643. Materials, sizes and speeds are those of public "
    "set-ups of the benchmark in other codes, not checked against the paper's own tables. Evidence: closed forms and "
    "independent integration; the paper's curves, which are drawn and not tabulated, are not compared with."
)


def rigid(material: dem.Material) -> dem.Material:
    """A wall a thousand times as stiff as the sphere that meets it: closed forms hold for any stiffness."""
    return dem.Material(young=1e3 * material.young, poisson=material.poisson)


def force_curve(
    one: ReferenceBall, other: ReferenceBall | dem.Material, speed: float, steps: int
) -> tuple[np.ndarray, ...]:
    """Overlaps and forces, from nothing but the path: m* times its second difference; and the time step."""
    dt = hertz_impact(one, other, speed)[1] / steps
    share = 0.5 if isinstance(other, ReferenceBall) else 1.0
    sim = start(one, other, ELASTIC, dt, velocity=(0, 0, -share * speed), other_velocity=(0, 0, (1 - share) * speed))
    gap = []
    for _ in range(steps + 20):
        x = sim.particles.position[:, 2]
        gap.append(x[0] - (x[1] if isinstance(other, ReferenceBall) else 0.0))
        sim.step()
    gap = np.array(gap)
    reach = one.radius + (other.radius if isinstance(other, ReferenceBall) else 0.0)
    force = reduced_mass(one, other) * np.diff(gap, 2) / dt**2
    return (reach - gap)[1:-1], force, np.array(dt)


def normal(*, quick: bool) -> Report:
    """Tests 1 to 3."""
    report = Report("chung-ooi-normal", "Normal impacts of spheres (Chung & Ooi 2011, tests 1 to 3)")
    steps = 1000 if quick else 4000
    runs = {
        "1, glass on glass": (ReferenceBall(0.01, GLASS), ReferenceBall(0.01, GLASS), 20.0),
        "1, limestone on limestone": (ReferenceBall(0.01, LIMESTONE), ReferenceBall(0.01, LIMESTONE), 20.0),
        "2, aluminium on a wall": (ReferenceBall(0.1, ALUMINIUM), rigid(ALUMINIUM), 0.2),
        "2, magnesium on a wall": (ReferenceBall(0.1, MAGNESIUM), rigid(MAGNESIUM), 0.2),
    }
    rows, lines = [], {}
    for name, (one, other, speed) in runs.items():
        overlap, force, dt = force_curve(one, other, speed, steps)
        _check_elastic(report, name, one, other, speed, (overlap, force, float(dt)))
        rows += [(name, *row) for row in np.column_stack([overlap, force])[:: steps // 100].tolist()]
        if name.startswith("1"):
            lines[name] = 1e6 * overlap, 1e-3 * force
            exact = stiffness(one, other) * np.maximum(overlap, 0) ** 1.5
            lines[f"{name}, Hertz"] = 1e6 * overlap[:: steps // 20], 1e-3 * exact[:: steps // 20]
    report.tables["force"] = (["test", "overlap_m", "force_N"], rows)
    report.figures["force"] = curves("test 1", "overlap [µm]", "force [kN]", lines)
    _restitution(report, steps)
    report.statements += [
        SOURCE,
        "Forces are read off the path as second differences, so what is compared with Hertz is what moved the spheres. "
        "Their tolerance is rounding: positions of 1e16 digits over steps of 1/1000 of the impact and less. Those of "
        "overlap and rebound are second order in the time step, 10/steps².",
        "With damping, forces change like the fourth root of the overlap at first touch, which the first sample of a "
        "contact makes up for (`dem.kernels.laws.first_step`); the tolerance of a restitution is 1e-4.",
    ]
    return report


def _check_elastic(
    report: Report, name: str, one: ReferenceBall, other: ReferenceBall | dem.Material, speed: float, run: tuple
) -> None:
    """Force law, largest force and overlap, duration and rebound of an elastic impact."""
    overlap, force, dt = run
    k = stiffness(one, other)
    deepest, lasting = hertz_impact(one, other, speed)
    largest, error = k * deepest**1.5, 10 * (dt / lasting) ** 2
    off = np.abs(force - k * np.maximum(overlap, 0) ** 1.5).max() / largest
    report.below(f"{name}: force off Hertz's law, share of the largest", off, 1e-6, exact="0")
    report.near(f"{name}: largest force [N]", force.max(), largest, exact=f"{largest:.8g}", within=error, digits=8)
    report.near(f"{name}: largest overlap [m]", overlap.max(), deepest, exact=f"{deepest:.8g}", within=error, digits=8)
    contact = np.count_nonzero(overlap > 0) * dt
    report.near(
        f"{name}: duration [s], counted in steps", contact, lasting, exact=f"{lasting:.6g}", within=2 * dt / lasting
    )
    rebound = -np.diff(overlap)[-1] / dt
    report.near(f"{name}: rebound speed [m/s]", rebound, speed, exact=f"{speed:g}", within=error, digits=9)


def _restitution(report: Report, steps: int) -> None:
    """Test 3: rebound over impact speed."""
    rows, lines = [], {}
    for name, material in {"aluminium oxide": OXIDE, "cast iron": IRON}.items():
        found = []
        for e in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
            contact = dem.Contact(restitution=e, friction=0)
            done = collide(
                ReferenceBall(0.0025, material), rigid(material), contact, velocity=(0, 0, -3.9), steps=steps
            )
            found.append((e, float(done.velocity[0, 2] / 3.9)))
        rows += [(name, *row) for row in found]
        worst = max(found, key=lambda row: abs(row[1] - row[0]))
        report.near(f"3, {name}: rebound over impact speed, worst of {len(found)}", worst[1], worst[0],
                    exact=f"{worst[0]:g}", within=1e-4, relative=False, digits=6)  # fmt: skip
        lines[name] = tuple(zip(*found, strict=True))
    report.tables["restitution"] = (["material", "restitution", "rebound_ratio"], rows)
    report.figures["restitution"] = curves(
        "test 3", "restitution wanted", "rebound over impact speed", lines, marker="o"
    )
