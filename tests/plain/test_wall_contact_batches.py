"""Contacts of single spheres with walls in batches, against the same contacts one by one as for wearing walls."""

import itertools

import numpy as np
import pytest

import dem

SAND = dem.Material(young=2e6, poisson=0.25, density=2500.0, restitution=0.5, friction=0.5)
ROLLING = dem.Material(**{**SAND.__dict__, "rolling": dem.Rolling(friction=0.1)})
TURNING = dem.Motion(axis=(0, 1, 0), rate=-6.0, centre=(0, 0, 0.01))


def drum(segments, **options):
    """A drum of flats about the y axis."""
    angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    ring = [(0.05 * np.cos(a), y, 0.05 * np.sin(a)) for y in (-0.03, 0.0, 0.03) for a in angle]
    faces = []
    for row in range(2):
        for i in range(segments):
            a, b = row * segments + i, row * segments + (i + 1) % segments
            faces += [(a, b, a + segments), (b, b + segments, a + segments)]
    return dem.Mesh(ring, faces, name="drum", **options)


def grains(material):
    """100 spheres that fly at it, so that more of them than a block hit it at once; of two sizes and materials."""
    rng = np.random.default_rng(5)
    angle, y = (a.ravel() for a in np.meshgrid(np.arange(20) * 2 * np.pi / 20, np.linspace(-0.0257, 0.0257, 5)))
    outward = np.column_stack([np.cos(angle), 0 * angle, np.sin(angle)])
    far = np.where(np.arange(100) % 2, 0.046, 0.045)[:, None]  # from the axis, so that both sizes arrive together
    places = far * outward + np.outer(y, (0, 1, 0)) + rng.uniform(-1e-4, 1e-4, (100, 3))
    velocity = outward + 0.3 * rng.normal(size=(100, 3))
    stiffer = dem.Material(**{**material.__dict__, "young": 4e6})
    return dem.Particles.concatenate([
        dem.Particles(dem.Sphere(diameter=d), m, position=places[k::2], velocity=velocity[k::2])
        for k, (d, m) in enumerate([(0.008, material), (0.006, stiffer)])
    ])  # fmt: skip


def among(material, wear, **options):
    """They in a drum that turns, between two planes, one of them a belt, and a ball in the middle."""
    walls = [
        drum(24, material=material, motion=TURNING, wear=wear),
        dem.Plane((0, -0.03, 0), (0, 1, 0), material=material, wear=wear),
        dem.Plane((0, 0.03, 0), (0, -1, 0), material=material, wear=wear, surface_velocity=(0.1, 0, 0)),
        dem.Ball((0, 0, 0), 0.0405, material=material, wear=wear),
    ]
    return dem.Simulation(grains(material), walls=walls, gravity=(0, 0, -9.81), time_step=2e-5, **options)


def told(sim):
    """All that it says of spheres, walls and energies."""
    p = sim.particles
    state = [p.position, p.velocity, p.angular_velocity, p.orientation]
    walls = [getattr(wall, name) for wall in sim.walls for name in ("force", "torque", "work", "contacts")]
    return [np.asarray(each).tobytes() for each in state + walls] + [repr(sim.energy())]


@pytest.mark.long
@pytest.mark.parametrize("material", [SAND, ROLLING], ids=["friction", "rolling"])
def test_contacts_with_walls_are_the_same_many_at_a_time_and_one_by_one(material):
    """To the bit: neither order nor company of contacts may show, nor through which formulae they go."""
    many, single = among(material, 0.0), among(material, 1e-12)
    most = 0
    for _ in range(5):
        many.step(12)
        single.step(12)
        assert told(many) == told(single)
        most = max(most, sum(int(wall.contacts) for wall in many.walls))
    assert most > 64  # a block
    assert single.walls[0].worn.sum() > 0


