"""Parts of contact laws of one's own: what is in this file, one call for each included, and nothing else."""

import math
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from dem.kernels.compiler.jit import inline
from dem.kernels.laws.collision_time import Spring, duration
from dem.kernels.laws.first_step import constant_weight, first_step_fraction
from dem.kernels.laws.interface import NormalForce, law_component
from dem.kernels.numerics.vector import add_scaled, scale

import dem
from dem.model.contact.law_component import kind, number
from dem.model.contact.law_registry import plain, unregister_law_part
from dem.soft.checks import rolling_shapes


class CubicTables(NamedTuple):
    """Springs, F = k δ³."""

    stiffness: np.ndarray  # (A, A) k [N/m³]


@inline
def press(part, i, j, touch, parting, dt, memory):
    """Normal force of a contact."""
    k, root = part.stiffness[i, j], touch.overlap * touch.overlap
    force, share = k * root * touch.overlap, first_step_fraction(touch, parting, dt)
    sets_in = constant_weight(share)
    return NormalForce(
        force=force, conservative=force, energy=0.25 * force * touch.overlap,
        stiffness=k, stiffness_factor=root, contact_area_measure=root * root, area=touch.radius * touch.overlap,
        contact_time_fraction=share, first_step_stiffness_weight=root * sets_in,
        first_step_damping_weight=root * sets_in * sets_in,
        min_normal_force=0.0, detachment_overlap=-math.inf, friction_normal_offset=0.0, instantaneous_dissipation=0.0,
        persists=True,
    ), memory  # fmt: skip


@dataclass(frozen=True, kw_only=True, repr=False)
class Cubic(dem.LawPart):
    """F = k δ³."""

    SLOT = "normal"
    type: str = kind("cubic")
    stiffness: float = number("k", unit="N/m3", above=0, example=1e13)
    tangential: float = number("tangential stiffness over F/δ", above=0, default=2 / 7, example=2 / 7)


@inline
def cube(part, i, j):
    return 3.0


def spring(part, i, j, meeting):
    return Spring(part.stiffness[i, j], 3.0)


@pytest.fixture(autouse=True, scope="module")
def rows():
    """What a file of one's own says when it is imported; taken back, so that others do not know of it.

    Case files, which find the words that there are when they are first read, are read anew.
    """

    def forget():
        for name in [name for name in sys.modules if name.startswith("dem.casefile")]:
            del sys.modules[name]
        vars(dem).pop("casefile", None)
        vars(dem).pop("load", None)

    known = {name: thing for name, thing in sys.modules.items() if name.startswith("dem.casefile")}
    dem.register_law_part(Cubic, CubicTables, law_component(press, spring=spring, power=cube))
    dem.register_law_part(ViscousSliding, SlidingRates, law_component(slide))
    forget()
    yield
    unregister_law_part("cubic")
    unregister_law_part("viscous-sliding")
    forget()
    sys.modules.update(known)
    if "dem.casefile" in known:
        dem.casefile = known["dem.casefile"]


K, SPEED, RADIUS = 4e13, 0.5, 5e-4
CASE = """
duration = 2e-4
time_step = {dt}
gravity = [0, 0, 0]
threads = 1
[materials.grain]
young = 7e7
poisson = 0.22
density = 2500
[[contacts]]
materials = ["grain", "grain"]
{restitution}
[contacts.normal]
type = "cubic"
stiffness = {k}
[shapes.ball]
type = "sphere"
diameter = 0.001
[[particles]]
shape = "ball"
material = "grain"
position = [[-0.00050001, 0, 0], [0.00050001, 0, 0]]
velocity = [[0.25, 0, 0], [-0.25, 0, 0]]
"""


def in_python(dt):
    grain = dem.Material(young=7e7, poisson=0.22, density=2500, name="grain")
    pair = dem.Particles(
        dem.Sphere(diameter=2 * RADIUS), grain, position=[[-0.00050001, 0, 0], [0.00050001, 0, 0]],
        velocity=[[SPEED / 2, 0, 0], [-SPEED / 2, 0, 0]],
    )  # fmt: skip
    contacts = dem.Contacts({(grain, grain): dem.Contact(normal=Cubic(stiffness=K))})
    return dem.Simulation(pair, gravity=(0, 0, 0), time_step=dt, threads=1, contacts=contacts)


def from_file(folder, *, dt=1e-6, k=K, restitution=""):
    path = folder / "cubic.toml"
    path.write_text(CASE.format(dt=dt, k=k, restitution=restitution))
    return dem.load(path)


