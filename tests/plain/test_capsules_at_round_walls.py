"""Capsules at cylinders, cones, discs, surfaces of revolution and tori: potential, chains of spheres, conservation."""

import itertools
import math

import numpy as np
import pytest
from capsule_wall_potentials import HALF, RADIUS, Felt
from dem.kernels.walls import geometry

import dem

SOFT = {"young": 5e6, "poisson": 0.3, "density": 1100.0}
STEEL = dem.Material(**SOFT)
CAPSULE = dem.Capsule(diameter=0.01, aspect_ratio=3)
DEEP = 0.2  # of a radius: capsules whose axis is closer to a wall than this are not looked at
WALLS = {
    "disc": dem.Disc((0, 0, 0), (0, 0, 1), 3.0, material=STEEL),
    "annulus": dem.Disc((0, 0, 0), (0.2, 0, 1), 3.0, inner_radius=1.2, material=STEEL),
    "roll": dem.Cylinder((-2, 0, 0), (2, 0.5, 0), 1.5, inside=False, material=STEEL),
    "tube": dem.Cylinder((-0.4, 0, 0), (0.4, 0, 0), 1.8, ends="start", material=STEEL),
    "cone": dem.Cone((0, 0, -1), (0, 0, 2), 0.6, 2.5, material=STEEL),
    "tip": dem.Cone((0, 0, -1), (0, 0, 2), 0.0, 2.5, ends="end", material=STEEL),
    "torus": dem.Torus((0, 0, 0), (0.1, 0, 1), 2.5, 0.7, material=STEEL),
    "hose": dem.Torus((0, 0, 0), (0, 0, 1), 4.0, 2.0, inside=True, material=STEEL),
    "silo": dem.Revolution([(0.5, -1), (0.8, 0), (2.5, 1), (2.5, 3)], material=STEEL),
    "ring": dem.Revolution([(1.5, -0.5), (2.5, -0.5), (2.5, 0.5), (1.8, 0.7), (1.5, -0.5)], material=STEEL),
}


def poses(wall, number, seed):
    """At random, some of them nearly along axes, that touch a wall with their side."""
    rng = np.random.default_rng(seed)
    while number:
        x, u = rng.uniform(-4, 4, 3), rng.normal(size=3)
        if rng.random() < 0.3:
            u = np.eye(3)[rng.integers(3)] + 10 ** -rng.uniform(1, 4) * u
        u *= HALF / np.linalg.norm(u)
        if DEEP < min(strip.min() for strip in strips(wall, x, u, 41)[0]) < RADIUS:
            number -= 1
            yield x, u


def strips(wall, x, u, number):
    """Distances of spheres along a capsule from each piece of a wall, and from what two of these share."""
    of, places = wall.shape.numbers, x + np.linspace(-1, 1, number)[:, None] * u - wall.shape.numbers[:3]
    z = places @ of[3:6]
    r = np.linalg.norm(places - np.outer(z, of[3:6]), axis=1)
    if wall.shape.kind == geometry.TORUS:
        return [of[11] * (np.hypot(r - of[9], z) - of[10])], []
    points, found = of[10 : 10 + 2 * int(of[9])].reshape(-1, 2), []
    for a, b in itertools.pairwise(points):
        along = np.clip(((r - a[0]) * (b - a)[0] + (z - a[1]) * (b - a)[1]) / ((b - a) @ (b - a)), 0, 1)
        found.append(np.hypot(r - a[0] - along * (b - a)[0], z - a[1] - along * (b - a)[1]))
    shared = [(k - 1, k, np.hypot(r - p[0], z - p[1])) for k, p in enumerate(points)][1:-1]
    if (points[0] == points[-1]).all():
        shared.append((len(found) - 1, 0, np.hypot(r - points[0, 0], z - points[0, 1])))
    return found, shared


def chain_energy(wall, x, u, number=1001):
    """What the side adds, of a chain of so many spheres: all lows that no end has, less what joins them (Kruskal)."""
    found, shared = strips(wall, x, u, number)
    lows, hangs_on = np.append(np.concatenate(found), -np.inf), list(range(len(found) * number + 1))
    ends, links, energy = len(found) * number, [], 0.0
    for k, d in enumerate(found):
        joints, first = np.maximum(d[1:], d[:-1]), k * number
        links += [(joints[i], first + i, first + i + 1) for i in np.flatnonzero(joints < RADIUS)]
        links += [(d[i], first + i, ends) for i in (0, number - 1) if d[i] < RADIUS]
    for one, other, d in shared:
        links += [(d[i], one * number + i, other * number + i) for i in np.flatnonzero(d < RADIUS)]

    def root(i):
        while hangs_on[i] != i:
            hangs_on[i] = hangs_on[hangs_on[i]]
            i = hangs_on[i]
        return i

    for d, one, other in sorted(links):
        a, b = sorted((root(one), root(other)), key=lambda i: lows[i])
        if a != b:
            energy += stored(lows[b]) - stored(d)
            hangs_on[b] = a
    return energy + sum(stored(lows[i]) for i in range(ends) if hangs_on[i] == i)


