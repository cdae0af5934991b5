"""Fixed particles: obstacles of infinite mass that forces do not move, at rest or at a constant velocity."""

from contextlib import nullcontext

import numpy as np
import pytest
from sample_runs import divide_into_small_chunks

import dem
from dem.ranks.domain_decomposition import AtRandom
from dem.ranks.threads import in_one_process

R, DT = 0.005, 2e-6
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=2500.0)
LOSSY = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.7, friction=0.4)
HEAVY = dem.Material(young=5e6, poisson=0.3, density=2500.0e12, restitution=0.7, friction=0.4, name="heavy")
BALL = dem.Sphere(diameter=2 * R)
SHAPES = {
    "spheres": BALL,
    "fibres": dem.Fibre(diameter=2 * R, aspect_ratio=2),
    "capsules": dem.Capsule(diameter=2 * R, aspect_ratio=2),
    "clumps": dem.Clump(offsets=[[0, 0, 0], [0.6 * R, 0, 0], [0, 0.5 * R, 0]], radii=[R, 0.7 * R, 0.8 * R]),
}


def joined(*groups):
    return dem.Particles.concatenate(list(groups))


def base(n, *, pitch=1.5 * R, shape=BALL, material=LOSSY, z=0.0, seed=1, **more):
    """A rough base of n x n particles, which overlap each other, at heights and orientations that differ."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(n) * pitch, np.arange(n) * pitch)
    position = np.column_stack([x.ravel(), y.ravel(), z + rng.uniform(-0.3 * R, 0.3 * R, n * n)])
    turned = rng.normal(size=(n * n, 4))
    turned /= np.linalg.norm(turned, axis=1)[:, None]
    return dem.Particles(shape, material, position=position, orientation=turned, fixed=True, **more)


def rain(n, *, pitch=4.5 * R, shape=BALL, material=LOSSY, z=2.7 * R, speed=0.6):
    """Particles above the base that come down on it, and spin."""
    x, y = np.meshgrid(np.arange(n) * pitch, np.arange(n) * pitch)
    position = np.column_stack([x.ravel(), y.ravel(), np.full(n * n, z)])
    spin = np.random.default_rng(2).normal(0, 20, (n * n, 3))
    return dem.Particles(
        shape, material, position=position, velocity=[[0.1, 0.05, -speed]] * (n * n), angular_velocity=spin
    )


def chute(shape=BALL, material=LOSSY, **more):
    """Particles that fall on a rough base, whose particles stick in the floor of a box that is periodic along x."""
    above = 3.1 * R if shape in (SHAPES["fibres"], SHAPES["capsules"]) else 2.7 * R
    particles = joined(base(4, shape=shape, material=material), rain(2, shape=shape, material=material, z=above))
    box = dem.Box((-0.005, -0.02, -0.5 * R), (0.045, 0.06, 0.1), material, periodic=["x"])
    return dem.Simulation(particles, box, gravity=(3.0, 0, -9.0), time_step=more.pop("time_step", 10 * DT), **more)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.few(2, long=99)
def test_an_impact_is_one_with_an_infinite_mass(shape):
    """As with a free particle of 10^12 times the mass, which differs by that much, times some 10 for the levers."""
    turned = [[0.9, 0.1, 0.3, -0.3]] / np.linalg.norm([0.9, 0.1, 0.3, -0.3])
    end = []
    for material, fixed in ((LOSSY, True), (HEAVY, False)):
        target = dem.Particles(SHAPES[shape], material, position=[[0, 0, 0]], fixed=fixed)
        ball = dem.Particles(
            SHAPES[shape], LOSSY, position=[[0.3 * R, 0.1 * R, 2.6 * R]], velocity=[[0, 0, -0.5]], orientation=turned,
            angular_velocity=[[0, 30, 0]],
        )  # fmt: skip
        sim = dem.Simulation(joined(target, ball), gravity=(0, 0, 0), time_step=10 * DT)
        sim.step(700)
        assert sim.contact_forces().i.size == 0 < sim.energy().dissipated  # it has bounced
        end.append(np.concatenate([getattr(sim.particles, name)[1] for name in dem.model.particles.fields.MOTION]))
    assert end[0] == pytest.approx(end[1], rel=1e-9, abs=1e-9)


def test_an_elastic_head_on_impact_is_that_of_hertz():
    """δ = (15 m v²/(16 E* √R*))^(2/5), with the whole mass of the ball and R* = R/2; 1e-4 is what 1300 steps leave."""
    speed, start = 0.5, 2 * R + 1e-4
    ball = dem.Particles(BALL, ELASTIC, position=[[0, 0, start]], velocity=[[0, 0, -speed]])
    target = dem.Particles(BALL, ELASTIC, position=[[0, 0, 0]], fixed=True)
    sim = dem.Simulation(joined(target, ball), gravity=(0, 0, 0), time_step=DT / 4)
    sim.step(6000)
    modulus, mass = ELASTIC.effective_modulus(ELASTIC), sim.particles.mass[1]
    overlap = (15 * mass * speed**2 / (16 * modulus * np.sqrt(R / 2))) ** 0.4
    assert sim.particles.velocity[1] == pytest.approx([0, 0, speed], rel=1e-4)
    assert sim.verdict().largest_overlap * 2 * R == pytest.approx(overlap, rel=1e-4)


@pytest.mark.parametrize(
    ("shape", "material"),
    [
        ("spheres", ELASTIC), ("fibres", LOSSY), ("capsules", ELASTIC),
        pytest.param("clumps", LOSSY, marks=pytest.mark.slow),
    ],
)  # fmt: skip
@pytest.mark.few(1, long=2)
def test_fixed_particles_move_by_no_bit_and_the_ledger_closes(shape, material):
    """Under gravity, overlapping each other and a floor; the error falls with the square of the time step."""
    errors = []
    for dt in (10 * DT, 5 * DT):
        sim = chute(SHAPES[shape], material, time_step=dt)
        before, fixed = sim.particles.copy(), sim.particles.fixed
        sim.step(round(0.008 / dt))
        for name in dem.model.particles.fields.MOTION:
            assert getattr(sim.particles, name)[fixed].tobytes() == getattr(before, name)[fixed].tobytes()
        assert (np.abs(sim.particles.velocity - before.velocity)[~fixed].max(axis=1) > 0.1).all()
        errors.append(sim.energy_error)
    assert errors[1] < 2e-3
    assert errors[1] < 0.5 * errors[0]


def test_fixed_particles_have_no_energy_and_no_momentum():
    """Of what is counted only the ball's: its m g h changes, and the fixed particle's velocity is nobody's energy."""
    fixed = dem.Particles(BALL, ELASTIC, position=[[0, 0, 1]], velocity=[[3.0, 0, 0]], fixed=True)
    ball = dem.Particles(BALL, ELASTIC, position=[[0, 0, 0]], velocity=[[0, 0, 2.0]])
    box = dem.Box((-1, -1, -1), (1, 1, 2), ELASTIC, periodic=["x", "y"])
    sim = dem.Simulation(joined(fixed, ball), box, time_step=1e-4)
    mass = sim.particles.mass[1]
    assert sim.energy().total == pytest.approx(mass * (0.5 * 2.0**2 + 9.81 * 1.0), rel=1e-12)
    sim.step(1000)
    assert sim.particles.position[0, 0] == pytest.approx(0.3, rel=1e-12)  # the velocity is kept
    assert sim.particles.velocity[0].tolist() == [3.0, 0, 0]
    assert sim.energy().total == pytest.approx(sim.start_energy.total, rel=1e-12)
    sim.gravity = (0, 0, -1.0)
    sim.step(10)
    assert sim.verdict().energy_error < 1e-10
    assert sim.verdict().momentum_error is None