def test_it_runs_with_exact_energy_and_lasts_as_long_as_it_should():
    """½ m* v² = ¼ k δ⁴ at its deepest; all of second order. The account has ¼ k δ⁴ at any time."""
    reduced = in_python(1e-6).particles.mass[0] / 2
    deepest = (2 * reduced * SPEED**2 / K) ** 0.25
    lasts = float(duration(3.0)) * math.sqrt(reduced / (K * deepest**2))
    errors = []
    for n in (50, 100):
        sim, overlaps = in_python(lasts / n), []
        while not overlaps or overlaps[-1] > 0 or sim.particles.velocity[0, 0] > 0:
            sim.step()
            overlaps.append(2 * RADIUS - np.ptp(sim.particles.position[:, 0]))
            assert sim.energy().elastic == pytest.approx(0.25 * K * max(overlaps[-1], 0.0) ** 4, rel=1e-9, abs=1e-18)
        touching = sum(overlap > 0 for overlap in overlaps)
        assert touching == pytest.approx(n, abs=1.01)
        errors.append((abs(max(overlaps) / deepest - 1), sim.energy_error))
        assert sim.energy().dissipated == 0
    assert np.max(errors[1]) < 2e-3
    assert errors[1][1] < 0.3 * errors[0][1]


def test_a_case_file_says_the_same(tmp_path):
    one, other = in_python(1e-6), from_file(tmp_path)
    for sim in (one, other):
        sim.step(150)
    assert one.particles.velocity.tobytes() == other.particles.velocity.tobytes()
    assert np.ptp(one.particles.velocity[:, 0]) == pytest.approx(SPEED, rel=1e-3)
    (contact,) = (contact for _, _, contact in other.contacts)
    assert dem.Contact(**plain(contact)) == contact == dem.Contact(normal=Cubic(stiffness=K))


def test_a_cutoff_needs_a_history():
    """Kernels find separated contacts by the history: without one they would read beyond an empty array."""
    with pytest.raises(ValueError, match="history is 0, but contacts with a cutoff remember"):
        law_component(press, cutoff=cube)


def test_a_mesh_sums_it_by_its_power():
    """A sphere that touches two triangles bounces without a loss."""
    grain = dem.Material(young=7e7, poisson=0.22, density=2500)
    contacts = dem.Contacts({(grain, grain): dem.Contact(normal=Cubic(stiffness=K))})
    corners = 0.01 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    floor = dem.Mesh(corners, [[0, 1, 2], [0, 2, 3]], material=grain)
    ball = dem.Particles(
        dem.Sphere(diameter=2 * RADIUS), grain, position=[[0, 0, 1.001 * RADIUS]], velocity=[[0, 0, -SPEED]]
    )
    sim = dem.Simulation(ball, walls=[floor], gravity=(0, 0, 0), time_step=5e-7, threads=1, contacts=contacts)
    deepest = 0.0
    for _ in range(400):
        sim.step()
        deepest = max(deepest, RADIUS - sim.particles.position[0, 2])
    mass = sim.particles.mass[0]
    assert deepest == pytest.approx((2 * mass * SPEED**2 / K) ** 0.25, rel=1e-3)  # ½ m v² = ¼ k δ⁴
    assert sim.particles.velocity[0, 2] == pytest.approx(SPEED, rel=1e-3)


@pytest.mark.parametrize(("lacks", "said"), [("spring", "its Spring"), ("power", "the power of the overlap")])
def test_a_normal_force_that_lacks_something_is_refused(lacks, said):
    whole = law_component(press, spring=spring, power=cube)
    with pytest.raises(ValueError, match=f"component of Cubic lacks {lacks}=, {said}"):
        dem.register_law_part(Cubic, CubicTables, whole._replace(**{lacks: None}))


def test_parts_that_do_not_fit_their_tables_or_take_a_name_are_refused():
    class Rates(NamedTuple):
        rate: np.ndarray

    whole = law_component(press, spring=spring, power=cube)
    with pytest.raises(ValueError, match="Cubic has no value rate, of which Rates is to have a table"):
        dem.register_law_part(Cubic, Rates, whole)
    with pytest.raises(TypeError, match=r"is no dataclass of a dem.LawPart whose SLOT is one of normal"):
        dem.register_law_part(int, CubicTables, whole)
    with pytest.raises(ValueError, match="type of Linear is 'linear', which is the type of a part of dem"):
        dem.register_law_part(dem.Linear, CubicTables, whole)
    with pytest.raises(ValueError, match="history is 4, expected 0, 1, 2 or 3 columns"):
        law_component(press, history=4)


