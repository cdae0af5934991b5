"""Several contacts of the same two bodies are damped as what they are together."""

import itertools
import math

import numpy as np
import pytest
from dem.kernels import laws
from dem.kernels.soft.contact import shared_damping

import dem

SOFT = {"young": 1e7, "poisson": 0.3, "density": 2000}
OPEN = ("x-", "x+", "y-", "y+", "z+")
SPEED, LASTING = 0.3, 6e-4  # longer than any of these impacts
FAR = 0.01  # that what stands upright starts higher


def rebound(shape, restitution, *, steps, damped="shared", pair=False, tilt=(1.0, 0, 0, 0), beside=None):
    """Speed of parting over that of approach, of a shape that lands on a wall, or of two alike that meet; the run."""
    material = dem.Material(**SOFT, restitution=restitution)
    lowest = 0.003 + 1e-9  # radius of all spheres here, and a gap, so that they do not touch at the start
    if pair:
        bodies = dem.Particles(shape, material, position=[[0, 0, 2 * lowest], [0, 0, 0]],
                               velocity=[[0, 0, -SPEED / 2], [0, 0, SPEED / 2]], orientation=[tilt, tilt])  # fmt: skip
        box = None
    else:
        bodies = dem.Particles(
            shape,
            material,
            position=[[0, 0, lowest + FAR * (tilt[2] != 0)]],
            velocity=[[0, 0, -SPEED]],
            orientation=[tilt],
        )
        box = dem.Box((-1, -1, 0), (1, 1, 1), material, open=OPEN)
    if beside:
        bodies = dem.Particles.concatenate({"bodies": bodies, "beside": beside})
    sim = dem.Simulation(bodies, box, gravity=(0, 0, 0), time_step=LASTING / steps, threads=1,
                         contacts=dem.Contacts(damped=damped))  # fmt: skip
    sim.step(3 * steps + int((tilt[2] != 0) * FAR / SPEED / LASTING * steps))
    v = sim.particles.velocity[:, 2]
    return (v[0] - (v[1] if pair else 0)) / SPEED, sim


def fibre(spheres):
    return dem.Fibre(diameter=0.006, aspect_ratio=1 + 0.7 * (spheres - 1), spheres=spheres)


PLATE = dem.Clump(offsets=[(x, y, 0.0) for x in (0.0, 0.008) for y in (0.0, 0.005)], radii=[0.003] * 4)
# as heavy as the plate, and of its contact radius, so that impacts last as long
DIE = dem.Polyhedron(
    vertices=list(itertools.product([-0.006, 0.006], [-0.003, 0.003], [-0.003, 0.003])),
    rounding=0.001,
    contact_radius=0.003,
)


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("shape", [fibre(2), fibre(5), PLATE, DIE], ids=["two", "five", "plate", "die"])
@pytest.mark.parametrize("restitution", [0.9, 0.5])
@pytest.mark.few(2, long=4)
def test_what_lands_flat_has_the_restitution_asked_for(shape, pair, restitution):
    """All contacts are pressed alike and share the mass: errors are of second order, with the ledger as exact."""
    coarse, _ = rebound(shape, restitution, steps=100, pair=pair)
    fine, sim = rebound(shape, restitution, steps=200, pair=pair)
    assert coarse == pytest.approx(restitution, abs=1.6e-4)  # 1.4e-4 at worst
    assert fine == pytest.approx(restitution, abs=4e-5)  # a quarter of it
    assert sim.energy_error < 1e-4
    lost = sim.start_energy.kinetic * (1 - fine**2)
    assert sim.energy().dissipated == pytest.approx(lost, rel=1e-3)


@pytest.mark.parametrize("pair", [False, True])
def test_a_clump_far_away_does_not_change_how_dice_are_damped(pair):
    """Whether a body may have several contacts is a matter of its own shape."""
    alone, sim = rebound(DIE, 0.5, steps=50, pair=pair)
    clump = dem.Particles(PLATE, sim.particles.variants[0][1], position=[[0.5, 0.5, 0.5]])
    beside, _ = rebound(DIE, 0.5, steps=50, pair=pair, beside=clump)
    assert beside == pytest.approx(alone, abs=1e-12)  # rounding in the sums of steps
    assert alone == pytest.approx(0.5, abs=6e-4)  # 0.4995 at these long steps; damped alone, 0.48


