"""Walls of any shape in trajectories and case files, and what is refused of them."""

import json

import h5py
import numpy as np
import pytest

import dem
from dem.soft.run_errors import BrokenRunError

STEEL = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.8, friction=0.4, name="steel")
R = 0.005
FLOOR = {"point": (0, 0, 0), "normal": (0, 0, 1), "material": STEEL}
WALLS = [
    dem.Plane((0, 0, 0), (0, 0, 1), material=STEEL, surface_velocity=(0.1, 0, 0)),
    dem.Cylinder((0, 0, 0), (0, 0, 1), 0.1, material=STEEL, ends="start", name="pipe"),
    dem.Cylinder((0, 0, 0), (0, 0, 1), 0.1, material=STEEL, inside=False),
    dem.Cone((0, 0, 0), (0, 0, 0.1), 0.02, 0.1, material=STEEL, motion=dem.Motion(rate=3.0)),
    dem.Ball((0, 0, 0), 0.1, material=STEEL, inside=True),
    dem.Disc((0, 0, 0), (0, 0, 1), 0.1, 0.05, material=STEEL),
    dem.Rectangle((0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), material=STEEL),
    dem.Block((0, 0, 0), (0.1,) * 3, material=STEEL, motion=[dem.Motion(rate=1.0), dem.Motion(start=1.0, stop=2.0)]),
    dem.CapsuleWall((0, 0, 0), (0, 0, 0.1), 0.01, material=STEEL),
    dem.Torus((0, 0, 0), (0, 0, 1), 0.1, 0.02, material=STEEL),
    dem.Revolution([(0.03, 0), (0.1, 0.07)], material=STEEL, axis=(0, 1, 0), motion=dem.Motion(table=[(0, 0, 0, 1)])),
]  # fmt: skip


def ball(x, **more):
    return dem.Particles(dem.Sphere(diameter=2 * R), STEEL, position=[x], **more)


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: wall.word)
def test_a_wall_reads_as_it_was_made(wall):
    names = {name: getattr(dem, name) for name in dem.__all__ if name[0].isupper() and name not in ("HardVerdict",)}
    assert eval(repr(wall), names | {"inf": float("inf")}) == wall


@pytest.mark.slow
def test_what_walls_feel_is_in_the_trajectory(tmp_path):
    """Definition, poses, forces, work; means are differences of what was summed at each step."""
    moving = dem.Motion(amplitude=(0, 0, 5e-4), frequency=50)
    walls = [dem.Plane(**FLOOR, motion=moving), dem.Ball((0.03, 0, 0.004), 0.01, material=STEEL, name="dome")]
    sim = dem.Simulation(ball((0.005, 0, R - 2e-5), velocity=[[0.5, 0, 0]]), walls=walls, time_step=2e-5)
    path, seen = tmp_path / "run.h5", []
    sim.run(
        duration=0.04,
        output=path,
        frames=8,
        contacts=True,
        every=(1, lambda s: seen.append(s.walls[0].force)),
        progress=False,
    )
    with dem.Trajectory(path) as run:
        floor, dome = run.walls
        assert [floor.wall, dome.wall] == walls
        assert [floor.name, dome.name] == ["plane", "dome"]
        assert floor.force.shape == (9, 3)
        assert (floor.force[-1] == sim.walls[0].force).all()
        assert floor.work[-1] == sim.walls[0].work == pytest.approx(run.energy["work"][-1], rel=1e-12)
        assert dome.contacts.max() >= 0
        z = 5e-4 * np.sin(2 * np.pi * 50 * run.time)
        assert np.allclose(floor.position[:, 2], z, atol=1e-15)
        forces = np.array(seen)[:, 2]  # of steps 1, 2, ...
        between = forces[249:500]
        mean = (between.sum() - 0.5 * (between[0] + between[-1])) / 250
        assert floor.mean_force[2, 2] == pytest.approx(mean, rel=1e-9)
        assert run.between(0.01, 0.03).walls[0].force.shape == (5, 3)
        assert json.dumps(run.input["walls"])
        k = int(np.abs(floor.force).max(1).argmax())
        loads = dem.statistics.wall_loads(run[k].contact_forces())
        assert np.allclose(loads.force[6], floor.force[k], atol=0.02 * np.abs(floor.force[k]).max())  # of whole steps
    again = dem.Simulation(ball((0.005, 0, R - 2e-5), velocity=[[0.5, 0, 0]]), walls=walls, time_step=2e-5)
    again.run(duration=0.04, output=tmp_path / "plain.h5", frames=8, progress=False)
    assert dem.rerun(tmp_path / "plain.h5").same


