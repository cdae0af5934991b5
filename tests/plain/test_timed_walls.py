"""Walls that appear and vanish during a run: effects on particles, ledger, files and restarts."""

import numpy as np
import pytest

import dem
from dem.casefile.load import load
from dem.plots.rendering.walls import wall_lines, wall_triangles
from dem.ranks.domain_decomposition import AtRandom
from dem.ranks.threads import in_one_process
from dem.viewer.page import _walls

CASE = """
duration = "0.1 ms"
time_step = "2 us"

[materials.sand]
young = "5 MPa"
poisson = 0.3
density = 1000

[shapes.ball]
type = "sphere"
diameter = "10 mm"

[[particles]]
shape = "ball"
material = "sand"
position = [[0, 0, 0.00499]]

[[walls]]
type = "rectangle"
name = "gate"
material = "sand"
centre = [0, 0, 0]
edge = [0.1, 0, 0]
other_edge = [0, 0.1, 0]
present_until = "0.04 ms"

[[walls]]
type = "plane"
name = "lid"
material = "sand"
point = [0, 0, 1]
normal = [0, 0, -1]
present_from = "0.01 ms"
"""
R, DT = 0.005, 2e-6
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1000.0)
LOSSY = dem.Material(
    young=5e6, poisson=0.3, density=1000.0, restitution=0.6, friction=0.5, conductivity=1.0, heat_capacity=800.0
)
SPHERE, FIBRE = dem.Sphere(diameter=2 * R), dem.Fibre(diameter=2 * R, aspect_ratio=3)
CAPSULE = dem.Capsule(diameter=2 * R, aspect_ratio=3)


def gate(material, **more):
    return dem.Rectangle((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), material=material, name="gate", **more)


def resting(material, walls, shape=SPHERE, height=0.99 * R, **more):
    """A body at rest above the plane z = 0, pressed in by 1 % of its radius."""
    body = dem.Particles(shape, material, position=[[0, 0, height]], velocity=[[0.02, 0, 0]])
    return dem.Simulation(body, walls=walls, time_step=DT, **more)


@pytest.mark.parametrize("material", [ELASTIC, LOSSY])
@pytest.mark.parametrize("shape", [SPHERE, FIBRE, CAPSULE])
@pytest.mark.few(2, long=99)
def test_a_wall_vanishes_as_if_it_were_removed_at_that_step(material, shape):
    """z = z0 + v0 t - g t²/2 from the step on, to the bit what `remove_wall` gives, and the account closes."""
    sim = resting(material, [gate(material, present_until=20 * DT)], shape)
    removed = resting(material, [gate(material)], shape)
    removed.step(20)
    before = removed.energy()
    removed.remove_wall("gate")
    sim.step(20)
    after = sim.energy()
    assert not sim.walls[0].present
    assert before.elastic > 1e-6 * before.kinetic
    assert after.elastic == 0.0
    assert after.work - before.work == pytest.approx(-before.elastic, rel=1e-9)
    assert sim.walls[0].contacts == 0
    z, v = sim.particles.position[0, 2], sim.particles.velocity[0, 2]
    for each in (sim, removed):
        each.step(500)
    t = 500 * DT
    if shape is SPHERE:
        assert sim.particles.position[0, 2] == pytest.approx(z + v * t - 0.5 * 9.81 * t**2, abs=1e-12)
    assert np.array_equal(sim.particles.position, removed.particles.position)
    assert np.array_equal(sim.particles.orientation, removed.particles.orientation)
    assert sim.energy().total == pytest.approx(after.total, rel=1e-3)


@pytest.mark.parametrize("shape", [SPHERE, FIBRE, CAPSULE])
@pytest.mark.few(1, long=99)
def test_a_wall_that_appears_catches_what_falls(shape):
    walls = [gate(LOSSY, present_from=100 * DT)]
    sim = resting(LOSSY, walls, shape, height=R * 1.0001, gravity=(0, 0, -9.81))
    sim.particles.velocity = [[0, 0, 0.0]]
    sim.step(100)
    assert sim.walls[0].present
    assert sim.walls[0].contacts == 0
    sim.step(400)
    assert sim.walls[0].impulse[2] < 0
    assert sim.particles.position[0, 2] > 0.9 * R
    assert sim.verdict().energy_error < 1e-2


def test_before_it_appears_particles_pass():
    sim = resting(LOSSY, [gate(LOSSY, present_from=1.0)], height=0.0)
    sim.step(50)
    assert sim.walls[0].contacts == 0
    assert sim.energy().elastic == 0.0
    assert sim.particles.position[0, 2] == pytest.approx(-0.5 * 9.81 * (50 * DT) ** 2, rel=1e-9)