@pytest.mark.parametrize("shape", ["spheres", "capsules", "clumps"])
@pytest.mark.few(1)
@pytest.mark.long
def test_the_work_of_a_moving_particle_is_booked_to_second_order(shape):
    """A particle at a constant velocity knocks a ball away, which has 2 V then, or less if the contact loses energy."""
    errors = []
    for dt in (4 * DT, 2 * DT):
        racket = dem.Particles(SHAPES[shape], ELASTIC, position=[[0, 0, -2.5 * R]], velocity=[[0, 0, 1.0]], fixed=True)
        ball = dem.Particles(BALL, LOSSY, position=[[0, 0, 0]])
        sim = dem.Simulation(joined(racket, ball), gravity=(0, 0, 0), time_step=dt)
        sim.step(round(0.008 / dt))
        assert sim.particles.velocity[0].tolist() == [0, 0, 1.0]
        energy = sim.energy()
        assert energy.work > 1.05 * energy.kinetic > 0  # what it gave is motion of the ball, and lost
        assert sim.contact_forces().i.size == 0
        if shape == "spheres":
            rebound = sim.contacts.between(ELASTIC, LOSSY).restitution
            assert sim.particles.velocity[1, 2] == pytest.approx(1 + rebound, rel=5e-3)
            work = sim.particles.mass[1] * (1 + rebound) * 1.0  # what it hands on, times its velocity
            assert energy.work == pytest.approx(work, rel=5e-3)
        errors.append(sim.energy_error)
    assert errors[0] < 1e-3
    assert errors[1] < 0.4 * errors[0]