def stored(d):
    """Potential of a sphere at this distance, over K."""
    return max(RADIUS - d, 0.0) ** 2.5 / 2.5


@pytest.mark.parametrize("wall", WALLS)
def test_force_and_couple_are_the_gradient_of_the_potential_of_a_fine_chain(wall):
    """A chain finds lows to half the square of its spacing, 1e-5; differences are good to 1e-9."""
    felt, sides = Felt(WALLS[wall]), 0
    for x, u in poses(WALLS[wall], 6, seed=3):
        _energy, force, torque, side = felt(x, u)
        assert sum(felt.trees[t, 3] for t in range(felt.sides(x, u))) == pytest.approx(
            chain_energy(WALLS[wall], x, u), abs=1e-5
        )
        by_differences, couple = felt.gradient(x, u)
        assert force == pytest.approx(by_differences, abs=1e-7)
        assert torque == pytest.approx(couple, abs=1e-7)
        sides += side
    assert sides  # so that it is these that are looked at


def test_the_potential_has_no_jump_along_any_way():
    """However a capsule is moved and turned past rims and tips: the energy changes by no more than the force says."""
    rng, most = np.random.default_rng(7), 0
    for name in ("annulus", "torus", "ring"):
        felt = Felt(WALLS[name])
        x, v, u, spin = rng.uniform(-3, 3, 3), rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
        u *= HALF / np.linalg.norm(u)
        before, h = None, 1e-2
        for k in range(300):
            at, turned = x + math.sin(k * h) * v, u * math.cos(k * h) + np.cross(spin, u) * math.sin(k * h)
            energy, _force, _torque, sides = felt(at, turned * HALF / np.linalg.norm(turned))
            assert before is None or abs(energy - before) < 20 * h  # forces are at most 2, speeds 3
            before, most = energy, max(most, sides)
    assert most > 1  # contacts at once


@pytest.mark.parametrize(
    "wall",
    [
        dem.Cylinder((0, 0, -5), (0, 0, 5), 4.0, ends="both", material=STEEL),
        dem.Cone((0, 0, -5), (0, 0, 5), 1.0, 6.0, ends="both", material=STEEL),
        dem.Disc((0, 0, -2.5), (0, 0, 1), 9.0, material=STEEL),
    ],
)
def test_hollow_walls_are_felt_by_ends_alone(wall):
    felt, rng, near = Felt(wall), np.random.default_rng(4), 0
    for _ in range(200):
        x, u = rng.uniform(-2, 2, 3), rng.normal(size=3)
        u *= HALF / np.linalg.norm(u)
        ends = np.array([x - u, x + u])
        if (wall.shape.lower[2] + 0.1 < ends[:, 2]).all() and (
            np.hypot(*ends.T[:2]) < np.minimum(3.9, 3.4 + 0.5 * ends[:, 2])
        ).all():
            assert felt.sides(x, u) == 0
            near += felt(x, u)[0] > 0
    assert near > 3


IMPACTS = {  # wall, middle, axis and velocity of a capsule
    "roll": (
        dem.Cylinder((0, -0.05, -0.006), (0, 0.05, -0.006), 0.006, inside=False, material=STEEL),
        (0.002, 0, 0.0052),
    ),
    "rim": (dem.Cylinder((0, 0, -0.02), (0, 0, 0), 0.012, material=STEEL), (0.012, 0.001, 0.0052)),
    "cone": (dem.Cone((0, 0, -0.02), (0, 0, 0), 0.02, 0.0, material=STEEL), (0.003, 0.001, 0.0052)),
    "annulus": (dem.Disc((0, 0, 0), (0, 0.3, 1), 0.03, inner_radius=0.008, material=STEEL), (0.006, -0.0075, 0.0078)),
    "torus": (dem.Torus((0, 0, -0.003), (0, 0, 1), 0.008, 0.003, material=STEEL), (0.001, 0.001, 0.0052)),
    "hose": (dem.Torus((0, 0, 0), (1, 0, 0), 0.03, 0.008, inside=True, material=STEEL), (0.001, 0, 0.0272)),
}


def lain(wall, place, *, dt=2e-5, restitution=1.0, friction=0.0, velocity=(0.05, 0.02, -0.6), spin=(8, 10, 5), **more):
    """A capsule, nearly along x."""
    stuff, turn = dem.Material(**SOFT, restitution=restitution, friction=friction), 0.01
    if place[2] > 0.02:  # within the hose: along y
        turned = [(math.cos(turn) * math.sqrt(0.5), math.sin(turn), 0, math.cos(turn) * math.sqrt(0.5))]
    else:
        turned = [(math.cos(turn), 0, -math.sin(turn), 0)]
    bodies = dem.Particles(
        CAPSULE, stuff, position=[place], orientation=turned, velocity=[velocity], angular_velocity=[spin]
    )
    return dem.Simulation(bodies, walls=[wall], time_step=dt, threads=1, **{"gravity": (0, 0, 0), **more})


