"""Capsules at meshes, blocks and other walls with edges: one potential, closed forms, conservation, refusals."""

import math

import numpy as np
import pytest
from capsule_wall_potentials import HALF, RADIUS, Felt
from scipy.spatial import Delaunay

import dem

STEEL = dem.Material(young=5e7, poisson=0.3)
CAPSULE = dem.Capsule(diameter=0.01, aspect_ratio=3)
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TWELVE = [t for a, b, c, d in FACES for t in ((a, b, c), (a, c, d))]


def block(half, material=STEEL):
    return dem.Block([-h for h in half], half, material=material)


def triangulated(half, material=STEEL):
    return dem.Mesh(CORNERS * half, TWELVE, material=material)


def hills():
    """A rough landscape."""
    rng, line = np.random.default_rng(1), np.linspace(-4, 4, 9)
    x, y = np.meshgrid(line, line, indexing="ij")
    vertices = np.stack([x, y, 0.4 * rng.random(x.shape)], -1).reshape(-1, 3)
    corners = [9 * i + j for i in range(8) for j in range(8)]
    return dem.Mesh(vertices, [t for a in corners for t in ((a, a + 9, a + 10), (a, a + 10, a + 1))], material=STEEL)


def sheet(size, high=0.0, seed=3, number=60):
    """A plane of random triangles."""
    inner = np.random.default_rng(seed).uniform(-size, size, (number, 2))
    x = np.concatenate([inner, 1.3 * size * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])])
    return dem.Mesh(np.column_stack([x, np.full(len(x), high)]), Delaunay(x).simplices, material=STEEL)


WALLS = {
    "block": lambda: block((3, 2, 2)),
    "mesh": lambda: triangulated((3, 2, 2)),
    "hills": hills,
    "rod": lambda: dem.CapsuleWall((-3, 0, 0), (3, 0, 0), 1.0, material=STEEL),
    "rectangle": lambda: dem.Rectangle((0, 0, 0), (4, 0, 0), (0, 3, 0), material=STEEL),
    "ball": lambda: dem.Ball((0, 0, 0), 1.0, material=STEEL, inside=False),
}


@pytest.mark.parametrize("wall", [pytest.param(each, marks=[pytest.mark.long] * (each == "hills")) for each in WALLS])
def test_force_and_couple_are_the_gradient_of_one_potential(wall):
    """Differences are good to 1e-6; potentials and forces are of the order of 1."""
    felt, sides = Felt(WALLS[wall]()), 0
    for x, u in felt.poses(10, (3, 3, 2.5), seed=1):
        _energy, force, torque, side = felt(x, u)
        by_differences, couple = felt.gradient(x, u)
        assert force == pytest.approx(by_differences, abs=1e-5)
        assert torque == pytest.approx(couple, abs=1e-5)
        sides += side
    assert sides  # so that it is these that are looked at


def test_a_block_is_felt_as_its_triangles():
    """Two ways to find where a segment is nearest, halving and closest points: to rounding."""
    one, other = Felt(block((3, 2, 2))), Felt(triangulated((3, 2, 2)))
    for x, u in one.poses(25, (4, 4, 3), seed=2):
        for a, b in zip(one(x, u), other(x, u), strict=True):
            assert a == pytest.approx(b, abs=1e-12)


@pytest.mark.parametrize("rise", [0.0, 1e-9, 1e-3, 0.3])
def test_a_plane_of_triangles_is_felt_by_ends_alone(rise):
    felt, rng = Felt(sheet(6.0)), np.random.default_rng(4)
    for _ in range(30):
        turn = rng.uniform(0, 2 * math.pi)
        u = HALF * np.array([math.cos(turn), math.sin(turn), rise]) / math.hypot(1, rise)
        assert felt.sides((*rng.uniform(-2, 2, 2), u[2] + 0.9 * RADIUS), u) == 0


def test_on_a_plane_of_triangles_it_goes_as_on_a_plane():
    """Slides, lands with both ends and goes on turning; energies and paths to rounding."""
    runs = []
    for wall in (sheet(0.06), dem.Plane((0, 0, 0), (0, 0, 1), material=STEEL)):
        bodies = dem.Particles(
            CAPSULE, dem.Material(young=5e7, poisson=0.35, density=1100.0), position=[(0, 0, 0.0052)],
            orientation=[(math.cos(0.01), 0, math.sin(0.01), 0)], velocity=[(0.5, 0.2, -0.3)],
            angular_velocity=[(3, 0, 5)],
        )  # fmt: skip
        sim = dem.Simulation(bodies, walls=[wall], time_step=1e-5, threads=1)
        sim.step(30)
        p, state = sim.particles, sim.energy()
        runs.append(np.concatenate([p.position[0], p.orientation[0], p.angular_velocity[0], [state.elastic]]))
        assert sim.contact_count == 1
    assert runs[0] == pytest.approx(runs[1], rel=1e-10, abs=1e-13)


