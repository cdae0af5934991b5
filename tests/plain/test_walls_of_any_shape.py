"""Walls of any shape against faces of a box, closed forms, and their own books."""

import math

import numpy as np
import pytest

import dem
from dem.model.particles.packing import along

R = 0.005
SOFT = dem.Material(young=5e6, poisson=0.3, density=1000.0)
LOSSY = dem.Material(
    young=5e6, poisson=0.3, density=1000.0, restitution=0.8, friction=0.4, rolling=dem.Rolling(friction=0.05),
    twisting=dem.Twisting(),
)  # fmt: skip
ROUGH = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.5, friction=0.4)
DT = 2e-5


def planes(size, material, motion=None):
    """The walls of a cube, as planes; motion is of the lowest."""
    across = np.eye(3)
    made = []
    for axis in range(3):
        moving = {"motion": motion} if motion and axis == 2 else {}
        made.append(dem.Plane((0, 0, 0), across[axis], material=material, **moving))
        made.append(dem.Plane(size * across[axis], -across[axis], material=material))
    return made


def some(material, *, fibres=False):
    """A few particles that soon meet walls."""
    x = [[0.012, 0.012, 0.012], [0.045, 0.02, 0.012], [0.012, 0.045, 0.04], [0.045, 0.045, 0.048]]
    rng = np.random.default_rng(3)
    shape = dem.Fibre(diameter=2 * R, aspect_ratio=2, spheres=3) if fibres else dem.Sphere(diameter=2 * R)
    return dem.Particles(
        shape, material, position=x, velocity=rng.uniform(-3, 3, (4, 3)), angular_velocity=rng.uniform(-40, 40, (4, 3))
    )


def ball(material, position, **more):
    return dem.Particles(dem.Sphere(diameter=2 * R), material, position=[position], **more)


@pytest.mark.parametrize("fibres", [False, True])
@pytest.mark.parametrize("material", [SOFT, LOSSY])
@pytest.mark.parametrize("moving", [None, dem.Motion(velocity=(0.2, 0, 0), amplitude=(0, 0, 1e-3), frequency=60)])
@pytest.mark.few(1)
def test_planes_are_the_faces_of_a_box(material, moving, fibres):
    """To rounding: powers are taken otherwise, and points of contact found otherwise."""
    particles = some(material, fibres=fibres)
    motion = {"motion": {"z-": moving}} if moving else {}
    steps = 250 if fibres else 400
    free = dem.Simulation(particles, walls=planes(0.06, material, moving), gravity=(0, 0, -9.81), time_step=DT)
    boxed = dem.Simulation(particles, dem.Box((0, 0, 0), (0.06,) * 3, material, **motion), time_step=DT)
    free.step(steps)
    boxed.step(steps)
    assert np.abs(free.particles.position - boxed.particles.position).max() <= 1e-12 * 0.06
    assert np.allclose(free.particles.angular_velocity, boxed.particles.angular_velocity, rtol=1e-9, atol=1e-9)
    mine, theirs = free.energy(), boxed.energy()
    for name in ("translational", "elastic", "dissipated", "work"):
        assert getattr(mine, name) == pytest.approx(getattr(theirs, name), rel=1e-10, abs=1e-14)
    assert sum(wall.contacts for wall in free.walls) == len(free.contact_forces().i) == len(boxed.contact_forces().i)


@pytest.mark.slow
def test_a_hollow_ball_is_two_planes_along_a_diameter():
    hollow = dem.Simulation(
        ball(LOSSY, (0, 0, 0.02), velocity=[[0, 0, 2.0]]), gravity=(0, 0, 0), time_step=DT,
        walls=[dem.Ball((0, 0, 0), 0.03, material=LOSSY, inside=True)],
    )  # fmt: skip
    floor, lid = (dem.Plane((0, 0, -0.03 * up), (0, 0, up), material=LOSSY) for up in (1, -1))
    flat = dem.Simulation(
        ball(LOSSY, (0, 0, 0.02), velocity=[[0, 0, 2.0]]), gravity=(0, 0, 0), time_step=DT, walls=[floor, lid]
    )
    for sim in (hollow, flat):
        sim.step(1500)
    assert np.abs(hollow.particles.position - flat.particles.position).max() < 1e-15  # an ulp or two of the radius
    assert hollow.energy().dissipated == pytest.approx(flat.energy().dissipated, rel=1e-10)