@pytest.mark.parametrize("shape", [fibre(5), PLATE], ids=["five", "plate"])
@pytest.mark.parametrize("pair", [False, True])
def test_a_die_far_away_does_not_change_how_clumps_are_damped(shape, pair):
    alone, sim = rebound(shape, 0.5, steps=50, pair=pair)
    die = dem.Particles(DIE, sim.particles.variants[0][1], position=[[0.5, 0.5, 0.5]])
    beside, _ = rebound(shape, 0.5, steps=50, pair=pair, beside=die)
    assert beside == pytest.approx(alone, abs=1e-12)  # damped alone, 0.34 and 0.42


def test_a_clump_on_a_die_beside_two_dice_has_the_restitution_asked_for():
    """Pairs of one column and of several are in one batch."""
    material, far = dem.Material(**SOFT, restitution=0.5), 0.02
    plates = dem.Particles(PLATE, material, position=[[0, 0, 0.006 + 1e-9], [far, 0, 0.006 + 1e-9], [far, 0, 0]],
                           velocity=[[0, 0, -SPEED], [0, 0, -SPEED / 2], [0, 0, SPEED / 2]])  # fmt: skip
    slab = dem.Polyhedron(vertices=list(itertools.product([-0.008, 0.008], [-0.006, 0.006], [-0.003, 0.003])),
                          rounding=0.001)  # fmt: skip
    dice = dem.Particles(slab, material, position=[[0, 0, 0], [0, far, 0], [0, far, 0.006 + 1e-9]],
                         fixed=[True, False, False],
                         velocity=[[0, 0, 0], [0, 0, SPEED / 2], [0, 0, -SPEED / 2]])  # fmt: skip
    both = dem.Particles.concatenate([dice, plates])
    sim = dem.Simulation(both, gravity=(0, 0, 0), time_step=LASTING / 100, threads=1)
    sim.step(300)
    v = sim.particles.velocity[:, 2]
    assert [v[3] / SPEED, (v[4] - v[5]) / SPEED, (v[2] - v[1]) / SPEED] == pytest.approx([0.5] * 3, abs=3e-4)


def alone_together(restitution, spheres):
    """Restitution of a flat fibre whose contacts are damped by the mass that each has: springs in parallel, by RK4."""
    shape, material = fibre(spheres), dem.Material(**SOFT, restitution=restitution)
    body = shape.mass_properties(material.density)
    x = np.asarray(shape.offsets)[:, 0]
    mass = 1 / (1 / body.mass + x**2 / body.inertia[1])
    stiffness = 4 / 3 * material.effective_modulus(material) * math.sqrt(0.003)
    alpha = _alpha(restitution)

    def force(depth, rate):
        spring = stiffness * depth**1.5
        return np.maximum(spring + alpha * np.sqrt(mass * stiffness * np.sqrt(depth)) * rate, 0.0).sum()

    depth, rate, dt = 0.0, SPEED, 2e-7
    while True:
        k = []
        for part in (0, 0.5, 0.5, 1):
            d, v = (depth, rate) if not k else (depth + part * dt * k[-1][0], rate + part * dt * k[-1][1])
            k.append((v, -force(max(d, 0.0), v) / body.mass))
        depth += dt * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]) / 6
        rate += dt * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]) / 6
        if rate < 0 and force(max(depth, 0.0), rate) == 0.0:
            return -rate / SPEED


def _alpha(restitution):
    """Coefficient of a single contact's restitution, by bisection of the closed form."""
    low, high = 0.0, 10.0
    for _ in range(60):
        zeta = (low + high) / 2 / math.sqrt(5)
        arc = math.acos(zeta) / math.sqrt(1 - zeta**2) if zeta < 1 else math.acosh(zeta) / math.sqrt(zeta**2 - 1)
        low, high = ((low + high) / 2, high) if math.exp(-2 * zeta * arc) > restitution else (low, (low + high) / 2)
    return low


