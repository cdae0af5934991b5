"""Walls that are removed between runs: continuation, ledger, refusals."""

from dataclasses import replace

import numpy as np
import pytest

import dem

R, DT = 0.005, 2e-6
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1000.0)
LOSSY = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.6, friction=0.5)
FLOOR = {"point": (0, 0, 0), "normal": (0, 0, 1)}


def gate(material, name="gate", **more):
    return dem.Rectangle((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), material=material, name=name, **more)


def resting(material, walls, shape=None, speed=0.02, **more):
    """A body that lies on the plane z = 0, pressed in by 1 % of its radius and moving along it."""
    shape = shape or dem.Sphere(diameter=2 * R)
    body = dem.Particles(shape, material, position=[[0, 0, 0.99 * R]], velocity=[[speed, 0, 0]])
    return dem.Simulation(body, walls=walls, time_step=DT, **more)


@pytest.mark.parametrize("material", [ELASTIC, LOSSY])
def test_without_its_floor_a_ball_falls_freely_and_its_account_closes(material):
    """z = z0 + v0 t - g t²/2 from the step on; what the contact held leaves as work of the wall."""
    sim = resting(material, [gate(material)])
    sim.step(20)
    before = sim.energy()
    assert before.elastic > 1e-3 * before.kinetic
    sim.remove_wall("gate")
    z, v = sim.particles.position[0, 2], sim.particles.velocity[0, 2]
    after = sim.energy()
    assert sim.walls == ()
    assert after.elastic == 0.0
    assert after.work - before.work == pytest.approx(-before.elastic, rel=1e-9)
    assert after.total == pytest.approx(before.total, rel=1e-12)
    sim.step(500)
    t = 500 * DT
    assert sim.particles.position[0, 2] == pytest.approx(z + v * t - 0.5 * 9.81 * t**2, abs=1e-12)
    assert sim.verdict().energy_error < 1e-3


def test_momentum_is_judged_from_when_the_last_wall_is_gone():
    sim = resting(ELASTIC, [gate(ELASTIC)], gravity=(0, 0, 0))
    sim.step(20)
    assert sim.verdict().momentum_error is None
    sim.remove_wall(0)
    sim.step(100)
    assert sim.verdict().momentum_error < 1e-12


@pytest.mark.parametrize("shape", [dem.Sphere(diameter=2 * R), dem.Fibre(diameter=2 * R, aspect_ratio=3)])
@pytest.mark.few(1, long=99)
def test_contacts_with_walls_that_stay_remember_what_they_did(shape):
    """A gate far away stands before the floor: contacts with the floor, their friction with them, get other numbers."""
    far = dem.Disc((0, 0, 1), (0, 0, 1), 0.1, material=LOSSY, name="far")
    floor, last = dem.Plane(**FLOOR, material=LOSSY), dem.Plane((0, 0, 2), (0, 0, -1), material=LOSSY, name="lid")
    sim = resting(LOSSY, [far, floor, last], shape)
    sim.step(100)
    held, lid = sim.walls[1], sim.walls[2]
    slid = sim.particles.copy()
    impulse, work = held.impulse.copy(), held.work
    assert np.abs(impulse).min(where=[True, False, True], initial=1.0) > 0
    again = resting(LOSSY, [floor, last], shape)
    again.step(100)
    sim.remove_wall(sim.walls[0])
    assert [each.called for each in sim.walls] == ["plane", "lid"]
    assert np.array_equal(held.impulse, impulse)
    assert held.work == work
    assert lid.position[2] == 2
    assert np.array_equal(sim.particles.position, slid.position)
    for each in (sim, again):
        each.step(100)
    apart = np.abs(sim.particles.position - again.particles.position).max()
    assert apart < 1e-12  # the dashpot sees other velocities where leap-frog begins; a spring forgotten gives 1e-7
    assert np.allclose(sim.walls[0].force, again.walls[0].force, rtol=1e-6)
    assert np.abs(sim.walls[0].force[0]) > 0  # friction, whose spring would begin anew had it been forgotten


def test_servos_free_walls_and_wear_stay_with_their_walls():
    wears = {"material": LOSSY, "wear": 1e-12}
    free = gate(LOSSY, "free", free=dem.RigidWall(mass=0.01, velocity=(0, 0, -0.1)))
    pressed = dem.Rectangle(
        (1, 0, 0), (0.1, 0, 0), (0, 0.1, 0), material=LOSSY, name="pressed",
        servo=dem.Servo(force=1.0, axis=(0, 0, 1), fastest=0.1),
    )  # fmt: skip
    walls = [dem.Disc((0, 0, 1), (0, 0, 1), 0.1, name="first", **wears), dem.Plane(**FLOOR, **wears), free, pressed]
    sim = resting(LOSSY, walls, speed=2.0)
    sim.step(50)
    floor, free, pressed = sim.walls[1:]
    worn, state = floor.worn.copy(), [free.momentum, free.position, pressed.position, floor.impulse]
    assert worn[0] > 0
    assert pressed.position[2] != 0
    sim.remove_wall(walls[0])
    assert np.allclose(floor.worn, worn, rtol=1e-6)  # units of energy are chosen anew
    for was, now in zip(state, [free.momentum, free.position, pressed.position, floor.impulse], strict=True):
        assert np.array_equal(was, now)