def silo():
    return dem.Revolution([(0.0, 0.0), (0.012, 0.0), (0.03, 0.018), (0.03, 0.06)], material=SOFT)


@pytest.mark.long
def test_energy_in_a_silo_is_of_second_order():
    """Elastic bounces off disc, cone, cylinder and the corners between: no step of energy anywhere.

    Errors are the largest of a run, of 40 ms, in which the ball is at corners half of the time it touches.
    """
    errors = []
    for dt in (4e-5, 2e-5, 1e-5):
        sim = dem.Simulation(
            ball(SOFT, (0.009, 0.004, 0.02), velocity=[[1.0, 0.5, -1.0]]), walls=[silo()], time_step=dt
        )
        sim.step(round(0.04 / dt))
        errors.append(sim.energy_error)
        touching = sim.contact_forces()
        assert np.allclose(-touching.force.sum(0), sim.walls[0].force, rtol=1e-12, atol=1e-15)
    assert errors[-1] < 3e-4
    assert errors[0] / errors[1] > 3
    assert errors[1] / errors[2] > 3


@pytest.mark.slow
def test_a_ball_on_a_belt_comes_to_roll():
    """μ m g speeds it up to 2/7 of the belt's speed, until it rolls; the belt does 2/7 m U², of which half is lost.

    Settled first, so that the load is m g; sliding of the spring at the end leaves 1e-3 of the energies.
    """
    belt, mass = 0.5, 1000 * 4 / 3 * math.pi * R**3
    contacts = dem.Contacts({(ROUGH, ROUGH): dem.Contact(restitution=0.5, friction=0.4)})
    rest = (mass * 9.81 / (4 / 3 * ROUGH.effective_modulus(ROUGH) * math.sqrt(R))) ** (2 / 3)
    sim = dem.Simulation(
        ball(ROUGH, (0, 0, R - rest)), contacts=contacts, time_step=DT,
        walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=ROUGH, surface_velocity=(belt, 0, 0))],
    )  # fmt: skip
    sliding = 2 * belt / (7 * 0.4 * 9.81)
    sim.step(round(1.15 * sliding / DT))
    assert sim.particles.velocity[0, 0] == pytest.approx(2 / 7 * belt, rel=2e-3)
    assert sim.particles.angular_velocity[0, 1] == pytest.approx(-5 / 7 * belt / R, rel=2e-3)
    assert sim.energy().work == pytest.approx(2 / 7 * mass * belt**2, rel=5e-3)
    assert sim.energy().dissipated == pytest.approx(mass * belt**2 / 7, rel=5e-3)
    assert sim.walls[0].force[2] == pytest.approx(-mass * 9.81, rel=1e-3)


@pytest.mark.slow
def test_a_ball_on_a_turntable_goes_in_circles_at_two_sevenths_of_its_rate():
    """A. Gersten, H. Soodak, M. S. Tiersten, Am. J. Phys. 60 (1992) 43: rolling, a ball goes about a centre of its own.

    What is given is the velocity and spin of rolling, so that the centre is the axis; the overlap makes 1e-3 of it.
    """
    turning, radius = 20.0, 0.03
    slow = 2 / 7 * turning
    rest = (1000 * 4 / 3 * math.pi * R**3 * 9.81 / (4 / 3 * ROUGH.effective_modulus(ROUGH) * math.sqrt(R))) ** (2 / 3)
    spin = (slow - turning) * radius / R  # about the radial direction: v = slow r, the table's is turning r there
    table = dem.Disc((0, 0, 0), (0, 0, 1), 0.08, material=ROUGH, motion=dem.Motion(rate=turning))
    start = ball(ROUGH, (radius, 0, R - rest), velocity=[[0, slow * radius, 0]], angular_velocity=[[-spin, 0, slow]])
    sim = dem.Simulation(start, walls=[table], time_step=4e-5)
    sim.step(round(0.25 * 2 * math.pi / slow / 4e-5))
    x, y, _ = sim.particles.position[0]
    assert math.hypot(x, y) == pytest.approx(radius, rel=0.01)
    assert math.atan2(y, x) == pytest.approx(math.pi / 2, rel=0.01)
    assert np.allclose(sim.walls[0].orientation, [math.cos(0.5 * turning * sim.time), 0, 0,
                                                  math.sin(0.5 * turning * sim.time)], atol=1e-13)  # fmt: skip