@pytest.mark.parametrize("name", IMPACTS)
def test_energy_is_kept_to_second_order(name):
    """In half an impact of the side, which turns the body; errors by 4 for half the step."""
    errors, share = [], 0.0
    for dt in (4e-5, 2e-5):
        sim = lain(*IMPACTS[name], dt=dt)
        for _ in range(4):
            sim.step(round(5e-4 / dt))
            assert name == "hose" or (sim.contact_forces().arm[:, 2] < 0).all()
            share = max(share, sim.energy().elastic / sim.energy().total)
        errors.append(sim.energy_error)
    assert share > 0.3
    assert 3.2 < errors[0] / errors[1] < 5.5


def test_elastic_capsules_remember_nothing_but_the_planes_of_rough_walls():
    """An end that lies on a rough plane keeps the plane that it was shown, however often lists are made."""
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=STEEL, roughness=0.2, seed=4)
    skins = (1e-3, 1e-4), (2e-6, 1e-6)
    runs = [lain(floor, (0, 0, 0.0052), gravity=(0, 0, -10), _skin=skin) for skin in skins]
    for sim in runs:
        sim.step(300)
        assert sim.walls[0].impulse[2] < 0
        assert abs(sim.energy_error) < 1e-3
    assert runs[0].particles.position.tobytes() == runs[1].particles.position.tobytes()
    assert runs[0].particles.orientation.tobytes() == runs[1].particles.orientation.tobytes()


def test_each_of_two_places_of_one_wall_has_a_friction_of_its_own(tmp_path):
    """A capsule across a ring, pushed along itself: both hold it alike, by symmetry; a restart changes no bit."""
    ring = dem.Torus((0, 0, -0.003), (0, 0, 1), 0.008, 0.003, material=dem.Material(**SOFT, friction=0.5), wear=1e-12)
    start = {"restitution": 0.5, "friction": 0.5, "velocity": (0, 0, 0), "spin": (0, 0, 0), "gravity": (3, 0, -10)}
    sim, cut = (lain(ring, (0, 0, 0.00499), **start) for _ in range(2))
    sim.particles.orientation = cut.particles.orientation = [(1, 0, 0, 0)]
    cut.step(50)
    cut.save(tmp_path / "state.h5")
    cut = dem.Simulation.load(tmp_path / "state.h5")
    cut.step(150)
    sim.step(200)
    assert cut.particles.position.tobytes() == sim.particles.position.tobytes()
    told = sim.contact_forces()
    assert np.sort(told.arm[:, 0]) == pytest.approx([-0.008, 0.008], abs=1e-4)
    assert told.force[:, 0] == pytest.approx([told.force[:, 0].mean()] * 2, rel=0.3)
    assert (told.force[:, 0] < 0).all()
    assert sim.walls[0].worn.shape == (1,)
    assert abs(sim.particles.velocity[0, 0]) < 0.1 * 3 * sim.time  # springs swing, but hold it


def test_inserted_capsules_keep_all_of_them_off_walls_and_within_their_region():
    """Among rods thinner than they are long, and in a ring, which has a hole that they might span."""
    shape, radius = dem.Capsule(diameter=0.006, aspect_ratio=6), 0.003
    line = (-0.01, 0.01)
    rods = [dem.CapsuleWall((x, y, -0.1), (x, y, 0.1), 0.001, material=STEEL) for x in line for y in line]
    rain = dem.Inserter(shape, STEEL, region=dem.Block((-0.025,) * 3, (0.025,) * 3), number=6)
    sim = dem.Simulation(None, walls=rods, inserters=[rain], gravity=(0, 0, 0), time_step=2e-5, threads=1)
    sim.step(1)
    assert (len(sim.particles), sim.contact_count) == (6, 0)
    rain = dem.Inserter(shape, STEEL, region=dem.Disc((0, 0, 0), (0, 0, 1), 0.06, inner_radius=0.01), number=3)
    sim = dem.Simulation(None, inserters=[rain], gravity=(0, 0, 0), time_step=2e-5, threads=1)
    sim.step(1)
    w, x, y, z = sim.particles.orientation.T
    axis = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z)], axis=1) * shape.half_length
    places = sim.particles.position[:, None, :2] + np.linspace(-1, 1, 99)[:, None] * axis[:, None]
    distance = np.linalg.norm(places, axis=2)
    assert len(places) == 3
    assert distance.min() > 0.01 + 0.99 * radius  # spheres every quarter of a radius: 1 - cos
    assert distance.max() < 0.06 - radius