@pytest.mark.parametrize("servo", [
    dem.Servo(force=5.0, axis=(0, 0, -1)),
    dem.PID(force=5.0, axis=(0, 0, -1), fastest=2.0, proportional=1.0, integral=100.0),
], ids=["servo", "pid"])  # fmt: skip
def test_contacts_with_a_servo_are_those_of_the_run_that_saved_it(servo, tmp_path):
    """Dashpots know the velocity at the last forces, while the servo has chosen that of the next step."""
    lid = dem.Plane((0, 0, 2 * R), (0, 0, -1), material=STEEL, servo=servo)
    sim = dem.Simulation(ball((0, 0, R)), walls=[dem.Plane(**FLOOR), lid], time_step=2e-6)
    sim.step(40)
    sim.save(tmp_path / "new.h5")
    sim.save(tmp_path / "old.h5")
    with h5py.File(tmp_path / "old.h5", "r+") as file:
        del file["walls/velocity"]  # as in files of version 0.2
    same, old = (dem.Simulation.load(tmp_path / name) for name in ("new.h5", "old.h5"))
    assert same.walls[1].velocity.tobytes() == sim.walls[1].velocity.tobytes() != old.walls[1].velocity.tobytes()
    assert same.contact_forces().force.tobytes() == sim.contact_forces().force.tobytes()
    for run in (sim, same, old):
        run.step(10)
    assert same.particles.velocity.tobytes() == old.particles.velocity.tobytes() == sim.particles.velocity.tobytes()


def test_the_point_that_a_torque_is_about_moves_with_the_wall(tmp_path):
    """As in the simulation: an axis that is carried along, of two rotations the first; a pivot; a centre of mass."""
    edges = {"centre": (0.03, 0, 0), "edge": (0.01, 0, 0), "other_edge": (0, 0.02, 0), "material": STEEL}
    carried = dem.Motion(rate=30.0, axis=(0, 1, 0), centre=(0.025, 0, 0), velocity=(0, 0, 0.5))
    second = dem.Motion(rate=-20.0, axis=(0, 0, 1), centre=(0.04, 0.01, 0))
    body = {"mass": 0.01, "inertia": (1e-6, 1e-6, 1e-6), "angular_velocity": (0, 30.0, 0)}
    walls = [
        dem.Rectangle(**edges, motion=[carried, second]),
        dem.Rectangle(**edges, free=dem.RigidWall(**body, pivot=(0.025, 0, 0))),
        dem.Rectangle(**edges, free=dem.RigidWall(**body, centre=(0.03, 0, 0.01))),
        dem.Ball((0.05, 0, 0), 0.01, material=STEEL, motion=dem.Motion(velocity=(0, 0, 0.5))),
    ]
    sim = dem.Simulation(ball((0, 0, R)), walls=walls, time_step=2e-5)
    seen = [[wall.about for wall in sim.walls]]
    each = (250, lambda s: seen.append([wall.about for wall in s.walls]))
    sim.run(duration=0.01, output=tmp_path / "run.h5", frames=2, every=each, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        found, middles = np.stack([(wall.about, wall.position) for wall in run.walls], axis=2)
    assert np.allclose(found, seen, rtol=0, atol=1e-12)
    assert (np.linalg.norm(found - middles, axis=2)[:, :3] > 0.004).all()


def test_contact_numbers_count_walls_beside_the_box(tmp_path):
    """As many as contacts say: at the poses of the frame, across a periodic face, of some kinds, while present."""
    around = {"axis": (0, 0, 1), "centre": (0.05, 0.05, 0)}
    flap = dem.Rectangle(
        (0.075, 0.05, 0.02), (0.05, 0, 0), (0, 0, 0.04), material=STEEL, motion=dem.Motion(rate=10.0, **around)
    )
    walls = [
        dem.Plane((0, 0, 0.001), (0, 0, 1), material=STEEL),
        flap,
        dem.Plane((0, 0, 0.0011), (0, 0, 1), material=STEEL, ignores=("low",)),
        dem.Plane((0, 0, 0.0011), (0, 0, 1), material=STEEL, acts_on=("low",), present_until=0.001),
        dem.Ball((0.011, 0.08, 0.02), 0.005, material=STEEL),
    ]
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.05), STEEL, periodic=["x", "y"])
    x, v = [[0.08, 0.0551, 0.03], [0.0995, 0.08, 0.0265]], [[0, 0, 0], [2.0, 0, 0]]  # the second crosses a face
    high = dem.Particles(dem.Sphere(diameter=0.01), STEEL, position=x, velocity=v, name="high")
    low = dem.Particles(
        dem.Fibre(diameter=0.01, aspect_ratio=2),
        STEEL,
        position=[[0.02, 0.02, 0.00602]],
        velocity=[[0, 0, -0.05]],
        name="low",
    )
    both = dem.Particles.concatenate([high, low])
    sim = dem.Simulation(both, box, walls=walls, gravity=(0, 0, 0), time_step=2e-5)
    sim.run(duration=0.004, output=tmp_path / "run.h5", frames=8, contacts=True, progress=False)
    seen = []
    with dem.Trajectory(tmp_path / "run.h5") as run:
        for frame in run:
            found = frame.contact_numbers()
            expected = dem.statistics.coordination_numbers(frame.contact_forces(), 3)
            assert found.walls.tolist() == expected.walls.tolist()
            seen.append(found.walls.tolist())
        assert run[0].contact_numbers(0.01).walls.tolist() == [1, 1, 3]  # within 15 mm
    assert np.max(seen, axis=0).min() > 0