def test_a_part_that_is_not_registered_is_refused():
    @dataclass(frozen=True, kw_only=True, repr=False)
    class Square(dem.LawPart):
        SLOT = "normal"
        type: str = kind("square")

    with pytest.raises(
        ValueError, match=r"normal is Square\(\), which kernels do not know: call dem.register_law_part"
    ):
        dem.Contact(normal=Square())


def test_what_is_wrong_is_told_like_that_of_any_part(tmp_path):
    with pytest.raises(ValueError, match=r"stiffness.*greater than 0"):
        from_file(tmp_path, k=-1)
    with pytest.raises(ValueError, match=r"restitution is 0.5, and Cubic\(.*\) has no damping for it"):
        from_file(tmp_path, restitution="restitution = 0.5")


class Rates(NamedTuple):
    """Dashpots, F = -c √m* v."""

    rate: np.ndarray  # (A, A) c [kg^0.5/s]


@inline
def root_of_mass(part, i, j, touch, press):
    """Coefficient of a dashpot [N s/m]."""
    return part.rate[i, j] * math.sqrt(touch.mass) * constant_weight(press.contact_time_fraction)


@dataclass(frozen=True, kw_only=True, repr=False)
class RootOfMass(dem.LawPart):
    """F = -c √m* v."""

    SLOT = "damping"
    type: str = kind("root-of-mass")
    rate: float = number("force over √m* and velocity", unit="kg^0.5/s", least=0, example=1.0)


@pytest.mark.parametrize("diameter", [0.001, 0.002])
def test_a_dashpot_gives_the_restitution_of_the_damped_oscillator(diameter):
    """e = exp(-π ζ/√(1 - ζ²)) with ζ = c/(2 √k) at any mass, of a spring whose contact ends as the surfaces part."""
    dem.register_law_part(RootOfMass, Rates, law_component(root_of_mass))
    try:
        k, c = 1000.0, 10.0
        grain = dem.Material(young=7e7, poisson=0.22, density=2500)
        contact = dem.Contact(normal=dem.Linear(stiffness=k, tension=True), damping=RootOfMass(rate=c))
        pair = dem.Particles(
            dem.Sphere(diameter=diameter), grain, position=[[-0.501 * diameter, 0, 0], [0.501 * diameter, 0, 0]],
            velocity=[[0.25, 0, 0], [-0.25, 0, 0]],
        )  # fmt: skip
        table = dem.Contacts({(grain, grain): contact})
        lasts = math.pi * math.sqrt(pair.mass[0] / 2 / k)
        sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=lasts / 200, threads=1, contacts=table)
        before = sim.energy()
        sim.step(400)
    finally:
        unregister_law_part("root-of-mass")
    zeta = c / (2 * math.sqrt(k))
    e = math.exp(-math.pi * zeta / math.sqrt(1 - zeta * zeta))
    assert np.ptp(sim.particles.velocity[:, 0]) == pytest.approx(0.5 * e, rel=2e-3)
    assert sim.energy().dissipated == pytest.approx(before.translational * (1 - e * e), rel=2e-3)


class RollingRates(NamedTuple):
    """Dashpots against rolling."""

    rate: np.ndarray  # (A, A) [N m s]


@inline
def count_and_brake(part, i, j, touch, press, limit, memory, before, half, time_sign):
    """Couple -c ω; the contact remembers the angle that it has rolled."""
    angle = add_scaled(memory, 2.0 * half, touch.relative_angular_velocity)
    return scale(-part.rate[i, j], touch.relative_angular_velocity), angle, 0.0


@dataclass(frozen=True, kw_only=True, repr=False)
class RollingDashpot(dem.LawPart):
    """Couple in proportion to the relative angular velocity."""

    SLOT = "rolling"
    type: str = kind("rolling-dashpot")
    rate: float = number("couple over angular velocity", unit="N m s", least=0, example=1e-9)


class SlidingRates(NamedTuple):
    """Viscous forces in the plane of contact."""

    rate: np.ndarray  # (A, A) c [N s/m]


@inline
def slide(part, i, j, touch, press, eta, limit, slip, memory, before, half, time_sign):
    """Force -c u of surfaces that slide with the velocity u, history, stored energy and slip distance."""
    return scale(-part.rate[i, j], slip), memory, 0.0, 0.0


@dataclass(frozen=True, kw_only=True, repr=False)
class ViscousSliding(dem.LawPart):
    """F = -c u in the plane of contact."""

    SLOT = "tangential"
    type: str = kind("viscous-sliding")
    rate: float = number("force over sliding velocity", unit="N s/m", least=0, example=1e-3)


