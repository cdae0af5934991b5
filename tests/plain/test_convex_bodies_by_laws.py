"""Ellipsoids under all kinds of laws against spheres, at moving faces, grown, inserted, in case files and pictures."""

import itertools

import numpy as np
import pytest
from dem.kernels.soft.contact import convex_contacts, ongoing_contacts
from scipy.spatial.transform import Rotation

import dem
from dem.model.shapes.convex import filling, supports

PLAIN = {"young": 5e6, "poisson": 0.3, "density": 1500.0}
ELASTIC = dem.Material(**PLAIN)
LAWS = {
    "elastic": {},
    "friction": {"restitution": 0.6, "friction": 0.4},
    "adhesion": {"restitution": 0.6, "friction": 0.4, "adhesion": dem.JKR(work=0.3)},
    "rolling": {"restitution": 0.6, "friction": 0.4, "rolling": dem.Rolling(friction=0.1)},
    "linear": {"restitution": 0.6, "normal": dem.Linear(stiffness=2000.0)},
}


def two(shape, material, box=None, speed=0.05, **more):
    """Two particles that meet aslant, and spin."""
    particles = dem.Particles(
        shape, material, position=[[0.02, 0.02, 0.02], [0.02595, 0.0205, 0.0202]],
        velocity=[[speed, 0, 0], [-speed, 0, 0.05]], angular_velocity=[[3, 4, 5], [1, -2, 8.0]],
    )  # fmt: skip
    return dem.Simulation(particles, box, **({"gravity": (0, 0, 0), "time_step": 2e-6, "threads": 1} | more))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.few(1, long=2)
def test_an_ellipsoid_of_equal_axes_meets_as_a_sphere_under_any_law(law):
    """Spheres turn by a scheme of their own, of the same order: what torques do is alike to its square."""
    material, runs, met = dem.Material(**PLAIN, **LAWS[law]), [], 0
    for shape in (dem.Sphere(diameter=0.006), dem.Ellipsoid(semi_axes=(0.003, 0.003, 0.003 + 1e-18))):
        runs.append(two(shape, material))
        runs[-1].step(30)
        met += runs[-1].contact_count
        runs[-1].step(270)
    ball, grain = runs
    assert met == 2
    assert ball.contact_count == grain.contact_count
    exact = law in ("elastic", "linear")  # no torque
    size = np.abs(ball.particles.velocity).max()
    np.testing.assert_allclose(
        grain.particles.velocity, ball.particles.velocity, rtol=0, atol=(1e-12 if exact else 1e-6) * size
    )
    assert grain.energy().elastic == pytest.approx(ball.energy().elastic, rel=1e-12 if exact else 1e-6, abs=1e-30)


@pytest.mark.parametrize("law", ["elastic", "friction"])
def test_a_run_of_ellipsoids_of_equal_axes_has_the_bytes_of_spheres(law):
    """Whatever they meet: each other, faces and walls."""
    stuff, states, touched = dem.Material(**PLAIN, **LAWS[law]), [], 0
    box = dem.Box((0.0165, 0, 0.0175), (0.04, 0.04, 0.04), material=stuff)
    floor = dem.Plane((0, 0, 0.0171), (0.1, 0, 1), material=stuff)
    for shape in (dem.Sphere(diameter=0.006), dem.Ellipsoid(semi_axes=(0.003, 0.003, 0.003))):
        sim = two(shape, stuff, box, walls=[floor], gravity=(-500, 0, -900))
        for _ in range(6):
            sim.step(100)
            touched = max(touched, sim.contact_count)
        names = ("position", "orientation", "velocity", "angular_velocity")
        states.append(b"".join(getattr(sim.particles, name).tobytes() for name in names))
    assert touched > 2  # of the pair and at a face or the wall
    assert states[0] == states[1]


@pytest.mark.parametrize("angle", [0.2, 1.0])
@pytest.mark.parametrize("way", [1, -1], ids=["ball first", "ball second"])
def test_a_ball_that_hits_an_ellipsoid_off_its_centre_has_the_restitution_wanted(angle, way):
    """J = (1 + e) m* u along the normal n, with 1/m* = Σ 1/m + (r x n)·I⁻¹ (r x n) at the arm r of the ellipsoid."""
    stuff = dem.Material(young=5e8, poisson=0.3, density=1500.0, restitution=0.6)
    grain, ball = dem.Ellipsoid(semi_axes=(0.01, 0.004, 0.004)), dem.Sphere(diameter=0.008)
    arm = np.array([0.01 * np.cos(angle), 0.004 * np.sin(angle), 0])
    normal = np.array([np.cos(angle) / 0.01, np.sin(angle) / 0.004, 0])
    normal /= np.linalg.norm(normal)
    particles = dem.Particles(
        [ball, grain][::way], stuff, position=[arm + (0.004 + 1e-8) * normal, (0, 0, 0)][::way],
        velocity=[-0.5 * normal, (0, 0, 0)][::way],
    )  # fmt: skip
    sim = dem.Simulation(particles, gravity=(0, 0, 0), time_step=5e-7, threads=1)
    sim.step(1000)
    assert sim.contact_count == 0
    b = 0 if way == 1 else 1
    masses = [shape.mass_properties(1500.0) for shape in (ball, grain)]
    lever = np.cross(arm, normal)
    inverse = 1 / masses[0].mass + 1 / masses[1].mass + lever @ (lever / masses[1].inertia)
    impulse = masses[0].mass * (sim.particles.velocity[b] + 0.5 * normal) @ normal
    assert impulse * inverse / 0.5 - 1 == pytest.approx(0.6, abs=0.003)