def test_overlaps_of_fixed_particles_are_no_contacts():
    """Neither with each other nor with walls, at the start and in what is listed; those with others are."""
    slab = dem.Particles(BALL, LOSSY, position=[[0, 0, 0], [0.2 * R, 0, 0]], fixed=True)
    ball = dem.Particles(BALL, LOSSY, position=[[0.1 * R, 0, 1.98 * R]])
    walls = [dem.Plane((0, 0, 0), (0, 0, 1), material=LOSSY), dem.Cylinder((0, 0, 0), (0, 0, 1), 2 * R, material=LOSSY)]
    sim = dem.Simulation(joined(slab, ball), walls=walls, time_step=DT)
    found = sim.contact_forces()
    assert sorted(zip(found.i.tolist(), found.j.tolist(), strict=True)) == [(0, 2), (1, 2)]
    assert sim.contact_count == 2
    sim.step(100)
    assert not sim.walls[0].force.any()
    free = joined(ball, dem.Particles(BALL, LOSSY, position=[[0, 0, 0], [0.2 * R, 0, 0]]))
    with pytest.raises(ValueError, match="overlap"):
        dem.Simulation(free, time_step=DT)


def test_forces_on_fixed_particles_are_those_of_contacts():
    """4/3 E* √R* δ^1.5 along the line of centres, the opposite of what the ball feels, with its torque none."""
    slab = dem.Particles(BALL, ELASTIC, position=[[0, 0, 0], [3 * R, 0, 0]], fixed=True)
    ball = dem.Particles(BALL, ELASTIC, position=[[0, 0, 1.99 * R]])
    sim = dem.Simulation(joined(slab, ball), time_step=DT)
    loads = dem.statistics.body_loads(sim.contact_forces(), len(sim.particles))
    force = 4 / 3 * ELASTIC.effective_modulus(ELASTIC) * np.sqrt(R / 2) * (0.01 * R) ** 1.5
    assert loads.force == pytest.approx(np.array([[0, 0, -force], [0, 0, 0], [0, 0, force]]), rel=1e-10)
    assert not loads.torque.any()


@pytest.mark.parametrize("shape", ["spheres", "capsules"])
@pytest.mark.few(1)
def test_a_run_goes_on_to_the_bit(tmp_path, shape):
    """From a checkpoint and from a trajectory, which tell which particles are fixed."""
    whole = chute(SHAPES[shape])
    whole.step(300)
    part = chute(SHAPES[shape])
    part.step(150)
    part.save(tmp_path / "half.h5")
    again = dem.Simulation.load(tmp_path / "half.h5")
    assert again.particles.fixed.tolist() == part.particles.fixed.tolist()
    again.step(150)
    for name in dem.model.particles.fields.MOTION:
        assert getattr(again.particles, name).tobytes() == getattr(whole.particles, name).tobytes()
    assert again.energy() == whole.energy()


def test_files_say_which_particles_are_fixed(tmp_path):
    """A moving one has no kinetic energy in frames either."""
    sim = dem.Simulation(joined(base(3, velocity=[[0.1, 0, 0]] * 9), rain(1)), time_step=10 * DT)
    sim.run(0.002, output=tmp_path / "run.h5", frames=2)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.fixed.tolist() == run[-1].fixed.tolist() == sim.particles.fixed.tolist() == [True] * 9 + [False]
        assert run[-1].kinetic_energies().translational.sum() == pytest.approx(run[-1].energy["translational"])
        assert [isinstance(each, dem.model.particles.kinds.Fixed) for each in run.shapes] == [True, False]
    again = dem.Simulation.load(tmp_path / "run.h5")
    assert again.particles.fixed.tolist() == sim.particles.fixed.tolist()


