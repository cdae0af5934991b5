"""Walls that move, are rough, open or periodic."""

import math

import numpy as np
import pytest
from dem.kernels.soft.contact.body_placement import place_all
from dem.kernels.soft.wall_contact.box_contacts import face_force
from sample_runs import random_quaternions
from scipy import stats

import dem

STATE = ("position", "velocity", "orientation", "angular_velocity")


def ball_above(wall, height=0.0051, velocity=(0, 0, 0), box=None, diameter=0.01, **options):
    """One sphere above the floor of a box."""
    material = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    particles = dem.Particles(
        dem.Sphere(diameter=diameter), material, position=[[0.5, 0.5, height]], velocity=[velocity]
    )
    box = box or dem.Box((0, 0, 0), (1, 1, 1), wall)
    return dem.Simulation(particles, box, **{"gravity": (0, 0, 0), "time_step": 1e-6, **options})


# moving walls


@pytest.mark.parametrize(("face", "u"), [("z-", 0.4), ("z+", -0.4)])
def test_a_wall_that_comes_is_an_impact_in_its_own_frame(face, u, wall):
    """Galilei: a sphere at rest hit by a wall at u leaves at 2 u; work of the wall is the kinetic energy gained."""
    box = dem.Box((0, 0, 0), (1, 1, 1), wall, motion={face: dem.Motion(velocity=(0, 0, u))})
    sim = ball_above(wall, height=0.0051 if u > 0 else 0.9949, box=box)
    sim.step(2000)
    # second order at 420 steps a contact: 1e-5
    assert sim.particles.velocity[0, 2] == pytest.approx(2 * u, rel=2e-5)
    energy = sim.energy()
    assert energy.work == pytest.approx(energy.kinetic, rel=2e-5)
    assert energy.dissipated == 0
    assert sim.energy_error < 1e-4