def test_a_wall_does_not_appear_where_particles_are_and_says_so_again():
    sim = resting(LOSSY, [gate(LOSSY, present_from=30 * DT)], height=0.0)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"the wall gate appears at t = 6e-05 s where particles are: particle 0"):
            sim.step(40)
        assert sim.step_count == 30
    sim.particles.position = [[0, 0, 2 * R]]
    sim.step(10)
    assert sim.walls[0].present


def test_no_cut_of_a_run_and_no_restart_changes_a_bit(tmp_path):
    """By steps one by one, by runs with frames, at once, and from files before, at and after both events."""

    def made():
        walls = [
            gate(LOSSY, present_until=40 * DT),
            dem.Plane((-R, 0, 0), (1, 0, 0), material=LOSSY, present_from=30 * DT, wear=1e-12),
        ]
        bodies = dem.Particles(
            SPHERE, LOSSY, position=[[0, 0, 0.99 * R], [1.999 * R, 0, R]], velocity=[[0.5, 0, 0], [-1, 0, 0]]
        )
        return dem.Simulation(bodies, walls=walls, time_step=DT)

    at_once = made()
    at_once.step(80)
    one_by_one = made()
    for _ in range(80):
        one_by_one.step()
    framed = made()
    framed.run(80 * DT, output=tmp_path / "run.h5", frames=16, checkpoint_every=10)
    others = [one_by_one, framed]
    for steps in (10, 30, 40, 41):
        parted = made()
        parted.step(steps)
        parted.save(tmp_path / "state.h5")
        again = dem.Simulation.load(tmp_path / "state.h5")
        assert [wall.present for wall in again.walls] == [steps < 40, steps >= 30]
        again.step(80 - steps)
        others.append(again)
    for other in others:
        assert np.array_equal(other.particles.position, at_once.particles.position)
        assert np.array_equal(other.particles.angular_velocity, at_once.particles.angular_velocity)
        assert other.energy() == at_once.energy()
        assert np.array_equal(other.walls[1].impulse, at_once.walls[1].impulse)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.walls[0].wall.present_until == 40 * DT
        assert (run.walls[0].contacts > 0).tolist() == [k < 8 for k in range(17)]
        shown = [len(wall_lines(run, k)) + len(wall_triangles(run, k)) for k in range(17)]
        assert [number > 0 for number in shown] == [k < 8 for k in range(17)]
        assert [wall["present"] for wall in _walls(run)] == [[0.0, 40 * DT], [30 * DT, None]]


ABOVE = dem.Block((0, 0, 0.1), (0.02, 0.02, 0.12))
ALSO = {
    "nothing": {},
    "heat": {"heat": dem.Heat(every=1)},  # rank 0 has all particles at each step, also at those of the changes
    "rain": {"inserters": [dem.Inserter(SPHERE, LOSSY, region=ABOVE, number=1, start=5 * DT, velocity=(0, 0, -1))]},
}


@pytest.mark.long
@pytest.mark.parametrize("also", ALSO)
def test_walls_come_and_go_on_all_ranks_as_on_one(also):
    def made():
        walls = [gate(LOSSY, present_until=5 * DT), dem.Plane((0, 0, 0), (0, 0, 1), material=LOSSY)]
        walls += [dem.Plane((-R - 8e-6, 0, 0), (1, 0, 0), material=LOSSY, present_from=3 * DT)]
        places = [[1.9999 * R * i, 1.9999 * R * j, 0.99 * R] for i in range(3) for j in range(3)]
        bodies = dem.Particles(SPHERE, LOSSY, position=places, velocity=[[-1, 0, 0]] * 9)
        sim = dem.Simulation(bodies, walls=walls, time_step=DT, **ALSO[also])
        sim.step(9)
        assert sim.walls[2].contacts == 3
        assert [wall.present for wall in sim.walls] == [False, True, True]
        assert sim.energy().work < 0  # of the gate
        return sim.particles.position.tobytes(), sim.energy(), sim.walls[2].impulse.tobytes(), sim.verdict()

    alone = made()
    with in_one_process(3, owners=AtRandom):
        assert made() == alone


@pytest.mark.long
def test_walls_come_and_go_while_particles_do():
    """A ball is put in at the step at which the gate vanishes; an outlet takes the one that fell."""
    walls = [gate(LOSSY, present_until=50 * DT)]
    region = dem.Block((-0.02, -0.02, 0.02), (0.02, 0.02, 0.06))
    inserter = dem.Inserter(SPHERE, LOSSY, region=region, rate=1e3, number=1, start=50 * DT)
    outlet = dem.Outlet(dem.Block((-1, -1, -1), (1, 1, -0.0051)))
    ends = []
    for cuts in ([3000], [50, 2950], [49, 1, 1, 2949]):
        sim = resting(LOSSY, walls, inserters=[inserter], outlets=[outlet], gravity=(0, 0, -900.0))
        for steps in cuts:
            sim.step(steps)
        ends.append((sim.particles.position.tobytes(), sim.energy()))
        assert sim.outlets[0].number == 1
        assert sim.verdict().energy_error < 1e-3
    assert ends[1] == ends[2] == ends[0]