def test_wear_goes_on_where_a_function_assigns_to_the_state():
    sim = resting(LOSSY, [dem.Plane(**FLOOR, material=LOSSY, wear=1e-12)], speed=2.0)
    worn = []

    def push(now):
        worn.append(now.walls[0].worn[0])
        now.particles.velocity = now.particles.velocity * 1.01
        worn.append(now.walls[0].worn[0])

    sim.run(100 * DT, every=(50, push))
    assert worn[2] > 0
    assert worn[3] == pytest.approx(worn[2], rel=1e-6)
    assert sim.walls[0].worn[0] >= worn[2] > 0


def test_a_run_without_the_wall_is_saved_and_resumed_to_the_bit(tmp_path):
    sim = resting(LOSSY, [gate(LOSSY), dem.Plane((0, 0, -0.002), (0, 0, 1), material=LOSSY)])
    sim.run(100 * DT, output=tmp_path / "held.h5", frames=2)
    sim.remove_wall("gate")
    sim.save(tmp_path / "state.h5")
    sim.run(200 * DT, output=tmp_path / "free.h5", frames=2)
    again = dem.Simulation.load(tmp_path / "state.h5")
    again.run(200 * DT)
    assert np.array_equal(sim.particles.position, again.particles.position)
    assert sim.energy() == again.energy()
    with dem.Trajectory(tmp_path / "held.h5") as held, dem.Trajectory(tmp_path / "free.h5") as free:
        assert [len(held.walls), len(free.walls)] == [2, 1]
        assert free.time[0] == held.time[-1]


def test_the_only_wall_with_friction_can_be_removed_but_not_the_only_one_with_rolling_resistance():
    """Without the first, contacts have no history at all; without the second, a shorter one."""
    rough = dem.Material(young=5e6, poisson=0.3, density=1000.0, name="rough")
    for material, pair, can in (
        (ELASTIC, dem.Contact(friction=0.3), True),
        (LOSSY, dem.Contact(restitution=0.6, friction=0.5, rolling=dem.Rolling(friction=0.1)), False),
    ):
        walls = [dem.Plane(**FLOOR, material=material), gate(rough)]
        sim = resting(material, walls, contacts=dem.Contacts({(material, rough): pair}))
        sim.step(5)
        if can:
            sim.remove_wall("gate")
        else:
            with pytest.raises(
                ValueError, match="contacts would remember something else, as only contacts with it have rolling"
            ):
                sim.remove_wall("gate")
        assert len(sim.walls) == 2 - can


def test_advice_goes_on_after_a_wall_with_a_material_of_its_own_was_refused():
    wet = replace(LOSSY, adhesion=dem.Bridge(volume=1e-12, tension=0.07))
    other = replace(wet, young=2 * wet.young, name="other")
    sim = resting(wet, [dem.Plane((0, 0, -1), (0, 0, 1), material=other, roughness=0.1)])
    before = sim.advice()
    with pytest.raises(ValueError, match="it is the only rough one"):
        sim.remove_wall("plane")
    assert sim.advice() == before


def test_what_cannot_be_removed_is_refused_and_changes_nothing():
    sim = resting(LOSSY, [gate(LOSSY), dem.Plane((0, 0, -1), (0, 0, 1), material=LOSSY, roughness=0.1)])
    with pytest.raises(ValueError, match="did you mean gate"):
        sim.remove_wall("gaet")
    with pytest.raises(ValueError, match="wall is 2"):
        sim.remove_wall(2)
    with pytest.raises(ValueError, match="none of this simulation"):
        sim.remove_wall(gate(LOSSY, "another"))
    with pytest.raises(ValueError, match=r"it is the only rough one \(roughness=\)"):
        sim.remove_wall("plane")
    with pytest.raises(ValueError, match="between runs"):
        sim.run(10 * DT, every=(5 * DT, lambda each: each.remove_wall("gate")))
    assert len(sim.walls) == 2
    one = sim.walls[0]
    sim.remove_wall(one)
    with pytest.raises(ValueError, match="the wall gate was removed"):
        _ = one.force
    sim.step(5)


def test_a_wall_is_removed_beside_particles_that_were_added():
    sim = resting(LOSSY, [gate(LOSSY), dem.Plane((0, 0, -1), (0, 0, 1), material=LOSSY)])
    sim.step(20)
    sim.add(dem.Particles(dem.Sphere(diameter=R), LOSSY, position=[[0, 0, 5 * R]]))
    sim.step(20)
    total = sim.energy().total
    sim.remove_wall("gate")
    assert sim.energy().total == pytest.approx(total, rel=1e-12)
    sim.step(20)
    assert sim.identities.tolist() == [0, 1]
    assert sim.energy().total == pytest.approx(total, rel=1e-4)


def test_entries_of_contacts_leave_with_the_last_wall_of_their_material():
    steel = dem.Material(name="steel", young=5e6, poisson=0.3, density=1000.0, restitution=0.6, friction=0.5)
    pairs = {(LOSSY, steel): dem.Contact(friction=0.2), (LOSSY, LOSSY): dem.Contact(friction=0.1)}
    walls = [gate(steel), dem.Plane((0, 0, -1), (0, 0, 1), material=steel), dem.Plane(**FLOOR, material=LOSSY)]
    sim = resting(LOSSY, walls, contacts=dem.Contacts(pairs))
    sim.step(20)
    sim.remove_wall("gate")
    assert sim.contacts.between(LOSSY, steel).friction == 0.2
    sim.remove_wall(walls[1])
    assert sim.contacts.between(LOSSY, steel).friction == 0.5  # by the rule
    assert sim.contacts.between(LOSSY, LOSSY).friction == 0.1
    sim.step(20)
    assert sim.walls[0].contacts == 1