def test_a_fixed_particle_clamps_the_end_of_a_bond():
    """As the ground does, up to rounding: dashpots, which know the masses of both ends, and bending included."""
    more = {"young": 1e7, "diameter": R, "damping": 0.1}
    ball = dem.Particles(BALL, LOSSY, position=[[3 * R, 0, 0]], velocity=[[0, 0.1, 0.2]])
    fixed = dem.Particles(BALL, LOSSY, position=[[0, 0, 0]], fixed=True)
    clamped = dem.Simulation(joined(ball, fixed), bonds=dem.Bonds([(0, 1)], **more), time_step=5 * DT)
    ground = dem.Simulation(ball, bonds=dem.Bonds([(0, -1)], ground=[[0, 0, 0]], **more), time_step=5 * DT)
    for sim in (clamped, ground):
        sim.step(1000)
        assert sim.verdict().energy_error < 1e-3
    for name in dem.model.particles.fields.MOTION:
        one, other = (getattr(sim.particles, name)[0] for sim in (clamped, ground))
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12)
    assert clamped.particles.position[1].tolist() == [0, 0, 0]
    assert not clamped.particles.angular_velocity[1].any()


@pytest.mark.parametrize(("pair", "ground"), [((0, 1), []), ((0, -1), [(R, 0, 0)])])
def test_a_bond_that_moves_no_body_does_nothing(pair, ground):
    """Between fixed particles, or of one to the ground."""
    ends = dem.Particles(BALL, LOSSY, position=[[0, 0, 0], [2.5 * R, 0, 0]], fixed=True)
    ball = dem.Particles(BALL, LOSSY, position=[[0, 0, 3 * R]])
    bonds = dem.Bonds([pair], young=1e7, diameter=R, damping=0.1, ground=ground)
    sim = dem.Simulation(joined(ends, ball), bonds=bonds, time_step=5 * DT)
    assert sim.advice().advised > 0
    sim.step(200)
    assert sim.energy().elastic == sim.energy().dissipated == 0.0
    assert sim.particles.velocity[2, 2] == pytest.approx(-9.81 * 200 * 5 * DT, rel=1e-12)


@pytest.mark.parametrize("shape", ["spheres", "clumps"])
@pytest.mark.few(1)
@pytest.mark.long
def test_threads_and_ranks_show_in_no_bit(monkeypatch, shape):
    """Chunks of eight bodies, some of which are fixed altogether, on one rank and on three at random."""
    divide_into_small_chunks(monkeypatch)
    found = []
    for threads, ranks in ((1, 0), (2, 0), (1, 3)):
        with in_one_process(ranks, owners=AtRandom) if ranks else nullcontext():
            sim = chute(SHAPES[shape], threads=threads)
            sim.step(250)
            energy = sim.energy()
            found.append((sim.particles.position.tobytes(), sim.particles.velocity.tobytes(), energy))
        assert energy.elastic + energy.dissipated > 0
    assert found[0] == found[1] == found[2]


def test_outlets_take_no_fixed_particle():
    outlet = dem.Outlet(dem.Block((-1, -1, -1), (1, 1, 1)), every=20 * DT)
    sim = dem.Simulation(joined(base(2), rain(1)), outlets=[outlet], time_step=DT)
    sim.step(40)
    assert sim.particles.fixed.tolist() == [True] * 4
    assert sim.outlets[0].number == 1


@pytest.mark.long
def test_inserters_rain_on_a_base_that_stays():
    region = dem.Block((0, 0, 3 * R), (6 * R, 6 * R, 8 * R))
    inserter = dem.Inserter(BALL, LOSSY, region=region, number=4, velocity=(0, 0, -1.0))
    ground = base(5)
    sim = dem.Simulation(ground, inserters=[inserter], time_step=10 * DT)
    sim.step(900)
    assert sim.particles.fixed.tolist() == [True] * 25 + [False] * 4
    assert sim.particles.position[:25].tobytes() == ground.position.tobytes()
    assert sim.energy().dissipated > 0
    assert sim.verdict().energy_error < 2e-3


def test_what_falls_on_a_base_has_a_time_step_from_its_fall():
    """v = √(2 g h) at the contact, of mass m: the time that Johnson's formula gives."""
    fixed = dem.Particles(BALL, ELASTIC, position=[[0, 0, 0], [R, 0, 0]], fixed=True)
    ball = dem.Particles(BALL, ELASTIC, position=[[0, 0, 0.2]])
    advice = dem.Simulation(joined(fixed, ball), time_step="auto").advice()
    time = dem.soft.time_step.impacts.contact_time(
        ball.mass[0], R / 2, ELASTIC.effective_modulus(ELASTIC), np.sqrt(2 * 9.81 * 0.2)
    )
    assert advice.contact_time == pytest.approx(time, rel=2e-2)  # masses and radii are taken in classes
    assert advice.shortest == "a sphere on a sphere"
    assert advice.squeezed_time == np.inf  # nothing else moves