def drum(**more):
    motion = dem.Motion(axis=(0, 1, 0), rate=-6.0)
    return dem.Cylinder((0, -0.02, 0), (0, 0.02, 0), 0.04, ends="both", material=LOSSY, motion=motion, **more)


def in_drum(**more):
    x = [[a, b, c] for a in (-0.012, 0.0, 0.012) for b in (-0.01, 0.01) for c in (-0.031, -0.02)]
    rest = dem.Particles(dem.Sphere(diameter=2 * R), LOSSY, position=x)
    return dem.Simulation(rest, walls=[drum()], time_step=4e-5, **more)


@pytest.mark.slow
def test_work_of_a_drum_is_its_torque_times_its_rate():
    """At each step and in all; and what the walls did is what contacts lost and particles have."""
    sim, power, work = in_drum(), [], []
    for _ in range(700):
        sim.step()
        wall = sim.walls[0]
        power.append(-wall.torque @ wall.angular_velocity)
        work.append(wall.work)
    power = np.array(power)
    by_hand = np.cumsum(0.5 * 4e-5 * (power[1:] + power[:-1]))
    assert np.abs(np.array(work[1:]) - work[0] - by_hand).max() <= 1e-10 * np.abs(by_hand).max()
    assert sim.walls[0].angular_impulse @ (0, 6.0, 0) == pytest.approx(sim.walls[0].work, rel=1e-10)
    assert sim.energy().work == pytest.approx(sim.walls[0].work, rel=1e-12)
    assert sim.walls[0].work > 0
    assert sim.energy_error < 0.01  # 20 steps a contact


@pytest.mark.slow
def test_restarts_cuts_and_skins_change_no_bit(tmp_path):
    """In the middle of contacts with springs, of several pieces of a wall."""
    sim, other = in_drum(), in_drum(_skin=(0.012, 0.002))
    sim.step(500)
    for steps in (1, 2, 497):
        other.step(steps)
    sim.save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    for each in (sim, other, again):
        each.step(150)
    for each in (other, again):
        for name in ("position", "velocity", "angular_velocity"):
            assert getattr(each.particles, name).tobytes() == getattr(sim.particles, name).tobytes()
        assert each.walls[0].work == sim.walls[0].work
        assert (each.walls[0].angular_impulse == sim.walls[0].angular_impulse).all()
    assert repr(again.walls[0].wall) == repr(sim.walls[0].wall)


@pytest.mark.slow
def test_friction_goes_on_from_piece_to_piece():
    """A disc of three rings is a disc: the spring is handed on as the deepest piece changes."""
    paths = []
    for points in ([(0.0, 0.0), (0.05, 0.0)], [(0.0, 0.0), (0.011, 0.0), (0.0137, 0.0), (0.05, 0.0)]):
        sim = dem.Simulation(
            ball(LOSSY, (0.005, 0.001, R - 1e-5), velocity=[[0.6, 0.1, 0]]), time_step=DT,
            walls=[dem.Revolution(points, material=LOSSY)],
        )  # fmt: skip
        sim.step(1500)
        paths.append((sim.particles.position, sim.particles.angular_velocity, sim.energy().dissipated))
    assert paths[0][0][0, 0] > 0.014
    for one, other in zip(*paths, strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-13)


@pytest.mark.slow
def test_two_contacts_that_become_one_lose_and_make_no_energy():
    """A ball that rolls over the corner of a shallow valley, where two regions are one: books close, nothing is won."""
    valley = dem.Revolution([(0.0, 0.006), (0.02, 0.0), (0.04, 0.006)], material=LOSSY)
    sim = dem.Simulation(ball(LOSSY, (0.012, 0.0, 0.0081), velocity=[[0.3, 0, 0]]), walls=[valley], time_step=DT)
    lost = [0.0]
    for _ in range(60):
        sim.step(50)
        lost.append(sim.energy().dissipated)
    assert np.diff(lost).min() > -1e-12
    assert sim.energy_error < 2e-3