@pytest.mark.long
def test_work_of_a_moving_face_is_booked_to_second_order():
    errors = []
    for halves in range(2):
        face = dem.Motion(amplitude=(1e-3, 0, 0), frequency=300.0)
        box = dem.Box((0.0155, 0, 0), (0.04, 0.04, 0.04), material=ELASTIC, motion={"x-": face})
        grain = dem.Ellipsoid(semi_axes=(0.0031, 0.003, 0.002))
        sim = two(grain, ELASTIC, box, speed=-0.5, time_step=4e-6 / 2**halves)
        sim.step(800 * 2**halves)
        assert abs(sim.energy().work) > 1e-6
        errors.append(sim.energy_error)
    assert errors[0] < 2e-4
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.parametrize("law", ["friction", "adhesion"])
@pytest.mark.few(1, long=99)
def test_pairs_left_out_until_their_bodies_have_moved_leave_no_trace(law, monkeypatch):
    """What is proven to be apart is not looked at: to look at every pair in every step changes no bit."""
    shapes = [
        dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.003)), dem.Sphere(diameter=0.006),
        dem.Polyhedron(vertices=list(itertools.product([-0.0025, 0.0025], repeat=3)), rounding=0.0005),
    ]  # fmt: skip
    rng, material, left_out = np.random.default_rng(3), dem.Material(**PLAIN, **LAWS[law]), []
    lattice = 0.0075 * (0.5 + np.indices((2, 2, 2)).reshape(3, -1).T)
    state = {
        "position": lattice + rng.uniform(-3e-4, 3e-4, (8, 3)), "velocity": rng.normal(0, 1.0, (8, 3)),
        "angular_velocity": rng.normal(0, 300.0, (8, 3)),
        "orientation": Rotation.random(8, rng=rng).as_quat(scalar_first=True),
    }  # fmt: skip
    list_doubtful, list_every = convex_contacts.list_doubtful, convex_contacts.list_every

    def count(number, *arrays):
        listed = list_doubtful(number, *arrays)
        left_out.append(number - listed)
        return listed

    def every(number, *arrays):
        return list_every(number, *arrays[-2:])

    runs = []
    for listing in (count, every):
        monkeypatch.setattr(convex_contacts, "list_doubtful", listing)
        particles = dem.Particles([shapes[k % 3] for k in range(8)], material, **state)
        box = dem.Box((0, 0, 0), (0.015, 0.015, 0.015), material=material)
        sim = dem.Simulation(particles, box, gravity=(0, 0, 0), time_step=1e-5, threads=1)
        sim.step(60)
        runs.append(sim)
    one, other = runs
    assert sum(left_out) > 100
    assert one._engine.kinds.solver[0] > 20  # contacts
    for name in ("position", "velocity", "orientation", "angular_velocity"):
        assert np.array_equal(getattr(one.particles, name), getattr(other.particles, name)), name