def across(wall, *, restitution=1.0, friction=0.0, dt=1e-6, velocity=(0, 0, 0), height=0.00499, shift=0.0, spin=0.0):
    """A capsule along x above a wall, and nothing else."""
    stuff = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=restitution, friction=friction)
    bodies = dem.Particles(
        CAPSULE, stuff, position=[(shift, 0, height)], velocity=[velocity], angular_velocity=[(0, spin, 0)]
    )
    return dem.Simulation(bodies, walls=[wall], gravity=(0, 0, 0), time_step=dt, threads=1)


def rod(restitution=1.0, friction=0.0):
    """Along y, its top at z = 0."""
    steel = dem.Material(young=5e7, poisson=0.3, restitution=restitution, friction=friction)
    return dem.CapsuleWall((0, -0.05, -0.005), (0, 0.05, -0.005), 0.005, material=steel)


@pytest.mark.parametrize(("restitution", "friction"), [(1.0, 0.0), (0.7, 0.5)])
def test_the_middle_is_held_by_the_force_of_one_contact(restitution, friction):
    """4/3 E* √R δ^1.5 at δ = 1e-5 m, from below the middle; 1e-12 of a place is 1e-7 of the overlap."""
    sim = across(rod(restitution, friction), restitution=restitution, friction=friction, shift=0.002)
    told = sim.contact_forces()
    modulus = 1 / ((1 - 0.35**2) / 5e7 + (1 - 0.3**2) / 5e7)
    assert told.force[0] == pytest.approx([0, 0, 4 / 3 * modulus * math.sqrt(0.005) * 1e-5**1.5], rel=1e-9)
    assert (told.j.tolist(), sim.contact_count) == ([-7], 1)
    assert told.arm[0] == pytest.approx([-0.002, 0, -0.004995], abs=1e-9)
    assert sim.walls[0].force == pytest.approx(-told.force[0], rel=1e-6)


@pytest.mark.parametrize("shift", [0.0, 0.006])
def test_a_rebound_has_the_restitution_asked_for(shift):
    """Of the velocity of the point that touches; as Tsuji's damping has it, with the mass at that point, to 1e-3."""
    sim = across(rod(0.8), restitution=0.8, dt=4e-6, velocity=(0, 0, -0.1), height=0.00501, shift=shift)
    sim.step(350)
    p = sim.particles
    assert sim.contact_count == 0
    there = p.velocity[0, 2] + shift * p.angular_velocity[0, 1]
    assert there == pytest.approx(0.08, rel=5e-3)
    assert (p.angular_velocity[0, 1] > 1) == (shift > 0)


def test_friction_remembers_as_it_slides_along_an_edge():
    """Friction at the lowest point takes of m v R what it gives to I ω, but for what the load does as it moves on, 5 %.

    Where sliding has ended its spring holds: the surface swings about rest, well below the speed of the start.
    """
    sim = across(rod(0.5, 0.8), restitution=0.5, friction=0.8, dt=8e-6, velocity=(0.02, 0, -0.02), height=0.00501)
    sim.gravity = (0.0, 0.0, -200.0)
    sim.step(400)
    p, told = sim.particles, sim.contact_forces()
    assert sim.contact_count == 1
    of, spin = CAPSULE.mass_properties(1100.0), p.angular_velocity[0, 1]
    assert p.velocity[0, 0] + of.inertia[1] * spin / (of.mass * 0.005) == pytest.approx(0.02, rel=0.1)
    assert abs(p.velocity[0, 0] - 0.005 * spin) < 0.1 * 0.02
    assert sim.energy().dissipated > 0
    assert abs(told.force[0, 0]) < 0.8 * told.force[0, 2]


def test_cut_and_restarted_runs_have_the_same_bytes(tmp_path):
    """While friction holds a side: its spring is among what is kept; with other lists too."""
    start = {"restitution": 0.5, "friction": 0.8, "dt": 8e-6, "velocity": (0.02, 0, -0.02)}
    sims = [across(rod(0.5, 0.8), **start) for _ in range(2)]
    sims[0].step(60)
    sims[1].step(25)
    assert sims[1].contact_forces().force[0, 0] < 0
    sims[1].save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    again.step(35)
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        assert getattr(again.particles, name).tobytes() == getattr(sims[0].particles, name).tobytes()
    assert again.energy() == sims[0].energy()