@pytest.mark.parametrize("face", ["z-", "z+"])
def test_a_wall_that_comes_loses_what_damping_takes_in_its_frame(face):
    """A sphere at rest leaves at (1 + e) u; the wall gives (1 + e) m u² of work, of which (1 - e²)/2 become heat."""
    u, e = 0.4, 0.6
    lossy = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=e, friction=0.5)  # which nothing feels
    way = 1 if face == "z-" else -1
    box = dem.Box((0, 0, 0), (1, 1, 1), lossy, motion={face: dem.Motion(velocity=(0, 0, way * u))})
    ball = dem.Particles(dem.Sphere(diameter=0.01), lossy, position=[[0.5, 0.5, 0.5 - way * 0.4949]])
    sim = dem.Simulation(ball, box, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    sim.step(1200)
    energy, unit = sim.energy(), sim.particles.mass[0] * u**2
    # second order at 420 steps a contact: 1e-4
    assert sim.particles.velocity[0, 2] == pytest.approx(way * (1 + e) * u, rel=1e-4)
    assert energy.work == pytest.approx((1 + e) * unit, rel=1e-4)
    assert energy.dissipated == pytest.approx(0.5 * (1 - e**2) * unit, rel=5e-4)


def test_the_power_of_moving_walls_is_what_they_store_in_a_sphere_that_is_held(wall):
    """Elastic contacts: F = -dE/dx of the sphere, and each wall by itself does dE/dt, whatever it does sideways."""
    x, radius, modulus, h = np.array([0.5, 0.4, 0.6]), 0.005, 3e7, 1e-7
    overlap = np.array([[1.0, 2.0, 0.7], [1.5, 0.4, 0.6]]) * 1e-4
    rest = ball_above(wall)._engine.walls.faces._replace(lower=x - radius + overlap[0], upper=x + radius - overlap[1])

    def energy(at, lower=rest.lower, upper=rest.upper):
        return face_force(tuple(at), radius, modulus, rest._replace(lower=lower, upper=upper))[1]

    # differences are off by (h/overlap)²/8 = 1e-6, and by the rounding of places of 1 m, 1e-16 m over h = 1e-9
    force = face_force(tuple(x), radius, modulus, rest)[0]
    slope = [(energy(x + h * e) - energy(x - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(force, np.negative(slope), rtol=1e-5)
    for axis, upper in np.ndindex(3, 2):
        velocity = np.zeros((3, 6))
        velocity[:, 2 * axis + upper] = (0.3, -0.5, 0.7)
        power = face_force(tuple(x), radius, modulus, rest._replace(velocity=velocity))[3]
        moved = h * np.eye(3)[axis]
        there, back = (
            energy(x, rest.lower + way * (1 - upper) * moved, rest.upper + way * upper * moved) for way in (1, -1)
        )
        assert power == pytest.approx((there - back) / (2 * h) * velocity[axis, 2 * axis + upper], rel=1e-5)


def test_a_wall_that_slides_drags_a_sphere_to_its_speed():
    """A sphere pressed on a belt by gravity slips until it rolls; it gains no energy but from the wall's work."""
    rough = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=0.5, friction=0.3)
    box = dem.Box((-9, -9, 0), (9, 9, 9), rough, motion={"z-": dem.Motion(velocity=(0.2, 0, 0))})
    particles = dem.Particles(dem.Sphere(diameter=0.01), rough, position=[[0, 0, 0.005]])
    sim = dem.Simulation(particles, box, time_step=1e-5)
    sim.step(20_000)
    v, omega = sim.particles.velocity[0], sim.particles.angular_velocity[0]
    # sliding friction gives 2/7 of the belt's speed when slip ends; the rest is rotation
    assert v[0] == pytest.approx(0.2 * 2 / 7, rel=1e-3)
    assert v[0] - 0.005 * omega[1] == pytest.approx(0.2, rel=1e-3)
    assert sim.energy().work > sim.energy().kinetic
    assert sim.verdict().passed


def test_a_vibrating_wall_moves_as_it_should(wall):
    motion = dem.Motion(velocity=(0, 0, 0.01), amplitude=(1e-3, 0, 2e-3), frequency=25.0, phase=0.3)
    sim = ball_above(wall, height=0.5, box=dem.Box((0, 0, 0), (1, 1, 1), wall, motion={"z-": motion}))
    for _ in range(5):
        sim.step(1713)
        angle = 2 * math.pi * 25 * sim.time + 0.3
        expected = 0.01 * sim.time + 2e-3 * (math.sin(angle) - math.sin(0.3))
        assert sim._engine.walls.faces.lower[2] == pytest.approx(expected, abs=1e-15)
        speed = [2 * math.pi * 25 * a * math.cos(angle) for a in (1e-3, 0, 2e-3)]
        np.testing.assert_allclose(
            sim._engine.walls.faces.velocity[:, 4], [speed[0], 0, speed[2] + 0.01], rtol=0, atol=1e-14
        )


def test_a_shaken_bed_keeps_its_account():
    """Work of the walls less dissipation is the change of mechanical energy, as for one contact, to 1 %."""
    grains = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.7, friction=0.5)
    grid = (np.stack(np.meshgrid(*[np.arange(4)] * 3), -1).reshape(-1, 3) + 0.5) * 0.0104
    motion = dem.Motion(amplitude=(0, 0, 2e-3), frequency=30.0)
    box = dem.Box((0, 0, 0), (0.0416, 0.0416, 0.1), grains, motion=motion)
    sim = dem.Simulation(dem.Particles(dem.Sphere(diameter=0.01), grains, position=grid), box, time_step=1e-5)
    before = sim.energy().mechanical
    sim.step(15_000)
    energy = sim.energy()
    assert energy.work > 0.1 * before
    assert energy.dissipated > 0.1 * before
    assert energy.mechanical == pytest.approx(before + energy.work - energy.dissipated, abs=0.01 * energy.work)


def test_refuses_walls_that_cannot_be(wall):
    with pytest.raises(ValueError, match=r"face z- moves up to .* in a time step, at most .*lower time_step"):
        ball_above(wall, box=dem.Box((0, 0, 0), (1, 1, 1), wall, motion={"z-": dem.Motion(velocity=(0, 0, 1e3))}))
    with pytest.raises(ValueError, match=r"unknown face 'z'.* known are x-"):
        dem.Box((0, 0, 0), (1, 1, 1), wall, open=["z"])
    with pytest.raises(TypeError, match=r"open is 'z\+', expected a list"):
        dem.Box((0, 0, 0), (1, 1, 1), wall, open="z+")
    with pytest.raises(ValueError, match=r"face z\+ is open or periodic and cannot move"):
        dem.Box((0, 0, 0), (1, 1, 1), wall, open=["z+"], motion={"z+": dem.Motion()})
    with pytest.raises(ValueError, match=r"face x- is open, but its axis is periodic"):
        dem.Box((0, 0, 0), (1, 1, 1), wall, open=["x-"], periodic=["x"])
    with pytest.raises(ValueError, match=r"frequency is -1 Hz"):
        dem.Motion(frequency=-1)
    with pytest.raises(ValueError, match=r"with frequency but no amplitude does not vibrate: give amplitude, or"):
        dem.Motion(velocity=(0, 0, 1), frequency=30)
    with pytest.raises(ValueError, match=r"with amplitude but no frequency does not vibrate: give frequency, or"):
        dem.Motion(amplitude=(0, 0, 1e-3))
    with pytest.raises(ValueError, match=r"with amplitude and phase but no frequency does not vibrate"):
        dem.Motion(amplitude=(0, 0, 1e-3), phase=1.0)
    with pytest.raises(ValueError, match=r"with phase but no amplitude and frequency does not vibrate"):
        dem.Motion(velocity=(0, 0, 1), phase=1.0)
    with pytest.raises(ValueError, match=r"roughness is 2 rad, .* at most 1"):
        dem.Box((0, 0, 0), (1, 1, 1), wall, roughness=2)
    with pytest.raises(ValueError, match=r"the box is 0.02 m long along its periodic axis x, at least 0.021"):
        ball_above(wall, box=dem.Box((0.49, 0, 0), (0.51, 1, 1), wall, periodic=["x"]))


# open and periodic faces


def test_the_floor_goes_on_beyond_open_sides(wall):
    """Dropped inside and thrown out, a ball bounces out there as high as it does inside."""
    box = dem.Box((0, 0, 0), (0.51, 1, 1), wall, open=["x+"])
    options = {"height": 0.006, "gravity": (0, 0, -9.81), "time_step": 1e-5}
    out, inside = (ball_above(wall, velocity=(v, 0, 0), box=box, **options) for v in (1.0, 0.0))
    for sim in (out, inside):
        sim.step(3000)  # three hops of 9 ms or so
    assert out.particles.position[0, 0] > 0.51 + 0.01
    assert out.particles.position[0, 2] == pytest.approx(inside.particles.position[0, 2], abs=1e-9)
    assert inside.particles.position[0, 2] > 0.0049


def test_particles_leave_through_open_faces_and_come_back_under_gravity(wall):
    """No force at z = 0.1, where the open face is: height v²/2g to rounding, and the same way back."""
    box = dem.Box((0, 0, 0), (1, 1, 0.1), wall, open=["z+"])
    sim = ball_above(wall, height=0.05, velocity=(0, 0, 2.0), box=box, gravity=(0, 0, -10), time_step=1e-5)
    sim.step(20_000)
    assert sim.particles.position[0, 2] == pytest.approx(0.05 + 0.2, rel=1e-12)
    assert sim.verdict().passed


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.few(1)
def test_an_impact_across_a_periodic_face_is_an_impact(friction):
    """The same as in the middle but for the rounding of positions."""
    material = dem.Material(young=5e7, poisson=0.35, density=1100.0, friction=friction)
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), material, periodic=["x", "y", "z"])
    outcomes = []
    for shift in ((0.05, 0.05, 0.05), (0.0, 0.0, 0.0), (0.1, 0.05, 0.1)):
        particles = dem.Particles(
            dem.Fibre(diameter=0.01, aspect_ratio=2, spheres=3), material,
            position=np.array([[-0.011, 0.001, 0.0], [0.011, 0.0, -0.002]]) + shift,
            orientation=[[1, 0, 0, 0], [0.9, 0.1, -0.3, np.sqrt(1 - 0.81 - 0.01 - 0.09)]],
            velocity=[[0.5, 0.1, 0], [-0.5, 0, 0.05]],
        )  # fmt: skip
        sim = dem.Simulation(particles, box, gravity=(0, 0, 0), time_step=2e-6)
        linear, _ = sim.momentum()
        sim.step(10_000)
        assert sim._engine.run_state.largest_overlap[0] > 0
        np.testing.assert_allclose(sim.momentum()[0], linear, rtol=0, atol=1e-16)
        outcomes.append(
            np.hstack([sim.particles.position - shift, sim.particles.velocity, sim.particles.angular_velocity / 100])
        )
    # positions of 0.1 m are rounded to 1e-17 m, overlaps of 1e-4 m so to 1e-13, a chaotic second impact some more
    np.testing.assert_allclose(outcomes[1], outcomes[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(outcomes[2], outcomes[0], rtol=0, atol=1e-10)


def sphere_pairs(sim, skin):
    """Pairs of spheres of different bodies closer than the skin, by images."""
    engine = sim._engine
    place_all(engine.bodies, engine.kinds)
    centre, owner = engine.bodies.sphere_position.T, engine.bodies.owner
    radius = engine.overlaps().radius
    length = np.array(
        [size if axis in sim.box.periodic else 1e9 for axis, size in zip("xyz", sim.box.size, strict=True)]
    )
    gap = centre[:, None] - centre[None]
    gap -= length * np.round(gap / length)
    near = np.linalg.norm(gap, axis=2) < radius[:, None] + radius[None] + skin
    return {tuple(pair) for pair in np.argwhere(near & (owner[:, None] < owner[None])).tolist()}


@pytest.mark.parametrize("axes", [("x", "y", "z"), ("y",), ("x", "z")])
@pytest.mark.few(3)
@pytest.mark.parametrize("kind", ["fibres", "spheres", "sizes"])
def test_periodic_pairs_are_those_of_all_images(kind, axes, rng, nylon, wall, monkeypatch):
    monkeypatch.setattr("dem.soft.checks.DEEPEST_START", 10.0)
    shapes = {
        "spheres": [dem.Sphere(diameter=0.01)],
        "sizes": [dem.Sphere(diameter=0.01), dem.Sphere(diameter=0.003)],
        "fibres": [dem.Fibre(diameter=0.006, aspect_ratio=3)],
    }[kind]
    position = rng.uniform(0.02, 0.1, (200, 3))
    for axis in axes:  # from anywhere
        position[:, "xyz".index(axis)] = rng.uniform(-0.2, 0.3, 200)
    particles = dem.Particles(
        [shapes[k % len(shapes)] for k in range(200)], nylon, position=position,
        orientation=random_quaternions(rng, 200),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (0.12, 0.12, 0.12), wall, periodic=axes)
    sim = dem.Simulation(particles, box, time_step=1e-6, _skin=(0.003, 0.0005))
    i, j = sim._engine.candidates()
    owner = sim._engine.bodies.owner
    found = {(a, b) if owner[a] < owner[b] else (b, a) for a, b in zip(i.tolist(), j.tolist(), strict=True)}
    assert len(found) == len(i) > 5
    assert found == sphere_pairs(sim, 0.0005)


@pytest.mark.parametrize("skin", [(0.003, 0.0003), (0.006, 0.002)])
@pytest.mark.slow
def test_the_skin_does_not_show_in_a_periodic_shear(skin):
    """Fibres and spheres between two rough belts that run against each other, periodic along the belts."""
    sims = []
    for choice in (None, skin):
        rng = np.random.default_rng(11)
        grains = dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.8, friction=0.5)
        grid = (np.stack(np.meshgrid(*[np.arange(5)] * 3), -1).reshape(-1, 3) + 0.5) * 0.0104
        shapes = [
            dem.Fibre(diameter=0.005, aspect_ratio=2) if k % 2 else dem.Sphere(diameter=0.0095) for k in range(125)
        ]
        particles = dem.Particles(
            shapes,
            grains,
            position=grid,
            orientation=random_quaternions(rng, 125),
            velocity=rng.normal(0, 0.3, (125, 3)),
        )
        motion = {"z-": dem.Motion(velocity=(0.5, 0, 0)), "z+": dem.Motion(velocity=(-0.5, 0, 0))}
        box = dem.Box(
            (0, 0, 0), (0.052, 0.052, 0.052), grains, periodic=["x", "y"], motion=motion, roughness=0.1, seed=5
        )
        sims.append(dem.Simulation(particles, box, time_step=1e-5, _skin=choice))
        sims[-1].step(6000)
    for name in STATE:
        np.testing.assert_array_equal(*(getattr(sim.particles, name) for sim in sims))
    assert sims[0].energy() == sims[1].energy()
    assert np.abs(sims[0].particles.position[:, 0] - 0.026).max() > 0.03  # some went round
    assert sims[0]._engine.bodies.wall_contacts.sum() > 20


# rough walls


@pytest.mark.slow
def test_rebound_angles_follow_the_effective_distribution():
    """A smooth elastic sphere leaves at α + 2 γ in the plane of incidence, γ with the shadow effect's density."""
    sigma, alpha, n = np.radians(4), np.radians(40), 900
    smooth = dem.Material(young=5e8, poisson=0.3, density=1100.0)
    grid = np.stack(np.meshgrid(np.arange(30), np.arange(30)), -1).reshape(-1, 2) * 0.02 + 0.2
    particles = dem.Particles(
        dem.Sphere(diameter=0.01), smooth, position=np.column_stack([grid, np.full(n, 0.00501)]),
        velocity=np.tile([math.cos(alpha), 0, -math.sin(alpha)], (n, 1)),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (2, 2, 1), smooth, roughness=sigma, seed=7)
    sim = dem.Simulation(particles, box, gravity=(0, 0, 0), time_step=5e-7)
    sim.step(1000)
    assert sim.energy_error < 1e-5  # a contact of 340 steps; planes are drawn without a jump of energy
    np.testing.assert_array_equal(sim._engine.bodies.wall_contacts, 1)  # at 40 degrees, ten σ, one hit is enough
    v = sim.particles.velocity
    gamma = 0.5 * (np.arctan2(v[:, 2], v[:, 0]) - alpha)
    x = np.linspace(-0.5, 0.5, 20001)
    density = dem.effective_density(x, alpha, sigma)
    # the tilt across the plane changes the projected angle by some γ²; of 900 angles KS sees 0.05
    assert stats.kstest(gamma, lambda g: np.interp(g, x, np.cumsum(density) * (x[1] - x[0]))).pvalue > 0.01


@pytest.mark.long
def test_a_particle_never_falls_through_a_rough_wall():
    """At grazing incidence most inclinations leave it moving at the wall still: it is hit again, until it leaves."""
    smooth = dem.Material(young=5e7, poisson=0.3, density=1100.0, restitution=0.9, friction=0.2)
    n = 100
    grid = np.stack(np.meshgrid(np.arange(10), np.arange(10)), -1).reshape(-1, 2) * 0.05 + 0.1
    particles = dem.Particles(
        dem.Sphere(diameter=0.01), smooth, position=np.column_stack([grid, np.full(n, 0.00501)]),
        velocity=np.tile([1.0, 0, -0.03], (n, 1)),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (9, 2, 1), smooth, roughness=0.2, seed=2)
    sim = dem.Simulation(particles, box, gravity=(0, 0, 0), time_step=1e-6)
    sim.step(20_000)
    assert (sim.particles.velocity[:, 2] > 0).all()
    assert (sim.particles.position[:, 2] > 0.005).all()
    assert (np.linalg.norm(sim.particles.velocity, axis=1) <= 1.0005).all()
    assert sim.verdict().passed


@pytest.mark.slow
def test_a_rough_wall_that_moves_pushes_as_a_flat_one_does(wall):
    """As roughness vanishes: the sphere leaves at twice the wall's speed."""
    motion = {"z-": dem.Motion(velocity=(0.3, 0, 0.4))}
    sim = ball_above(wall, box=dem.Box((0, 0, 0), (1, 1, 1), wall, motion=motion, roughness=1e-7))
    sim.step(2000)
    assert sim.particles.velocity[0, 2] == pytest.approx(0.8, rel=2e-5)
    assert sim.energy_error < 1e-4


@pytest.mark.parametrize("axes", [(), ("x", "y")])
@pytest.mark.few(1)
def test_what_rolls_on_a_rough_floor_stays_on_it(axes):
    """Down its inclination, at most σ R below the flat wall, through periodic faces too; and the account is kept."""
    rough = dem.Material(young=5e6, poisson=0.3, density=1100.0, restitution=0.5, friction=0.5)
    box = dem.Box((0, 0, 0), (0.1, 0.1, 1), rough, periodic=axes, roughness=0.05, seed=4)
    velocity = [[0.4, 0.1, 0.0], [-0.3, 0.3, 0.0]]
    particles = dem.Particles(
        dem.Sphere(diameter=0.01), rough, position=[[0.05, 0.03, 0.006], [0.05, 0.07, 0.006]], velocity=velocity
    )
    sim = dem.Simulation(particles, box, time_step=1e-5)
    for _ in range(10):
        sim.step(5000)
        assert (sim.particles.position[:, 2] > 0.005 * (1 - 0.05 - 0.02)).all()  # overlaps of 1 % besides
    assert sim.energy_error < 0.01


def test_state_can_be_assigned_where_walls_have_moved_to(wall):
    sim = ball_above(
        wall, height=0.02, box=dem.Box((0, 0, 0), (1, 1, 1), wall, motion={"z-": dem.Motion(velocity=(0, 0, -1.0))})
    )
    sim.step(100_000)
    sim.particles.position = [[0.5, 0.5, -0.05]]
    sim.step(10)
    sim.particles.position = [[0.5, 0.5, -0.15]]
    with pytest.raises(ValueError, match="outside the box"):
        sim.step(1)