@pytest.mark.parametrize("partner", ["ball", "cube"])
@pytest.mark.parametrize("way", [1, -1], ids=["first", "second"])
def test_pairs_left_out_are_found_when_a_body_only_turns(partner, way, monkeypatch):
    """A needle turns on the spot until its tip meets another body: to look at the pair in every step changes no bit.

    Smooth bodies and such with corners are left out by different loops.
    """
    needle, ball = dem.Ellipsoid(semi_axes=(0.0045, 0.0015, 0.0015)), dem.Sphere(diameter=0.003)
    cube = dem.Polyhedron(vertices=list(itertools.product([-0.0015, 0.0015], repeat=3)), rounding=0.0005)
    module, name = (ongoing_contacts, "list_others") if partner == "ball" else (convex_contacts, "list_doubtful")
    list_some, left_out = getattr(module, name), []

    def count(number, *arrays):
        listed = list_some(number, *arrays)
        left_out.append(number - listed)
        return listed

    def every(number, *arrays):
        if partner == "ball":
            return list_some(number, False, *arrays[1:])  # as if images moved
        return convex_contacts.list_every(number, *arrays[-2:])

    runs = []
    for listing in (count, every):
        monkeypatch.setattr(module, name, listing)
        particles = dem.Particles(
            [needle, ball if partner == "ball" else cube][::way], dem.Material(**PLAIN, **LAWS["friction"]),
            position=[(0, 0, 0), (0.0055, 0, 0)][::way], angular_velocity=[(0, 0, 300.0), (0, 0, 0)][::way],
            orientation=Rotation.from_rotvec([(0, 0, -0.5 * np.pi), (0, 0, 0)][::way]).as_quat(scalar_first=True),
        )  # fmt: skip
        runs.append(dem.Simulation(particles, gravity=(0, 0, 0), time_step=2e-5, threads=1))
        runs[-1].step(300)
    one, other = runs
    assert sum(left_out) > 100
    assert np.abs(one.particles.velocity).max() > 0.05  # they have met
    for array in ("position", "velocity", "orientation", "angular_velocity"):
        assert np.array_equal(getattr(one.particles, array), getattr(other.particles, array)), array


def test_grains_grow_until_they_touch():
    grain = dem.Ellipsoid(semi_axes=(0.003, 0.002, 0.002))
    particles = dem.Particles(grain, ELASTIC, position=[[0, 0, 0], [0.00605, 0, 0]])
    sim = dem.Simulation(particles, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    assert sim.contact_count == 0
    sim.grow(1.01)
    assert sim.contact_count == 1
    assert sim.contact_forces().overlap == pytest.approx([2 * 0.00303 - 0.00605], abs=1e-15)


@pytest.mark.long
def test_inserted_and_packed_grains_overlap_nothing_and_are_in_the_file(tmp_path):
    grain = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
    block = dem.Superellipsoid(semi_axes=(0.003, 0.003, 0.002), exponents=(4, 4))
    box = dem.Box((0, 0, 0), (0.05, 0.05, 0.12), material=ELASTIC)
    packed = dem.pack(grain, ELASTIC, box=box, number=8, upper=(0.05, 0.05, 0.04))
    above = dem.Block((0.005, 0.005, 0.06), (0.045, 0.045, 0.11))
    rain = dem.Inserter([grain, block], ELASTIC, region=above, number=5, every=1e-4)
    sim = dem.Simulation(packed, box, inserters=[rain], time_step=5e-6, threads=1)
    sim.run(1e-3, output=tmp_path / "run.h5", frames=2)
    assert len(sim.particles) == 13
    assert sim.contact_count == 0
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert {shape for shape, _ in run.shapes} == {grain, block}
        volume = {v.volume for v in run.variants}
        assert volume == {grain.volume, block.volume}


def test_a_case_file_has_both(tmp_path):
    text = """
duration = 1e-4
time_step = 5e-6
materials.glass = { young = 5e6, poisson = 0.3, density = 2500 }
shapes.grain = { type = "ellipsoid", semi_axes = ["4 mm", "3 mm", "2 mm"] }
shapes.block = { type = "superellipsoid", semi_axes = ["3 mm", "3 mm", "2 mm"], exponents = [4, 3] }

[[particles]]
shape = "grain"
material = "glass"
position = [[0, 0, 0.01]]

[[particles]]
shape = "block"
material = "glass"
position = [[0, 0, 0.03]]
"""
    (tmp_path / "case.toml").write_text(text)
    sim = dem.load(tmp_path / "case.toml")
    grain, block = (shape for shape, _ in sim.particles.variants)
    assert grain == dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
    assert block == dem.Superellipsoid(semi_axes=(0.003, 0.003, 0.002), exponents=(4, 3))


def test_balls_of_pictures_are_inside_and_reach_the_surface():
    """A point that is within h(n) for all normals is inside; along rays the outline is off by a few percent."""
    for shape in (dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002)), dem.Sphere(diameter=0.006)):
        if isinstance(shape, dem.Sphere):
            shape = dem.Ellipsoid(semi_axes=(0.003, 0.003, 0.003))  # noqa: PLW2901, which one ball is
        centres, radii = filling(shape)
        normals = np.random.default_rng(1).normal(size=(3, 2000))
        normals /= np.linalg.norm(normals, axis=0)
        h, x = supports(shape, normals)
        assert (centres @ normals + radii[:, None] - h).max() < 0.02 * h.max()  # normals between
        gap = (np.linalg.norm(x.T[:, None] - centres, axis=2) - radii).min(1)
        assert gap.max() < 0.1 * h.max()
        assert gap.mean() < 0.03 * h.max()
    assert len(centres) == 1