def test_motions_start_stop_follow_tables_and_are_put_together():
    """Poses are functions of time: closed forms at any of them."""
    lift = dem.Motion(table=[(0, 0, 0, 0, 0), (0.002, 0, 0, 0.001, 0.1), (0.004, 0, 0, 0.0, 0.1)], axis=(0, 0, 1))
    wait = dem.Motion(velocity=(0.5, 0, 0), start=0.001, stop=0.003)
    turn = dem.Motion(rate=100.0, axis=(0, 0, 2), centre=(0.1, 0, 0))
    block = dem.Block((-0.01, -0.01, -0.02), (0.01, 0.01, -0.01), material=SOFT, motion=[lift, wait, turn])
    sim = dem.Simulation(ball(SOFT, (0, 0, 0.05)), walls=[block], time_step=1e-5, gravity=(0, 0, 0))
    for steps, z, angle, x, v in ((50, 0.00025, 0.025, 0, 0), (150, 0.001, 0.1, 0.0005, 0.5), (200, 0, 0.1, 0.001, 0)):
        sim.step(steps)
        wall, spun = sim.walls[0], 100.0 * sim.time
        arm = np.array([x - 0.1, 0])
        expected = [0.1 + arm[0] * math.cos(spun), arm[0] * math.sin(spun), -0.015 + z]
        assert np.allclose(wall.position, expected, atol=1e-15)
        assert np.allclose(2 * math.atan2(wall.orientation[3], wall.orientation[0]), angle + spun, atol=1e-13)
        along = np.array([math.cos(spun), math.sin(spun)])
        of_turn = 100.0 * np.array([-expected[1], expected[0] - 0.1])
        assert np.allclose(wall.velocity[:2], v * along + of_turn, atol=1e-12)


def test_a_motion_turns_the_axes_of_those_before_it():
    """Rolling at a about x, on a table that turns at b about z: ω = (a cos b t, a sin b t, b)."""
    roll, table = dem.Motion(rate=30.0, axis=(1, 0, 0)), dem.Motion(rate=100.0, axis=(0, 0, 1))
    block = dem.Block((-0.01, -0.01, -0.02), (0.01, 0.01, -0.01), material=SOFT, motion=[roll, table])
    sim = dem.Simulation(ball(SOFT, (0, 0, 0.05)), walls=[block], time_step=1e-5, gravity=(0, 0, 0))
    sim.step(700)
    angle = 100.0 * sim.time
    spin = sim.walls[0].angular_velocity
    np.testing.assert_allclose(spin, [30 * math.cos(angle), 30 * math.sin(angle), 100.0], rtol=1e-12)


def test_a_paddle_that_turns_meets_a_ball_at_rest():
    """The list of near walls must see that the blade turns. The ball leaves at twice the speed of the blade there.

    The blade touches the ball, which is at a distance d from the axis, at √(d² - R²) from it.
    """
    turn = dem.Motion(rate=-10.0, axis=(0, 0, 1))
    paddle = dem.Rectangle((0, 0, 0), (0.2, 0, 0), (0, 0, 0.05), material=SOFT, motion=turn)
    place = np.array([0.06, -0.03, 0])
    sim = dem.Simulation(ball(SOFT, place), walls=[paddle], gravity=(0, 0, 0), time_step=DT)
    sim.step(3000)
    expected = 2 * 10.0 * math.sqrt(place @ place - R**2)
    assert np.linalg.norm(sim.particles.velocity) == pytest.approx(expected, rel=0.01)


def test_adhesion_holds_a_ball_at_a_plane_as_at_a_face():
    """Beyond touch, until the contact breaks: the plane is evaluated in batches, the face is not."""
    sticky = dem.Material(young=5e6, poisson=0.3, density=1000.0, adhesion=dem.JKR(work=0.5))
    start, runs = ball(sticky, (0.05, 0.05, R - 1e-6), velocity=[[0, 0, 0.05]]), []
    box, plane = dem.Box((0, 0, 0), (0.1,) * 3, sticky), dem.Plane((0, 0, 0), (0, 0, 1), material=sticky)
    for where in ({"box": box}, {"walls": [plane]}):
        sim = dem.Simulation(start, **where, gravity=(0, 0, 0), time_step=1e-6)
        runs.append([])
        for _ in range(7):
            sim.step(40)
            runs[-1].append((sim.particles.position[0, 2] - R, sim.particles.velocity[0, 2]))
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-9)
    gap, velocity = np.transpose(runs[0])
    assert (gap > 0).all()
    assert velocity[0] > velocity[1] > velocity[2] > velocity[3] > velocity[4] > velocity[5] == velocity[6]