def test_contact_numbers_count_walls_across_periodic_faces(tmp_path):
    """A ball and a triangle around the corner of a periodic box: each particle touches the image beside it."""
    walls = [
        dem.Ball((0, 0, 0.02), 0.01, material=STEEL),
        dem.Mesh([[-0.02, -0.02, 0.04], [0.02, -0.02, 0.04], [0, 0.02, 0.04]], [[0, 1, 2]], material=STEEL),
    ]
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.06), STEEL, periodic=["x", "y"])
    x = [
        [0.0149, 0, 0.02],
        [0.0851, 0, 0.02],
        [0, 0.0851, 0.02],
        [0.005, 0, 0.0351],
        [0.095, 0.095, 0.0449],
        [0.05] * 3,
    ]
    balls = dem.Particles(dem.Sphere(diameter=0.01), STEEL, position=x)
    sim = dem.Simulation(balls, box, walls=walls, gravity=(0, 0, 0), time_step=2e-5)
    sim.run(duration=2e-4, output=tmp_path / "run.h5", frames=2, contacts=True, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        expected = dem.statistics.coordination_numbers(run[0].contact_forces(), 6)
        assert expected.walls.tolist() == run[0].contact_numbers().walls.tolist() == [1, 1, 1, 1, 1, 0]


def test_a_case_file_has_the_same_walls(tmp_path):
    text = """
duration = "1 ms"
time_step = "20 us"
materials.steel = { young = "5 MPa", poisson = 0.3, density = 1000.0, restitution = 0.8, friction = 0.4 }
shapes.bead = { type = "sphere", diameter = "1 cm" }
particles = [{ shape = "bead", material = "steel", position = [["0 mm", "0 mm", "4 cm"]] }]
walls = [
    { type = "revolution", points = [["2 cm", 0.0], [0.1, "8 cm"]], material = "steel", name = "hopper" },
    { type = "disc", centre = [0, 0, "-1 cm"], normal = [0, 0, 1.0], radius = 0.1, material = "steel", motion = [
        { rate = "60 rpm", stop = "2 s" }, { amplitude = [0, 0, "1 mm"], frequency = 30.0 } ] },
]
""".replace('"60 rpm"', "6.0")
    path = tmp_path / "hopper.toml"
    path.write_text(text)
    sim = dem.load(path)
    turn, shake = dem.Motion(rate=6.0, stop=2.0), dem.Motion(amplitude=(0, 0, 1e-3), frequency=30.0)
    expected = [
        dem.Revolution([(0.02, 0.0), (0.1, 0.08)], material=STEEL, name="hopper"),
        dem.Disc((0, 0, -0.01), (0, 0, 1), 0.1, material=STEEL, motion=[turn, shake]),
    ]
    assert [each.wall for each in sim.walls] == expected
    path.write_text(text.replace("radius = 0.1", "length = 0.1"))
    with pytest.raises(ValueError, match="length"):
        dem.load(path)
    path.write_text(text.replace("radius = 0.1,", ""))
    with pytest.raises(ValueError, match="a disc takes centre, normal, radius, inner_radius"):
        dem.load(path)


@pytest.mark.parametrize(("make", "told"), [
    (lambda: dem.Plane((0, 0, 0), (0, 0, 0), material=STEEL), "normal is"),
    (lambda: dem.Plane((0, 0, 0), (0, 0, 1), material="steel"), "material of the plane"),
    (lambda: dem.Plane(**FLOOR, motion=dem.Motion(rate=1.0, axis=(1, 0, 0))), "a plane has no end, and cannot turn"),
    (lambda: dem.Cylinder((0, 0, 0), (0, 0, 0), 0.1, material=STEEL), "start and end of the cylinder are both"),
    (lambda: dem.Cylinder((0, 0, 0), (0, 0, 1), -0.1, material=STEEL), "radius is -0.1 m"),
    (lambda: dem.Block((0, 0, 0), (1, 0, 1), material=STEEL), "has no volume"),
    (lambda: dem.Disc((0, 0, 0), (0, 0, 1), 0.1, 0.2, material=STEEL), "radius is 0.1 m, expected .* above 0.2"),
    (lambda: dem.Motion(table=[(0, 0, 0, 0), (0, 0, 0, 1)]), "let times ascend"),
    (lambda: dem.Motion(start=2.0, stop=1.0), "stop is 1 s"),
    (lambda: dem.Box((0, 0, 0), (1, 1, 1), STEEL, motion={"z-": dem.Motion(rate=1.0)}), "faces have no axis"),
    (lambda: dem.Simulation(ball((0, 0, 1)), walls=dem.Plane(**FLOOR), time_step=1e-5), "walls is"),
    (lambda: dem.Simulation(ball((0, 0, 1)), walls=["floor"], time_step=1e-5), r"walls\[0\] is 'floor'"),
    (lambda: dem.Simulation(ball((0, 0, -0.1)), walls=[dem.Plane(**FLOOR)], time_step=1e-5),
     r"particle 0, at \(0, 0, -0.1\) m, overlaps the wall plane"),
    (lambda: dem.Simulation(ball((0, 0, 0.5)), walls=[dem.Cylinder((0, 0, 0), (0, 0, 1), 0.1, material=STEEL,
                                                                  inside=False)], time_step=1e-5),
     "particle 0 is inside the wall cylinder"),
    (lambda: dem.Simulation(ball((0, 0, 1)), walls=[dem.Plane(**FLOOR, motion=dem.Motion(velocity=(0, 0, 99)))],
                            time_step=1e-5), "the wall plane moves up to"),
])  # fmt: skip
def test_what_cannot_be_is_refused(make, told):
    with pytest.raises((ValueError, TypeError), match=told):
        make()


def test_who_goes_through_a_wall_is_named():
    """At more than half a radius; a thin sheet would push out on the other side."""
    soft = dem.Material(young=5e3, poisson=0.3, density=1000.0, name="jelly")
    sheet = dem.Disc((0, 0, 0), (0, 0, 1), 0.1, material=soft, name="sheet")
    falling = dem.Particles(
        dem.Sphere(diameter=2 * R), soft, position=[[0.01, 0, 0.02], [0.03, 0, 0.5]], velocity=[[0, 0, -3.0], [0, 0, 0]]
    )
    sim = dem.Simulation(falling, walls=[sheet], time_step=1e-5)
    with pytest.raises(BrokenRunError, match=r"step \d+ .*particle 0 overlaps the wall sheet .*goes through that wall"):
        sim.step(2000)


def test_walls_that_nobody_meets_change_nothing():
    """Neither the bytes of others nor their energies."""
    particles = ball((0.01, 0.01, R + 1e-4), velocity=[[0.3, 0, -0.5]])
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), STEEL)
    plain = dem.Simulation(particles, box, time_step=2e-5)
    more = dem.Simulation(particles, box, walls=[dem.Ball((0.05, 0.05, 0.09), 0.005, material=STEEL)], time_step=2e-5)
    for sim in (plain, more):
        sim.step(300)
    assert plain.particles.position.tobytes() == more.particles.position.tobytes()
    assert plain.energy() == more.energy()
