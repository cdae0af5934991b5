"""Time steps that servos need, and soft contacts that are foreseen at walls."""

import math

import numpy as np
import pytest
from dem.kernels.laws.collision_time import duration

import dem
from dem.soft.time_step.advice import Advice

STUFF = dem.Material(young=5e7, poisson=0.3, density=2500.0, restitution=0.5)
D = 0.004


def advised(servo: dem.Servo | dem.PID | None, **words: object) -> Advice:
    """Advice for two balls between a floor and a platen, without gravity."""
    balls = dem.Particles(dem.Sphere(diameter=D), STUFF, position=[[0, 0, 0.004], [0.01, 0, 0.004]])
    platen = dem.Plane((0, 0, 0.01), (0, 0, -1), material=STUFF, servo=servo)
    walls = [dem.Plane((0, 0, 0), (0, 0, 1), material=STUFF), platen]
    return dem.Simulation(balls, walls=walls, gravity=(0, 0, 0), time_step=words.get("time_step", "auto")).advice()


def time_at(overlap: float) -> float:
    """Shortest contact of a ball squeezed against a wall to an overlap, as of Hertz: T(δ)/√2."""
    stiffness = 4 / 3 * STUFF.young / (2 * (1 - STUFF.poisson**2)) * math.sqrt(D / 2)
    mass = STUFF.density * math.pi / 6 * D**3
    return float(duration(1.5)) * math.sqrt(mass / (stiffness * math.sqrt(overlap))) / math.sqrt(2)


@pytest.mark.parametrize("force", [1.0, -8.0])
def test_a_force_that_one_particle_may_bear_is_resolved(force: float) -> None:
    """δ = (F/K)^(2/3) of Hertz's law, K = 4/3 E* √R; a twentieth of that time is advised."""
    stiffness = 4 / 3 * STUFF.young / (2 * (1 - STUFF.poisson**2)) * math.sqrt(D / 2)
    advice, without = advised(dem.Servo(force=force, axis=(0, 0, -1), fastest=0.01)), advised(None)
    assert advice.squeezed_time == pytest.approx(time_at((abs(force) / stiffness) ** (2 / 3)), rel=1e-12)
    assert advice.advised <= advice.squeezed_time / 20 < without.advised
    assert without.squeezed_time == math.inf


def test_the_way_of_a_wall_in_a_step_is_resolved() -> None:
    """Hardly any force: what counts is how far the wall comes in a step, a quarter of a skin of D/20 or its speed."""
    weak = {"force": 1e-9, "axis": (0, 0, -1)}
    assert advised(dem.Servo(**weak)).squeezed_time == pytest.approx(time_at(D / 80), rel=1e-12)
    slow = advised(dem.Servo(**weak, fastest=0.1), time_step=1e-5)
    assert slow.squeezed_time == pytest.approx(time_at(1e-6), rel=1e-12)


def test_the_speed_of_a_servo_does_not_depend_on_the_lists() -> None:
    """A platen that falls on a ball, at its largest speed without `fastest`, for three skins of the lists."""
    ends = []
    for skin in (None, (1e-3, 1e-4), (2e-6, 1e-6)):  # of the last, less than the platen moves in a step
        servo = dem.Servo(force=5.0, axis=(0, 0, -1))
        walls = [dem.Plane((0, 0, 0), (0, 0, 1), material=STUFF)]
        walls.append(dem.Plane((0, 0, D + 1e-4), (0, 0, -1), material=STUFF, servo=servo))
        ball = dem.Particles(dem.Sphere(diameter=D), STUFF, position=[[0, 0, D / 2]])
        more = {} if skin is None else {"_skin": skin}
        sim = dem.Simulation(ball, walls=walls, gravity=(0, 0, 0), time_step=5e-6, **more)
        sim.step(2)
        assert sim.walls[1].velocity[2] == pytest.approx(-D / 80 / 5e-6, rel=1e-12)
        sim.step(40)
        assert sim.walls[1].position[2] < D
        ends.append([*sim.walls[1].position, *sim.walls[1].force, *sim.particles.position[0], sim.energy().total])
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.filterwarnings("ignore:energy-error")  # of the first steps, in which walls have done hardly any work
@pytest.mark.long
def test_six_planes_press_with_the_time_step_that_is_advised() -> None:
    """Three fixed and three servo planes on a cube of spheres: with 1.5e-5 s this ended in FAIL."""
    side, pressure = 0.0082, 2e4
    walls = []
    for axis in np.eye(3):
        servo = dem.Servo(force=pressure * side**2, axis=tuple(-axis))
        walls.append(dem.Plane((0, 0, 0), tuple(axis), material=STUFF))
        walls.append(dem.Plane(tuple(side * axis), tuple(-axis), material=STUFF, servo=servo))
    at = np.stack(np.meshgrid(*[[0.00205, 0.00615]] * 3), -1).reshape(-1, 3)
    balls = dem.Particles(dem.Sphere(diameter=D), STUFF, position=at)
    sim = dem.Simulation(balls, walls=walls, gravity=(0, 0, 0), time_step="auto")
    verdict = sim.run(0.002, progress=False)
    assert verdict.status == "PASS", verdict


@pytest.mark.parametrize(("speed", "of_wall", "said"), [
    (0.1, 40.0, "a wall at 40 m/s would press a sphere on a wall in"),
    (40.0, 1.0, "a speed of 40 m/s would press a sphere on a wall in"),
])  # fmt: skip
def test_contacts_that_are_too_soft_are_told_of_by_what_is_fast(speed, of_wall, said):
    """A wall hits with twice its speed: particles at rest are no reason for what it does."""
    soft = dem.Material(young=1e5, poisson=0.3, density=2500.0)
    ball = dem.Particles(dem.Sphere(diameter=0.01), soft, position=[[0, 0, 0.02]], velocity=[[speed, 0, 0]])
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=soft, motion=dem.Motion(velocity=(0, 0, of_wall)))
    sim = dem.Simulation(ball, walls=[floor], gravity=(0, 0, 0), time_step=1e-6, threads=1)
    (notice,) = [each for each in sim.foreseen() if each.name == "soft-contacts"]
    assert notice.reason.startswith(said)