def test_what_walls_cannot_is_refused():
    with pytest.raises(ValueError, match=r"present_until is 0\.1 s, expected a finite number above 0\.2"):
        gate(LOSSY, present_from=0.2, present_until=0.1)
    with pytest.raises(ValueError, match="is absent: leave present_from and present_until out"):
        gate(LOSSY, present_until=1.0, free=dem.RigidWall(mass=1.0))
    walls = [dem.Disc((0, 0, -1 - k), (0, 0, 1), 0.1, material=LOSSY) for k in range(62)]
    with pytest.raises(ValueError, match=r"walls\[62\] \(gate\) is not always there or not for all"):
        resting(LOSSY, [*walls, gate(LOSSY, present_until=1.0)])


def test_case_files_say_when_walls_are_there(tmp_path):
    (tmp_path / "gate.toml").write_text(CASE)
    sim = load(tmp_path / "gate.toml")
    gate, lid = (wall.wall for wall in sim.walls)
    assert [gate.present_from, gate.present_until] == [0.0, 4e-5]
    assert [lid.present_from, lid.present_until] == [1e-5, np.inf]
    sim.step(20)
    assert [wall.present for wall in sim.walls] == [False, True]
    (tmp_path / "wrong.toml").write_text(CASE.replace("0.04 ms", "0 s"))
    with pytest.raises(ValueError, match="present_until"):
        load(tmp_path / "wrong.toml")


@pytest.mark.long
def test_a_servo_changes_its_force_as_scheduled_and_no_cut_restart_or_rank_changes_a_bit(tmp_path):
    """On a ball between a floor and a platen, whose force is held before and after the change."""
    servo = dem.Servo(force=0.01, axis=(0, 0, -1), fastest=0.2, gain=0.5, schedule=[(400 * DT, 0.004)])

    def made():
        platen = dem.Disc((0, 0, 1.9999 * R), (0, 0, 1), 0.05, material=LOSSY, servo=servo, name="platen")
        ball = dem.Particles(SPHERE, LOSSY, position=[[0, 0, 0.9999 * R]])
        return dem.Simulation(ball, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=LOSSY), platen], time_step=DT)

    whole = made()
    whole.step(399)
    assert whole.walls[1].force[2] == pytest.approx(0.01, rel=1e-2)
    whole.save(tmp_path / "held.h5")
    whole.step(401)
    assert whole.walls[1].force[2] == pytest.approx(0.004, rel=1e-2)
    assert whole.energy_error < 1e-3
    parted = dem.Simulation.load(tmp_path / "held.h5")
    assert parted.walls[1].wall.servo == servo
    for steps in (1, 1, 399):
        parted.step(steps)
    with in_one_process(2, owners=AtRandom):
        shared = made()
        shared.step(800)
        ends = [(sim.particles.position.tobytes(), sim.energy()) for sim in (whole, parted, shared)]
    assert ends[1] == ends[0] == ends[2]


def test_forces_on_a_servo_are_shown_on_ranks_as_on_one():
    """At the velocity of the wall at the last forces, not at the one that the servo has chosen since."""

    def shown():
        servo = dem.Servo(force=1.0, axis=(0, 0, -1), fastest=20.0)
        platen = dem.Plane((0, 0, 1.999 * R), (0, 0, -1), material=LOSSY, servo=servo)
        ball = dem.Particles(SPHERE, LOSSY, position=[[0, 0, R]], velocity=[[1, 0, 1]])
        sim = dem.Simulation(ball, walls=[platen], time_step=DT)
        sim.step(5)
        return sim.contact_forces().force, sim.walls[0].force

    forces, load = shown()
    np.testing.assert_allclose(-forces[0], load, rtol=1e-2)
    with in_one_process(2):
        on_ranks, load_on_ranks = shown()
    assert (on_ranks.tobytes(), load_on_ranks.tobytes()) == (forces.tobytes(), load.tobytes())


@pytest.mark.parametrize("schedule", [[(0.2, 1.0), (0.1, 2.0)], [(0.0, 1.0)]])
def test_a_schedule_wants_ascending_times(schedule):
    with pytest.raises(ValueError, match="expected ascending ones above 0"):
        dem.Servo(force=1.0, axis=(0, 0, 1), schedule=schedule)
