"""Walls as rigid bodies, and servos: closed forms, conservation, orders of convergence, restarts."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

import dem

R = 0.005
SOFT = dem.Material(young=5e6, poisson=0.3, density=1000.0)
ROUGH = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.5, friction=0.4)
DT = 2e-5
MASS = 1000 * 4 / 3 * math.pi * R**3


def balls(material, position, **more):
    return dem.Particles(dem.Sphere(diameter=2 * R), material, position=position, **more)


def far(material=SOFT):
    """Somebody who meets nobody, however far it falls in a step."""
    return dem.Particles(dem.Sphere(diameter=20.0), material, position=[[500.0, 500.0, 500.0]])


@pytest.mark.slow
def test_energies_of_a_plate_on_balls_are_of_second_order():
    """It falls on three balls, not in its middle, so that it tilts: the ledger closes, and what the plate has."""
    departures, changes = [], []
    for dt in (4e-5, 2e-5, 1e-5):
        body = dem.RigidWall(mass=0.05, inertia=(3e-5, 3e-5, 6e-5))
        plate = dem.Disc((0.002, 0.001, 2 * R + 1e-4), (0, 0, 1), 0.05, material=SOFT, free=body)
        floor = dem.Plane((0, 0, 0), (0, 0, 1), material=SOFT)
        below = balls(SOFT, [[0.02, 0, R], [-0.01, 0.017, R], [-0.01, -0.017, R]])
        sim = dem.Simulation(below, walls=[floor, plate], time_step=dt)
        wall, sums = sim.walls[1], []
        for _ in range(round(0.02 / dt)):
            sim.step()
            sums.append(wall.energy + wall.work)
        assert abs(wall.angular_velocity[1]) > 1e-3
        assert sim.energy().work == pytest.approx(wall.work, rel=1e-12)
        departures.append(sim.energy_departure)
        changes.append(np.ptp(sums))
    for errors in (departures, changes):
        assert errors[-1] < 2e-3 * abs(wall.work)
        assert errors[0] / errors[1] > 3
        assert errors[1] / errors[2] > 3


@pytest.mark.slow
def test_a_plate_on_one_spring_swings_as_a_mass_on_a_spring():
    """A ball between floor and plate, both linear: 2π √(m/k) with half the stiffness, but for the ball's own mass.

    Its mass is 1e-4 of the plate's, and moves half as far.
    """
    spring = dem.Material(young=5e6, poisson=0.3, density=1000.0, name="spring", normal=dem.Linear(stiffness=200.0))
    mass, k = 1e4 * MASS, 100.0
    sink = mass * 9.81 / k
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=spring)
    assert sink > R  # weight would crush it: none of it, a push in place of it
    plate = dem.Plane((0, 0, 2 * R), (0, 0, -1), material=spring, free=dem.RigidWall(mass=mass, velocity=(0, 0, -0.01)))
    period = 2 * math.pi * math.sqrt(mass / k)
    dt = period / 4000
    sim = dem.Simulation(balls(spring, [[0, 0, R]]), walls=[floor, plate], gravity=(0, 0, 0), time_step=dt)
    sim.step(1000)  # a quarter of a period, of the half in which it is pressed
    assert sim.walls[1].velocity[2] == pytest.approx(0.0, abs=2e-4 * 0.01)
    sim.step(1000)
    assert sim.walls[1].velocity[2] == pytest.approx(0.01, rel=2e-4)


@pytest.mark.slow
def test_a_pendulum_swings_by_elliptic_functions():
    """A flap on a hinge from 2 rad: sin(θ/2) = sn(ω (T/4 - t), k); the error is of second order."""
    mass, length, about_x = 0.3, 0.2, 0.3 * 0.2**2 / 3
    omega, sine = math.sqrt(mass * 9.81 * 0.5 * length / about_x), math.sin(1.0)
    edge = length * np.array([0, math.sin(2.0), -math.cos(2.0)])
    errors = []
    for steps in (500, 1000):
        body = dem.RigidWall(
            mass=mass, inertia=(about_x / 4, about_x / 5, about_x / 10), pivot=(0, 0, 1), locked=("ry", "rz")
        )
        flap = dem.Rectangle(0.5 * edge + [0, 0, 1], (0.1, 0, 0), edge, material=SOFT, free=body)
        span = 1.3 * 4 * ellipk(sine**2) / omega
        sim = dem.Simulation(far(), walls=[flap], time_step=span / steps)
        sim.step(steps)
        wall = sim.walls[0]
        angle = 2 * math.asin(sine * ellipj(ellipk(sine**2) - omega * span, sine**2)[0])
        expected = 0.5 * length * np.array([0, math.sin(angle), -math.cos(angle)]) + [0, 0, 1]
        errors.append(np.abs(wall.position - expected).max())
        assert np.abs(np.linalg.norm(wall.position - [0, 0, 1]) - 0.5 * length) < 1e-14
        assert wall.velocity @ (wall.position - [0, 0, 1]) == pytest.approx(0, abs=1e-14)
    assert errors[1] < 1e-4 * length
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)


def test_the_middle_of_a_flap_moves_about_its_hinge():
    """v = ω × r, with r from the hinge to the middle."""
    inertia, body = 0.3 * 0.2**2 / 3, {"pivot": (0, 0, 1), "locked": ("ry", "rz")}
    body = dem.RigidWall(mass=0.3, inertia=(inertia / 4, inertia / 5, inertia / 10), **body)
    flap = dem.Rectangle((0, 0.1, 1), (0.1, 0, 0), (0, 0.2, 0), material=SOFT, free=body)
    sim = dem.Simulation(far(), walls=[flap], time_step=1e-4)
    sim.step(20)
    wall, spin = sim.walls[0], sim.walls[0].angular_velocity
    assert spin[0] < -0.1
    np.testing.assert_allclose(wall.velocity, np.cross(spin, wall.position - [0, 0, 1]), rtol=1e-12, atol=1e-15)


@pytest.mark.slow
def test_momenta_of_a_closed_system_are_kept_to_rounding():
    """Balls with friction against a block that flies and tumbles, all alone: linear and angular momentum of all."""
    tensor = np.array([[4e-6, 1e-6, 0], [1e-6, 5e-6, 5e-7], [0, 5e-7, 6e-6]])
    body = dem.RigidWall(mass=0.01, inertia=tensor, velocity=(0.1, 0, 0.2), angular_velocity=(3.0, -8.0, 5.0))
    block = dem.Block((-0.02, -0.02, -0.01), (0.02, 0.02, 0.01), material=ROUGH, free=body)
    start = balls(
        ROUGH, [[0.01, 0.003, 0.016], [-0.012, 0.01, 0.017], [0.0, -0.015, -0.016]],
        velocity=[[0, 0, -1.0], [0.3, 0, -1.0], [0, 0.2, 1.5]], angular_velocity=[[30.0, 5, 0], [0, 0, 9], [1, 2, 3]],
    )  # fmt: skip
    sim = dem.Simulation(start, walls=[block], gravity=(0, 0, 0), time_step=2e-5)

    def momenta():
        p, wall = sim.particles, sim.walls[0]
        linear = MASS * p.velocity.sum(0) + wall.momentum
        own = 0.4 * MASS * R**2 * p.angular_velocity.sum(0) + MASS * np.cross(p.position, p.velocity).sum(0)
        return linear, own + wall.angular_momentum + np.cross(wall.about, wall.momentum)

    before, touched = momenta(), 0
    for _ in range(500):
        sim.step()
        touched += sim.walls[0].contacts
    assert touched > 100
    for one, other in zip(before, momenta(), strict=True):
        assert np.abs(other - one).max() < 1e-13 * np.abs(before[0]).max()
    assert sim.energy().dissipated > 0
    assert sim.energy_error < 2e-3


@pytest.mark.slow
def test_a_free_top_keeps_its_energy():
    """It turns over about its middle axis: energy is kept to second order, (ω Δt)² at most, momentum to the bit."""
    errors = []
    for dt in (1e-3, 5e-4):
        body = dem.RigidWall(mass=1.0, inertia=(1e-2, 2e-2, 2.5e-2), angular_velocity=(0.1, 6.0, 0.2))
        top = dem.Block((-0.01, -0.01, -0.01), (0.01, 0.01, 0.01), material=SOFT, free=body)
        sim = dem.Simulation(far(), walls=[top], gravity=(0, 0, 0), time_step=dt)
        before, energies = sim.walls[0].angular_momentum, []
        for _ in range(round(2.0 / dt)):
            sim.step()
            energies.append(sim.walls[0].energy)
        top = sim.walls[0]
        assert (top.angular_momentum == before).all()
        assert Rotation.from_quat(top.orientation, scalar_first=True).inv().apply(top.angular_velocity)[1] < 0
        errors.append(np.ptp(energies) / energies[0])
    assert errors[1] < (6.0 * 5e-4) ** 2
    assert errors[0] / errors[1] > 3.5


def loaded(threads=1, **more):
    body = dem.RigidWall(mass=0.02, inertia=(1e-5, 1e-5, 2e-5), locked=("x", "y"), force=(0, 0, -0.1))
    lid = dem.Disc((0, 0, 2 * R + 5e-5), (0, 0, 1), 0.05, material=ROUGH, free=body, name="lid")
    servo = dem.PID(force=0.1, axis=(1, 0, 0), fastest=0.02, proportional=0.5, integral=20.0, derivative=1e-4)
    side = dem.Disc((-0.0151, 0, 0), (1, 0, 0), 0.05, material=ROUGH, servo=servo, name="side")
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=ROUGH)
    start = balls(ROUGH, [[0.02, 0, R - 2e-5], [-0.01, 0.017, R - 2e-5], [-0.01, -0.017, R - 2e-5]])
    return dem.Simulation(start, walls=[floor, lid, side], time_step=2e-5, threads=threads, **more)


@pytest.mark.slow
def test_restarts_and_cuts_change_no_bit(tmp_path):
    sim, other = loaded(), loaded(_skin=(0.004, 0.0008))
    sim.step(300)
    for steps in (1, 150, 149):
        other.step(steps)
    sim.save(tmp_path / "state.h5")
    again = dem.Simulation.load(tmp_path / "state.h5")
    for each in (sim, other, again):
        each.step(100)
        assert [repr(wall.wall) for wall in each.walls] == [repr(wall.wall) for wall in sim.walls]
        assert each.particles.velocity.tobytes() == sim.particles.velocity.tobytes()
        for name in ("position", "orientation", "velocity", "angular_velocity", "work", "force"):
            for mine, theirs in zip(each.walls, sim.walls, strict=True):
                assert np.array_equal(getattr(mine, name), getattr(theirs, name))
    assert abs(sim.walls[1].angular_velocity).max() > 0
    assert sim.walls[2].velocity[0] != 0


def test_gravity_may_turn_while_a_wall_falls():
    """v = g t piece by piece."""
    lid = dem.Disc((0, 0, 0.1), (0, 0, 1), 0.05, material=SOFT, free=dem.RigidWall(mass=0.2))
    sim = dem.Simulation(far(), walls=[lid], gravity=(0, 0, -9.0), time_step=1e-3)
    sim.step(10)
    sim.gravity = (3.0, 0, 0)
    sim.step(20)
    wall = sim.walls[0]
    assert np.allclose(wall.velocity, [0.06, 0, -0.09], rtol=1e-12)
    assert np.allclose(wall.position, [0.5 * 3 * 0.02**2, 0, 0.1 - 0.5 * 9 * 0.01**2 - 0.09 * 0.02], rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "material"), [(1, ROUGH), (1 / 4, ROUGH)])
def test_a_servo_does_not_swing_at_small_time_steps(share, material):
    """Damped contacts resist a change of velocity at once: the default gain allows for that, and books close."""
    site = [(0.02, 0, R - 2e-5), (-0.01, 0.017, R - 2e-5), (-0.01, -0.017, R - 2e-5)]
    servo = dem.Servo(force=0.6, axis=(0, 0, -1), fastest=0.05)
    walls = [
        dem.Plane((0, 0, 0), (0, 0, 1), material=material),
        dem.Disc((0, 0, 2 * R), (0, 0, 1), 0.05, material=material, servo=servo),
    ]
    sim = dem.Simulation(balls(material, site), walls=walls, time_step="auto")
    sim = dem.Simulation(balls(material, site), walls=walls, time_step=share * sim.time_step)
    sim.step(650 if share == 1 else 1200)
    forces = []
    for _ in range(100):
        sim.step()
        forces.append(sim.walls[1].force[2])
    assert np.abs(np.array(forces) - 0.6).max() < 3e-3 * 0.6
    assert sim.energy_error < 1e-3


@pytest.mark.slow
def test_a_pid_comes_to_its_force():
    """By its integral, which leaves nothing that lacks; at first it goes at its largest speed."""
    pid = dem.PID(force=0.1, axis=(-1, 0, 0), fastest=0.02, proportional=5.0, integral=1000.0, derivative=1e-6)
    walls = [
        dem.Plane((0, 0, 0), (1, 0, 0), material=ROUGH),
        dem.Disc((2 * R + 1e-5, 0, 0), (1, 0, 0), R, material=ROUGH, servo=pid),
    ]
    sim = dem.Simulation(balls(ROUGH, [[R, 0, 0]]), walls=walls, gravity=(0, 0, 0), time_step=DT)
    sim.step(1)
    assert sim.walls[1].velocity[0] == -0.02
    sim.step(2000)
    assert sim.walls[1].force[0] == pytest.approx(0.1, rel=1e-3)
    assert sim.energy().work == pytest.approx(sim.walls[1].work, rel=1e-9)


def test_what_a_free_wall_cannot_be():
    steel = {"material": SOFT}
    with pytest.raises(ValueError, match="is free, and has a motion too"):
        dem.Disc((0, 0, 0), (0, 0, 1), 1, free=dem.RigidWall(mass=1), motion=dem.Motion(rate=1), **steel)
    with pytest.raises(ValueError, match="has no end, and cannot turn"):
        dem.Plane((0, 0, 0), (0, 0, 1), free=dem.RigidWall(mass=1, inertia=(1, 1, 1)), **steel)
    with pytest.raises(TypeError, match=r"expected a dem\.RigidWall"):
        dem.Plane((0, 0, 0), (0, 0, 1), free=1.0, **steel)
    with pytest.raises(ValueError, match="none of which exceeds"):
        dem.RigidWall(mass=1, inertia=(1, 1, 3))
    with pytest.raises(ValueError, match="leaves nothing that may move"):
        dem.RigidWall(mass=1, locked=("x", "y", "z"))
    with pytest.raises(ValueError, match="needs its inertia"):
        dem.RigidWall(mass=1, pivot=(0, 0, 0))
    with pytest.raises(ValueError, match="z and rx and ry and rz are held: let these components be 0"):
        dem.RigidWall(mass=1, locked="z", velocity=(0, 0, 1))
    with pytest.raises(ValueError, match="no body with a mass"):
        _ = dem.Simulation(far(), walls=[dem.Plane((0, 0, 0), (0, 0, 1), **steel)], time_step=1e-5).walls[0].momentum
    with pytest.raises(ValueError, match="a PID does nothing"):
        dem.PID(force=1.0, axis=(0, 0, 1), fastest=1.0)


def test_a_wall_that_is_kept_tells_of_the_present():
    """Also after somebody has assigned to the particles, which sets a new engine going."""
    sim = dem.Simulation(balls(SOFT, [[0, 0, R]]), walls=[dem.Plane((0, 0, 1e-5), (0, 0, 1), material=SOFT)],
                         time_step=DT)  # fmt: skip
    kept = sim.walls[0]
    assert kept.contacts == 1
    assert (kept.position == [0, 0, 1e-5]).all()
    sim.particles.position = [[0, 0, 3 * R]]
    assert kept.contacts == 0
    sim.particles.position = [[0, 0, R - 2e-5]]
    sim.step(5)
    assert kept.force[2] == sim.walls[0].force[2] < 0


def test_what_walls_are_called_and_refused():
    plane = dem.Plane((0, 0, 0), (0, 0, 1), material=SOFT)
    names = ("a 0", "a", "a", "a 2", "a 0")
    named = [dem.Ball((x, 9, 9), 0.1, material=SOFT, name=name) for x, name in enumerate(names)]
    called = [wall.called for wall in dem.Simulation(far(), walls=named, time_step=DT).walls]
    assert len(set(called)) == len(called)
    with pytest.raises(TypeError, match=r"expected a list of walls: walls=\[plane\]"):
        dem.Simulation(far(), walls=plane, time_step=DT)
    with pytest.raises(ValueError, match="table begins at -1 s"):
        dem.Motion(table=[(-1, 0, 0, 0), (1, 0, 0, 0.1)])
    sheet = dem.Rectangle((0.05, 0.05, 0.02), (0.095, 0, 0), (0, 0.02, 0), material=SOFT)
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), SOFT, periodic=["x"])
    with pytest.raises(ValueError, match=r"leaves a gap of 0\.005 m"):
        dem.Simulation(balls(SOFT, [[0.05, 0.05, 0.05]]), box, walls=[sheet], time_step=DT)


CASE = """
duration = "1 ms"
time_step = "2e-5 s"
[materials.sand]
young = "5 MPa"
poisson = 0.3
density = "1000 kg/m3"
[shapes.ball]
type = "sphere"
diameter = "1 cm"
[[particles]]
shape = "ball"
material = "sand"
position = [[0.0, 0.0, 0.005]]
[[walls]]
type = "plane"
material = "sand"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]
[[walls]]
type = "disc"
material = "sand"
centre = [0.0, 0.0, 0.0101]
normal = [0.0, 0.0, 1.0]
radius = "2 cm"
name = "lid"
[walls.free]
mass = 0.02
inertia = [1e-5, 1e-5, 2e-5]
locked = ["x", "y"]
"""


def test_case_files_know_free_walls_and_pids(tmp_path):
    path = tmp_path / "lid.toml"
    path.write_text(CASE)
    lid = dem.load(path).walls[1]
    assert lid.free == dem.RigidWall(mass=0.02, inertia=(1e-5, 1e-5, 2e-5), locked=("x", "y"))
    pid = 'force = 0.1\naxis = [0.0, 0, -1]\nfastest = "0.02 m/s"\nintegral = 5.0\n'
    path.write_text(CASE.split("[walls.free]", maxsplit=1)[0] + "[walls.pid]\n" + pid)
    assert dem.load(path).walls[1].servo == dem.PID(force=0.1, axis=(0, 0, -1), fastest=0.02, integral=5.0)
    path.write_text(CASE + "[walls.pid]\n" + pid)
    with pytest.raises(ValueError, match="the lid is free, and has a servo too"):
        dem.load(path)


@pytest.mark.long
def test_case_files_change_the_force_of_a_servo_by_a_schedule(tmp_path):
    """The ball under the lid bears first one force, then the other, beside its weight of 5 mN on the floor."""
    path = tmp_path / "lid.toml"
    damped = CASE.replace('"1000 kg/m3"', '"1000 kg/m3"\nrestitution = 0.3').split("[walls.free]", maxsplit=1)[0]
    servo = '[walls.servo]\nforce = 0.2\naxis = [0.0, 0, -1]\nfastest = "0.5 m/s"\ngain = 0.5\nschedule = {}\n'
    path.write_text(damped + servo.format('[["8 ms", 0.5], [0.016, 0.1]]'))
    sim = dem.load(path)
    assert sim.walls[1].wall.servo == dem.Servo(
        force=0.2, axis=(0, 0, -1), fastest=0.5, gain=0.5, schedule=[(0.008, 0.5), (0.016, 0.1)]
    )
    for held in (0.2, 0.5, 0.1):
        sim.step(390)
        assert sim.walls[1].force[2] == pytest.approx(held, rel=0.02), "what 1/α steps leave of the jump"
        sim.step(10)
    for wrong, said in (
        ('[["8 ms", 0.5], ["4 ms", 0.1]]', r"lid.*schedule has times \[0.008, 0.004\] s, expected ascending ones"),
        ("[[0.5]]", "walls.1.servo.schedule"),
        ('[["4 mm", 0.5]]', "walls.1.servo.schedule.0.0 is '4 mm'|is in mm: expected a"),
    ):
        path.write_text(damped + servo.format(wrong))
        with pytest.raises(ValueError, match=said):
            dem.load(path)