def test_energy_is_kept_to_second_order_against_edges():
    """One that turns meets a block's edge with its side, in a room of triangles; errors by 4 for half the step."""
    room, ridge, errors, met = triangulated((0.03,) * 3), triangulated((0.02, 0.004, 0.008)), [], 0
    for dt in (8e-6, 4e-6):
        bodies = dem.Particles(
            CAPSULE, dem.Material(young=5e7, poisson=0.35, density=1100.0), position=[(0.003, 0.001, 0.0145)],
            orientation=[(0.8, 0.0, 0.1, math.sqrt(0.35))], velocity=[(0.1, 0, -1.0)], angular_velocity=[(10, 20, 5)],
        )  # fmt: skip
        sim = dem.Simulation(bodies, walls=[room, ridge], gravity=(0, 0, 0), time_step=dt, threads=1)
        for _ in range(8):
            sim.step(round(2e-4 / dt))
            met += sim.contact_count
        errors.append(sim.energy_error)
    assert met
    assert 3 < errors[0] / errors[1] < 5.5


@pytest.mark.parametrize(
    ("wall", "box", "said"),
    [
        (dem.Block((-1, -1, -1), (1, 1, 0), material=STEEL, roughness=0.1), None, "has roughness 0.1"),
        (
            dem.Block((0, -1, -1), (0.97, 1, 0), material=STEEL),
            dem.Box((0, 0, 0), (1, 1, 1), material=STEEL, periodic=("x",)),
            "leaves a gap of 0.03 m along the periodic axis x",
        ),
        (
            dem.CapsuleWall((0.1, 0.5, 0), (0.9, 0.5, 0), 0.1, material=STEEL),
            dem.Box((0, 0, 0), (1, 1, 1), material=STEEL, periodic=("x",)),
            "has no straight shape along the periodic axis x",
        ),
    ],
)
def test_walls_that_are_refused(wall, box, said):
    bodies = dem.Particles(CAPSULE, dem.Material(young=5e7, poisson=0.35, density=1100.0), position=[(0.5, 0.5, 0.5)])
    with pytest.raises(ValueError, match=said):
        dem.Simulation(bodies, box, walls=[wall], time_step=1e-5)


PLAIN = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.7, friction=0.4)
SEAM = {  # top of a wall, the wall where it is met at a seam, and the same in a box without seams
    "roll": (
        0.006,
        dem.Cylinder((0, 0.05, 0), (0.1, 0.05, 0), 0.006, inside=False, material=PLAIN),
        dem.Cylinder((-1, 0.05, 0), (1, 0.05, 0), 0.006, inside=False, material=PLAIN),
    ),
    "bar": (
        0.006,
        dem.Block((0, 0.046, -0.006), (0.1, 0.054, 0.006), material=PLAIN),
        dem.Block((-1, 0.046, -0.006), (1, 0.054, 0.006), material=PLAIN),
    ),
    "sheet": (
        0.0,
        dem.Rectangle((0.05, 0.05, 0.0), (0.1, 0, 0), (0, 0.01, 0), material=PLAIN),
        dem.Rectangle((0, 0.05, 0.0), (2, 0, 0), (0, 0.01, 0), material=PLAIN),
    ),
    "ring": (0.004, *(dem.Torus((x, 0.05, 0), (0, 0, 1), 0.008, 0.004, material=PLAIN) for x in (0.099, -0.001))),
    "ridge": (
        0.006,
        *(dem.Mesh(CORNERS * (0.006, 0.004, 0.006) + (x, 0.05, 0), TWELVE, material=PLAIN) for x in (0.099, -0.001)),
    ),
}


@pytest.mark.parametrize("name", SEAM)
def test_sides_at_a_seam_feel_what_they_would_elsewhere(name):
    """A capsule that lies across a periodic face, or whose wall does: as without faces, to rounding."""
    paths, (top, *walls) = [], SEAM[name]
    for wall, box in zip(walls, (("x",), ()), strict=True):
        bodies = dem.Particles(
            CAPSULE, PLAIN, position=[(0.002, 0.0505, top + 0.0053)],
            orientation=[(math.cos(0.4), 0.02, 0.0, math.sqrt(1 - math.cos(0.4) ** 2 - 0.02**2))],
            velocity=[(0.1, 0.0, -0.5)],
        )  # fmt: skip
        room = dem.Box((0, 0, -0.1), (0.1, 0.1, 0.1), material=PLAIN, periodic=box) if box else None
        sim = dem.Simulation(bodies, room, walls=[wall], gravity=(0, 0, 0), time_step=1.6e-5, threads=1)
        sim.step(45)
        p = sim.particles
        assert sim.contact_count or p.velocity[0, 2] > 0
        paths.append(np.concatenate([p.velocity[0], p.angular_velocity[0], p.position[0, 1:]]))
    assert np.linalg.norm(paths[0] - paths[1]) < 1e-8 * np.linalg.norm(paths[1])
    assert np.linalg.norm(paths[0][3:6]) > 1  # it turns