@pytest.mark.slow
def test_each_wall_has_its_own_material():
    """Restitution of a pair: of what is said of it."""
    hard = dem.Material(young=6e6, poisson=0.3, name="hard")
    dull = dem.Material(young=4e6, poisson=0.3, name="dull")
    pairs = dem.Contacts({(SOFT, dull): dem.Contact(restitution=0.5), (SOFT, hard): dem.Contact(restitution=0.9)})
    walls = [dem.Plane((0, 0, 0), (0, 0, 1), material=dull), dem.Plane((0, 0, 0.03), (0, 0, -1), material=hard)]
    sim = dem.Simulation(
        ball(SOFT, (0, 0, 0.02), velocity=[[0, 0, -1.0]]), walls=walls, contacts=pairs, gravity=(0, 0, 0),
        time_step=DT / 2,
    )  # fmt: skip
    sim.step(2500)
    assert sim.particles.velocity[0, 2] == pytest.approx(0.5, rel=1e-3)
    sim.step(4500)
    assert sim.particles.velocity[0, 2] == pytest.approx(-0.45, rel=1e-3)


@pytest.mark.slow
def test_a_servo_holds_its_force(tmp_path):
    """On three balls that bear a platen; books close though its velocity changes at each step, and it is saved."""
    site = [(0.02, 0, R - 2e-5), (-0.01, 0.017, R - 2e-5), (-0.01, -0.017, R - 2e-5)]
    servo = dem.Servo(force=0.6, axis=(0, 0, -1), fastest=0.05)
    walls = [
        dem.Plane((0, 0, 0), (0, 0, 1), material=ROUGH),
        dem.Disc((0, 0, 2 * R + 5e-5), (0, 0, 1), 0.05, material=ROUGH, servo=servo, name="platen"),
    ]
    balls = dem.Particles(dem.Sphere(diameter=2 * R), ROUGH, position=site)
    sim = dem.Simulation(balls, walls=walls, time_step=DT)
    sim.step(1300)
    platen, floor = sim.walls[1], sim.walls[0]
    assert platen.force[2] == pytest.approx(0.6, rel=1e-3)
    assert platen.contacts == 3
    weight = 3 * 1000 * 4 / 3 * math.pi * R**3 * 9.81
    assert floor.force[2] == pytest.approx(-0.6 - weight, rel=1e-3)
    assert sim.energy().work == pytest.approx(platen.work, rel=1e-9)
    assert platen.work > 0
    assert sim.energy_error < 1e-3
    sim.save(tmp_path / "held.h5")
    again = dem.Simulation.load(tmp_path / "held.h5")
    for each in (sim, again):
        each.step(50)
    assert again.particles.position.tobytes() == sim.particles.position.tobytes()
    assert (again.walls[1].position == sim.walls[1].position).all()


