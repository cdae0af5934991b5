"""Particles that grow between runs: masses, the ledger, memories, files, a dense packing, and what is refused."""

import numpy as np
import pytest

import dem

R, DT, EDGE = 0.005, 2e-6, 0.045
LOSSY = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.6, friction=0.5)
ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1000.0)
SHAPES = [
    dem.Sphere(diameter=2 * R),
    dem.Fibre(diameter=2 * R, aspect_ratio=2),
    dem.Capsule(diameter=2 * R, aspect_ratio=2),
    dem.Clump(offsets=[[0, 0, 0], [0.6 * R, 0, 0]], radii=[R, 0.9 * R]),
]


def moving(shape, material=LOSSY, **more):
    """One that slides on a plane, pressed in by 1 % of its radius, and turns, and one above it."""
    state = {"position": [[0, 0, 0.99 * R], [0.1 * R, 0, 2.985 * R]], "velocity": [[0.02, 0, 0], [0, 0.03, 0]]}
    bodies = dem.Particles(shape, material, **state, angular_velocity=[[1, 2, 3], [3, 0, 1]], **more)
    return dem.Simulation(bodies, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=material)], time_step=DT)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("factor", [1.01, 0.995])
@pytest.mark.few(2, long=99)
def test_masses_moments_and_the_ledger_follow_a_growth(shape, factor):
    """f³ of masses, f⁵ of moments; what energy there is more is work, so that the total is the same after it."""
    sim = moving(shape)
    sim.step(30)
    mass, inertia, position = sim.particles.mass, sim.particles.inertia, sim.particles.position.copy()
    before, departure = sim.energy(), sim.energy_departure
    sim.grow(factor)
    after = sim.energy()
    assert sim.step_count == 30
    assert sim.particles.mass == pytest.approx(factor**3 * mass, rel=1e-12)
    assert sim.particles.inertia == pytest.approx(factor**5 * inertia, rel=1e-12)
    assert np.array_equal(sim.particles.position, position)
    assert after.translational == pytest.approx(factor**3 * before.translational, rel=1e-12)
    assert after.rotational == pytest.approx(factor**5 * before.rotational, rel=1e-12)
    assert (after.elastic > before.elastic) == (factor > 1)
    assert after.work - before.work == pytest.approx(after.mechanical - before.mechanical, rel=1e-9)
    assert after.total == pytest.approx(before.total, rel=1e-9)
    sim.step(200)
    assert sim.energy_departure <= departure + 1e-3 * after.elastic
    assert sim.verdict().energy_error < 1e-2


def test_the_elastic_energy_is_that_of_the_grown_overlaps():
    """Hertz: U = 8/15 E* √R δ^2.5 of two balls and of the ball in the plane, with the radii after growth."""
    sim = moving(SHAPES[0], ELASTIC)
    sim.grow(1.01)
    r, z = 1.01 * R, sim.particles.position
    modulus = ELASTIC.effective_modulus(ELASTIC)
    pair, wall = 2 * r - np.linalg.norm(z[0] - z[1]), r - z[0, 2]
    expected = 8 / 15 * modulus * (np.sqrt(r / 2) * pair**2.5 + np.sqrt(r) * wall**2.5)
    assert sim.energy().elastic == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("shape", SHAPES[:3])
@pytest.mark.few(1, long=99)
def test_growth_by_nothing_to_speak_of_changes_nothing_to_speak_of(shape):
    """Contacts remember their friction: the run that is grown by 1e-12 goes on as one whose state was assigned to."""
    grown, plain = moving(shape), moving(shape)
    for each in (grown, plain):
        each.step(100)
    before = grown.contact_forces().force
    grown.grow(1 + 1e-12)
    assert np.allclose(grown.contact_forces().force, before, rtol=1e-6, atol=1e-6 * np.abs(before).max())
    plain.particles.velocity = plain.particles.velocity
    for each in (grown, plain):
        each.step(100)
    assert np.abs(grown.particles.position - plain.particles.position).max() < 1e-13


def test_a_kind_grows_alone_also_where_it_has_its_shape_in_common_with_another():
    ball = dem.Sphere(diameter=2 * R)
    groups = {n: dem.Particles(ball, LOSSY, position=[[x, 0, 0]]) for n, x in (("one", 0.0), ("other", 3 * R))}
    steel = dem.Material(young=5e6, poisson=0.3, density=7000.0, restitution=0.6, friction=0.5)
    groups["steel"] = dem.Particles(dem.Sphere(diameter=R), steel, position=[[0, 3 * R, 0]])
    sim = dem.Simulation(dem.Particles.concatenate(groups), gravity=(0, 0, 0), time_step=DT)
    held = sim.particles
    sim.grow(1.2, "other")
    assert held is sim.particles
    assert [2 * s.radii[0] for s, _ in held.variants] == pytest.approx([2 * R, R, 2.4 * R])
    assert held.mass / LOSSY.density == pytest.approx(np.pi / 6 * np.array([2 * R, 2.4 * R, 7 ** (1 / 3) * R]) ** 3)
    assert [kind.name for kind in held.kinds] == ["one", "other", "steel"]
    sim.grow(1.2, "one")
    assert len(held.variants) == 2  # both have one shape again
    sim.step(10)
    assert sim.contact_count == 0