def test_a_tangential_part_takes_the_place_of_friction():
    """A sphere that slides on a floor: u = u_0 exp(-7/2 c t/m) of its surface, until it rolls at 5/7 of its speed."""
    grain = dem.Material(young=7e7, poisson=0.22, density=2500, tangential=ViscousSliding(rate=1e-4))
    with pytest.raises(ValueError, match=r"friction is 0.3, but tangential is ViscousSliding\(rate=1.0\)"):
        dem.Contact(friction=0.3, tangential=ViscousSliding(rate=1.0))
    box = dem.Box((-1, -1, 0), (1, 1, 1), grain)
    mass = 2500 * 4 / 3 * math.pi * RADIUS**3
    young = 7e7 / (1 - 0.22**2) / 2
    depth = (mass * 9.81 / (4 / 3 * young * math.sqrt(RADIUS))) ** (2 / 3)  # of Hertz's law at rest
    ball = dem.Particles(
        dem.Sphere(diameter=2 * RADIUS), grain, position=[[0, 0, RADIUS - depth]], velocity=[[0.1, 0, 0]]
    )
    sim = dem.Simulation(ball, box, time_step=1e-6, threads=1)
    before, steps = sim.energy(), 2000
    sim.step(steps)
    left = math.exp(-3.5 * 1e-4 * steps * 1e-6 / mass)
    assert 0.2 < left < 0.8
    assert sim.particles.velocity[0, 0] == pytest.approx(0.1 * (5 + 2 * left) / 7, rel=1e-3)
    lost = 0.5 * mass * 0.1**2 * 2 / 7 * (1 - left**2)
    assert sim.energy().dissipated - before.dissipated == pytest.approx(lost, rel=1e-3)


def test_case_files_have_a_key_for_tangential_parts(tmp_path):
    text = CASE.format(dt=1e-6, k=K, restitution="").replace(
        "density = 2500", 'density = 2500\ntangential = { type = "viscous-sliding", rate = 1e-4 }'
    )
    (tmp_path / "sliding.toml").write_text(text)
    material = dem.load(tmp_path / "sliding.toml").particles.kinds[0].material
    assert material.tangential == ViscousSliding(rate=1e-4)
    (tmp_path / "sliding.toml").write_text(text.replace("rate = 1e-4", "rate = -1"))
    with pytest.raises(ValueError, match=r"tangential.*greater than or equal to 0"):
        dem.load(tmp_path / "sliding.toml")


def test_a_rolling_part_slows_a_spin_exponentially_and_has_a_history():
    """Two spheres that touch and twist against each other: ω = ω_0 exp(-2 c t/I); three columns hold the angle."""
    dem.register_law_part(RollingDashpot, RollingRates, law_component(count_and_brake, history=3))
    try:
        c, omega, overlap = 2e-10, 10.0, 1e-7
        grain = dem.Material(young=7e7, poisson=0.22, density=2500, friction=0.5, rolling=RollingDashpot(rate=c))
        x = RADIUS - overlap / 2
        pair = dem.Particles(
            dem.Sphere(diameter=2 * RADIUS), grain, position=[[-x, 0, 0], [x, 0, 0]],
            angular_velocity=[[omega / 2, 0, 0], [-omega / 2, 0, 0]],
        )  # fmt: skip
        sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=1e-7, threads=1)
        sim.step(200)
        inertia = 0.4 * sim.particles.mass[0] * RADIUS**2
        found = np.ptp(sim.particles.angular_velocity[:, 0])
        assert found == pytest.approx(omega * math.exp(-2 * c * sim.time / inertia), rel=1e-4)
        assert found < 0.99 * omega
    finally:
        unregister_law_part("rolling-dashpot")


def test_a_shape_that_is_not_round_has_a_notice_of_any_rolling_part():
    dem.register_law_part(RollingDashpot, RollingRates, law_component(count_and_brake, history=3))
    try:
        grain = dem.Material(young=7e7, poisson=0.22, density=2500, friction=0.5, rolling=RollingDashpot(rate=1e-9))
        fibre = dem.Particles(dem.Fibre(diameter=0.01, aspect_ratio=2), grain, position=[[0, 0, 0]])
        (notice,) = rolling_shapes(fibre, None, dem.Contacts())
        assert notice.name == "rolling-shape"
        assert "has RollingDashpot(rate=1e-09)" in notice.reason
    finally:
        unregister_law_part("rolling-dashpot")