@pytest.mark.parametrize("wear", [0.0, 1e-12], ids=["many", "single"])
def test_each_contact_with_a_wall_begins_anew(wear):
    """A ball that hits the floor while another one slides there, and one that comes back, remember nothing yet."""
    lively = dem.Material(**{**SAND.__dict__, "restitution": 0.9})
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=lively, wear=wear)
    names = "position", "velocity", "angular_velocity"

    def thrown(**state):
        balls = dem.Particles(dem.Sphere(diameter=0.008), lively, **state)
        return dem.Simulation(balls, walls=[floor], gravity=(0, 0, -100), time_step=2e-5)

    start = {"position": [(0, 0, 0.0041), (0.02, 0, 0.0043)], "velocity": [(0.5, 0, -0.3), (-0.2, 0.4, -0.3)]}
    alone, both = [thrown(**{name: [start[name][k]] for name in start}) for k in range(2)], thrown(**start)
    for sim in (*alone, both):
        sim.step(60)
    for k, name in itertools.product(range(2), names):
        assert (getattr(both.particles, name)[k] == getattr(alone[k].particles, name)[0]).all()

    sim, touched = alone[0], False
    while not touched or sim.particles.position[0, 2] < 0.00402:
        touched |= sim.particles.position[0, 2] < 0.004
        sim.step(5)
    again, before = thrown(**{name: getattr(sim.particles, name) for name in names}), sim.particles.velocity[0, 0]
    for each in (sim, again):
        each.step(350)
    assert sim.particles.velocity[0, 0] != pytest.approx(before, rel=1e-3)  # it has touched once more
    for name in names:
        assert getattr(again.particles, name) == pytest.approx(getattr(sim.particles, name), rel=1e-9, abs=1e-12)


def test_what_only_other_walls_have_changes_no_contact():
    """A far belt, mesh or face: kernels have code for these then, and none without."""
    material, far = ROLLING, (0, 0, 5.0)
    floor = dem.Cylinder((0, 0, -0.01), (0, 0, 0), 0.1, inside=False, material=material)
    others = {
        "alone": {"walls": [floor]},
        "primitive": {"walls": [floor, dem.Plane(far, (0, 0, -1), material=material)]},
        "belt": {"walls": [floor, dem.Plane(far, (0, 0, -1), material=material, surface_velocity=(0.1, 0, 0))]},
        "mesh": {"walls": [floor, dem.Mesh([far, (1, 0, 5), (0, 1, 5)], [(0, 1, 2)], material=material)]},
        "faces": {"walls": [floor], "box": dem.Box((-9, -9, -9), (9, 9, 9), material=material)},
    }
    start = {"position": [(0, 0, 0.0041), (0.02, 0, 0.0043)], "velocity": [(0.5, 0, -0.3), (-0.2, 0.4, -0.3)]}
    found = {}
    for name, options in others.items():
        balls = dem.Particles(dem.Sphere(diameter=0.008), material, **start)
        sim = dem.Simulation(balls, gravity=(0, 0, -100), time_step=2e-5, **options)
        sim.step(60)
        assert sim.walls[0].force[2] < 0
        state = sim.particles.position, sim.particles.velocity, sim.particles.angular_velocity
        found[name] = [values.tobytes() for values in state]
    assert all(state == found["alone"] for state in found.values())


def floor(kind):
    """z = 0: a plane, or triangles a third as wide as the spheres on it."""
    if kind == "plane":
        return dem.Plane((0, 0, 0), (0, 0, 1), material=ROLLING)
    across, n = np.linspace(-0.03, 0.03, 25), 25
    corners = [(x + 0.3e-3 * np.sin(7 * k), y, 0.0) for k, x in enumerate(across) for y in across]
    faces = []
    for i in range(n - 1):
        for a in range(i * n, i * n + n - 1):
            faces += [(a, a + n, a + 1), (a + n, a + n + 1, a + 1)]
    return dem.Mesh(corners, faces, material=ROLLING)


@pytest.mark.long
def test_a_plane_of_triangles_is_a_plane():
    """Spheres that touch several at a time feel one plane: what cancels, cancels to the bit, so rounding is left."""
    rng = np.random.default_rng(8)
    places = [(x, y, 0.0041) for x in np.arange(-0.02, 0.021, 0.01) for y in np.arange(-0.02, 0.021, 0.01)]
    balls = dem.Particles(
        dem.Sphere(diameter=0.008), ROLLING, position=places, velocity=rng.normal(size=(25, 3)) * (0.1, 0.1, 0.5)
    )
    runs = [
        dem.Simulation(balls, walls=[floor(kind)], gravity=(0, 0, -9.81), time_step=2e-5) for kind in ("p", "plane")
    ]
    for sim in runs:
        sim.step(50)
    assert runs[0].walls[0].contacts > 5
    for name in ("position", "velocity", "angular_velocity"):
        one, other = (getattr(sim.particles, name) for sim in runs)
        assert np.abs(one - other).max() < 1e-12 * np.abs(other).max()
    assert runs[0].walls[0].work == pytest.approx(runs[1].walls[0].work, abs=1e-12 * runs[1].energy().total)