@pytest.mark.slow
def test_damped_alone_they_lose_more():
    """As it was before: each contact as if it carried the fibre by itself."""
    found, _ = rebound(fibre(5), 0.9, steps=400, damped="independent")
    assert found == pytest.approx(alone_together(0.9, 5), abs=1e-4)
    assert found < 0.84


@pytest.mark.slow
def test_single_contacts_are_damped_as_ever():
    """A fibre on its tip has one contact, and a sphere cannot have more: the same bytes whatever is said."""
    upright = (math.cos(math.pi / 5), 0, math.sin(math.pi / 5), 0)
    for shape, tilt in ((fibre(5), upright), (dem.Sphere(diameter=0.006), (1.0, 0, 0, 0))):
        (one, _), (two, _) = (
            rebound(shape, 0.7, steps=100, damped=how, tilt=tilt) for how in ("shared", "independent")
        )
        assert one == two


@pytest.mark.parametrize("seed", range(4))
def test_a_mode_of_motion_has_its_own_rate(seed):
    """Of two bodies with random contacts: pressed as an eigenvector of G S does, ω² is the eigenvalue."""
    rng = np.random.default_rng(seed)
    count = 4
    mass, inertia = rng.uniform(1, 3, 2), rng.uniform(1, 3, (3, 2))
    normals, arms = rng.normal(size=(count, 3)), rng.normal(size=(2, count, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    springs = rng.uniform(1, 5, count)
    levers = np.cross(arms, normals)
    yielding = normals @ normals.T * (1 / mass).sum()
    yielding += sum(lever @ (lever / moments).T for lever, moments in zip(levers, inertia.T, strict=True))
    rates, modes = np.linalg.eigh(np.sqrt(springs)[:, None] * yielding * np.sqrt(springs))
    for rate, mode in zip(rates, modes.T, strict=True):
        pushed = shared_damping.no_multi_contact()
        for s, v, n, one, other in zip(springs, mode / np.sqrt(springs), normals, *arms, strict=True):
            pushed = shared_damping.add_contact(pushed, s, v, tuple(n), tuple(one), tuple(other))
        found = sum(
            sum(np.square(pushed.force)) / m + sum(np.square(torque) / moments)
            for m, moments, torque in zip(mass, inertia.T, (pushed.torque_b, pushed.torque_c), strict=True)
        )
        assert found / pushed.square == pytest.approx(rate, abs=1e-12 * rates[-1])


def test_the_secant_is_force_over_overlap():
    touch = laws.ContactKinematics(2e6, 1e-3, 3e-5, (0.0, 0, 1), (0.0, 0, -0.1), 0.0, (0.0, 0, 0), 0.01, 2e-3, 1e-7)
    law = laws.Composite(laws.Hertz(), laws.SharedDamping(np.zeros((1, 1))))
    assert laws.secant(law, 0, 0, touch, laws.initial_history(law), 1e-6) == pytest.approx(
        2e6 * math.sqrt(3e-5), rel=1e-14
    )


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("damped", ["shared", "independent"])
@pytest.mark.slow
def test_forces_that_are_listed_are_those_of_the_step(damped, pair):
    """Their sum is mass times the central difference of the velocity, off by its second order in the step."""
    shape, material, dt, gap = fibre(5), dem.Material(**SOFT, restitution=0.5), LASTING / 400, 1e-9
    mass = shape.mass_properties(material.density).mass
    position, velocity = [[0, 0, 0.003 + gap]], [[0, 0, -SPEED]]
    box = dem.Box((-1, -1, 0), (1, 1, 1), material, open=OPEN)
    if pair:
        position, velocity, box = [[0, 0, 0.006 + gap], [0, 0, 0]], [[0, 0, -SPEED], [0, 0, 0]], None
    bodies = dem.Particles(shape, material, position=position, velocity=velocity)
    sim = dem.Simulation(bodies, box, gravity=(0, 0, 0), time_step=dt, threads=1, contacts=dem.Contacts(damped=damped))
    sim.step(60)
    before = sim.particles.velocity[0, 2]
    sim.step(1)
    contacts = sim.contact_forces()
    sim.step(1)
    force = mass * (sim.particles.velocity[0, 2] - before) / (2 * dt)
    assert len(contacts.i) == 5
    assert contacts.force[:, 2].sum() == pytest.approx(force, rel=2e-4)