@pytest.mark.long
def test_a_grown_run_is_saved_and_resumed_to_the_bit(tmp_path):
    sim = moving(SHAPES[1])
    sim.run(50 * DT, output=tmp_path / "small.h5", frames=2)
    sim.grow(1.003)
    sim.save(tmp_path / "state.h5")
    sim.run(100 * DT, output=tmp_path / "large.h5", frames=2)
    again = dem.Simulation.load(tmp_path / "state.h5")
    again.run(100 * DT)
    assert np.array_equal(sim.particles.position, again.particles.position)
    assert sim.energy() == again.energy()
    with dem.Trajectory(tmp_path / "small.h5") as small, dem.Trajectory(tmp_path / "large.h5") as large:
        assert large.mass == pytest.approx(1.003**3 * small.mass)
    assert dem.rerun(tmp_path / "large.h5").same


def test_the_deepest_contact_keeps_its_share_of_the_radius():
    sim = moving(SHAPES[0])
    sim.step(30)
    share = sim.verdict().overlap_share
    assert share > 0.005
    sim.grow(0.97)  # now they are apart
    assert sim.verdict().overlap_share == pytest.approx(share, rel=1e-9)
    sim.step(10)
    assert sim.verdict().overlap_share == pytest.approx(share, rel=1e-9)


def test_growth_beside_particles_that_were_added():
    sim = moving(SHAPES[0])
    sim.step(20)
    sim.add(dem.Particles(dem.Sphere(diameter=R), LOSSY, position=[[0, 0, 8 * R]], name="added"))
    sim.step(20)
    total = sim.energy().total
    sim.grow(1.002)
    assert sim.energy().total == pytest.approx(total, rel=1e-9)
    sim.step(20)
    assert sim.particles.variants[-1][0].diameter == pytest.approx(1.002 * R)
    assert sim.identities.tolist() == [0, 1, 2]


@pytest.mark.slow
def test_balls_grow_into_a_dense_packing():
    """From 0.2 to 0.5 of a periodic box: what `dem.pack` cannot reach; growth does the work that is dissipated."""
    box = dem.Box((0, 0, 0), (EDGE,) * 3, periodic=["x", "y", "z"], material=LOSSY)
    balls = dem.pack(dem.Sphere(diameter=2 * R), LOSSY, box, solid_fraction=0.2)
    sim = dem.Simulation(balls, box, gravity=(0, 0, 0), time_step=4e-5)

    def share():
        return sim.particles.mass.sum() / LOSSY.density / EDGE**3

    while share() < 0.5:
        sim.grow(1.01)
        sim.step(20)
    assert 0.5 <= share() < 0.5 * 1.01**3
    energy = sim.energy()
    assert energy.work > 0
    assert energy.total == pytest.approx(0.0, abs=0.05 * energy.work)
    assert sim.verdict().overlap_share < 0.1


def test_what_cannot_grow_is_refused_and_nothing_changes():
    sim = moving(SHAPES[0])
    sim.step(5)
    before, energy = sim.particles.mass, sim.energy()
    with pytest.raises(ValueError, match="overlap"):
        sim.grow(1.5)
    with pytest.raises(ValueError, match="factor is 0"):
        sim.grow(0.0)
    with pytest.raises(ValueError, match="unknown kind"):
        sim.grow(1.01, "cube")
    with pytest.raises(ValueError, match="between runs"):
        sim.run(10 * DT, every=(5 * DT, lambda each: each.grow(1.001)))
    assert np.array_equal(sim.particles.mass, before)
    assert sim.energy().mechanical == pytest.approx(energy.mechanical, rel=0.1)
    sim.step(5)
    bonded = dem.Particles(SHAPES[0], ELASTIC, position=[[0, 0, 0], [2.2 * R, 0, 0]])
    tied = dem.Simulation(bonded, bonds=dem.Bonds([(0, 1)], young=1e7, diameter=R / 2), time_step=1e-6)
    with pytest.raises(ValueError, match="with bonds"):
        tied.grow(1.01)
    wet = dem.Simulation(bonded, fluid=dem.Fluid(density=1.2, viscosity=1.8e-5), time_step=1e-6)
    with pytest.raises(ValueError, match="with a fluid"):
        wet.grow(1.01)