@pytest.mark.parametrize("parts", [
    {"normal": dem.Linear(stiffness=2000.0)},
    {"normal": dem.PowerLaw(stiffness=3e4, exponent=1.3)},
    {"normal": dem.Hysteretic(loading=1500.0, unloading=2500.0)},
    {"adhesion": dem.JKR(work=0.3)},
    {"adhesion": dem.DMT(work=0.3)},
    {"adhesion": dem.Bridge(volume=1e-10, tension=0.07)},
    {"friction": 0.3, "rolling": dem.Rolling(friction=0.1, model="constant")},
], ids=lambda parts: type(next(reversed(parts.values()))).__name__)  # fmt: skip
@pytest.mark.few(1)
def test_all_laws_know_planes_as_they_know_faces(parts):
    """Down, pressed in, and off again, with what lives beyond touching."""
    material = dem.Material(young=5e6, poisson=0.3, density=1000.0, name="sticky", **parts)
    start = ball(material, (0.02, 0.02, R + 1e-4), velocity=[[0.1, 0, -0.3]], angular_velocity=[[0, 5.0, 3.0]])
    boxed = dem.Simulation(start, dem.Box((0, 0, 0), (0.1,) * 3, material), time_step=DT)
    free = dem.Simulation(start, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=material)], time_step=DT)
    for _ in range(3):
        for sim in (boxed, free):
            sim.step(120)
        assert np.abs(free.particles.position - boxed.particles.position).max() <= 1e-13
        assert np.allclose(free.particles.velocity, boxed.particles.velocity, rtol=1e-9, atol=1e-12)
        assert free.energy().elastic == pytest.approx(boxed.energy().elastic, rel=1e-9, abs=1e-15)
        assert free.energy().dissipated == pytest.approx(boxed.energy().dissipated, rel=1e-9, abs=1e-15)


def test_spheres_of_a_fibre_share_the_damping_with_those_held_beyond_touching():
    """Nearly flat on a plane and off it again, end after end: as on the face of a box, to rounding."""
    material = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.6, adhesion=dem.JKR(work=5.0))
    start = dem.Particles(
        dem.Fibre(diameter=2 * R, aspect_ratio=2, spheres=2), material, position=[[0.03, 0.03, R + 3e-5]],
        orientation=along(np.array([[1, 0, 0.01]])), velocity=[[0, 0, -0.4]],
    )  # fmt: skip
    boxed = dem.Simulation(start, dem.Box((0, 0, 0), (0.1,) * 3, material), time_step=2 * DT)
    free = dem.Simulation(start, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=material)], time_step=2 * DT)
    held = 0
    for _ in range(30):
        for sim in (boxed, free):
            sim.step(2)
        overlaps = boxed.contact_forces().overlap
        held += len(overlaps) == 2 and overlaps.min() < 0
        assert len(free.contact_forces().i) == len(overlaps)
    assert held
    assert np.abs(free.particles.position - boxed.particles.position).max() <= 1e-13
    assert np.allclose(free.particles.velocity, boxed.particles.velocity, rtol=1e-9, atol=1e-12)
    assert free.energy().dissipated == pytest.approx(boxed.energy().dissipated, rel=1e-9, abs=1e-15)


def test_walls_are_felt_across_periodic_faces():
    """A dome on the seam of a periodic box is the dome in its middle; it moves, so that poses are of its image too."""
    found = []
    for at in (0.0, 0.05):
        shaken = dem.Motion(amplitude=(5e-4, 0, 0), frequency=50)
        dome = dem.Ball((at + 0.002, 0.03, 0.01), 0.01, material=LOSSY, motion=shaken)
        box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), LOSSY, periodic=["x"])
        grain = ball(LOSSY, ((at + 0.099) % 0.1, 0.031, 0.0245), velocity=[[0.1, 0, -0.5]])
        sim = dem.Simulation(grain, box, walls=[dome], time_step=DT)
        sim.step(500)
        found.append((sim.particles.velocity, sim.particles.angular_velocity, sim.walls[0].impulse, sim.walls[0].work))
    assert found[0][3] != 0
    for one, other in zip(*found, strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-12)


def test_a_ball_alone_that_falls_from_rest_has_its_energy_when_it_touches():
    """At the start there is no energy to tell the unit in which energies are counted; the wall says how far it falls.

    Leap-frog errs by less than a hundredth of it while they touch, for fifty steps; what did not fit were nine tenths.
    """
    floor = dem.Rectangle((0, 0, 0), (0.05, 0, 0), (0, 0.05, 0), material=SOFT)
    sim = dem.Simulation(ball(SOFT, (0, 0, R + 2e-3)), walls=[floor], gravity=(0, 0, -1000), time_step=DT)
    start, touched = sim.energy().mechanical, 0
    weighed = 1000 * 4 / 3 * math.pi * R**3 * 1000 * 2e-3
    for _ in range(10):
        sim.step(20)
        touched += sim.walls[0].contacts
        assert abs(sim.energy().mechanical - start) < 2e-2 * weighed
    assert touched