def test_fixed_particles_that_grow_stay_fixed():
    sim = dem.Simulation(joined(base(2, pitch=3 * R), rain(1, z=10 * R)), time_step=10 * DT)
    sim.grow(1.1)
    sim.step(10)
    assert sim.particles.fixed.tolist() == [True] * 4 + [False]
    assert not sim.particles.velocity[:4].any()
    assert sim.particles.mass == pytest.approx(1.1**3 * joined(base(4), rain(1)).mass[-1])


def test_groups_and_copies_stay_fixed():
    both = joined(base(2), rain(1))
    assert both.fixed.tolist() == [True] * 4 + [False]
    assert len(both.variants) == 2  # one shape and material, fixed and free
    assert both.copy().fixed.tolist() == both.fixed.tolist()
    assert both.only(np.array([4, 0])).fixed.tolist() == [False, True]
    assert joined(both, both).fixed.tolist() == 2 * both.fixed.tolist()


CASE = """
method = "time-steps"
duration = 0.001
time_step = 1e-5
[output]
frames = 1
[materials.grain]
young = 5e6
poisson = 0.3
density = 2500.0
[shapes.bead]
type = "sphere"
diameter = 0.01
"""


def test_case_files_say_fixed(tmp_path):
    (tmp_path / "base.toml").write_text(
        CASE
        + """[[particles]]
shape = "bead"
material = "grain"
position = [[0, 0, 0], [0.006, 0, 0]]
fixed = true
[[particles]]
shape = "bead"
material = "grain"
position = [[0, 0, 0.02]]
"""
    )
    sim = dem.load(tmp_path / "base.toml")
    assert sim.particles.fixed.tolist() == [True, True, False]
    sim.run(0.001, output=tmp_path / "base.h5", frames=1)
    again = f'[[particles]]\nlast_frame = "{tmp_path / "base.h5"}"\n'
    (tmp_path / "again.toml").write_text(CASE + again)
    assert dem.load(tmp_path / "again.toml").particles.fixed.tolist() == [True, True, False]
    (tmp_path / "free.toml").write_text(CASE + again + "fixed = false\n")
    with pytest.raises(ValueError, match="particles 0 and 1 overlap"):  # now that they are free
        dem.load(tmp_path / "free.toml")


def test_what_cannot_be_is_refused():
    fixed, ball = base(1), rain(1)
    with pytest.raises(ValueError, match="fixed is 'yes', expected True, False, or 1 of them"):
        dem.Particles(BALL, LOSSY, position=[[0, 0, 0]], fixed="yes")
    with pytest.raises(ValueError, match=r"fixed is an array of bool with shape \(2,\)"):
        dem.Particles(BALL, LOSSY, position=[[0, 0, 0]], fixed=[True, False])
    with pytest.raises(ValueError, match=r"angular_velocity of particle 0, which is fixed, is \[0.0, 1.0, 0.0\]"):
        dem.Particles(BALL, LOSSY, position=[[0, 0, 0]], angular_velocity=[[0, 1, 0]], fixed=True)
    with pytest.raises(ValueError, match="angular_velocity of particle 0, which is fixed"):
        fixed.angular_velocity = [[1, 0, 0]]
    both = joined(fixed, ball)
    with pytest.raises(ValueError, match="particle 0 is fixed, expected particles that move where there is a fluid"):
        dem.Simulation(both, fluid=dem.Fluid(density=1.2, viscosity=1e-5), time_step=DT)
    box = dem.Box((-1, -1, -1), (1, 1, 1), LOSSY)
    for kind, more in ((dem.HardSpheres, {}), (dem.StochasticSpheres, {"time_step": 1e-3})):
        with pytest.raises(ValueError, match=f"expected particles that move in a {kind.__name__}"):
            kind(both, box, **more)
    with pytest.raises(ValueError, match="particles that are fixed are added to a run"):
        dem.Simulation(ball, time_step=DT).add(fixed)
    hair = dem.Particles(dem.FlexibleFibre(diameter=0.001, aspect_ratio=11), LOSSY, position=[[0, 0, 0]], fixed=True)
    with pytest.raises(ValueError, match="particles of a FlexibleFibre are fixed"):
        dem.FlexibleFibre.flexed(hair)
